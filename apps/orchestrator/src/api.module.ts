import { Module, type DynamicModule } from '@nestjs/common';
import { provide } from '@app/injection';
import { BridgeModule, PUBLIC_PARTS } from './composition/bridge.module';
import { GroupAController } from './group-a/group-a.controller';
import { GroupAEdge } from './group-a/group-a.edge';
import { GroupARoutes } from './group-a/routes';
import { DeviceVerificationApiModule } from './device-verification/device-verification.module';
import { TransferApiModule } from './transfer/transfer.module';
import { HealthModule } from './health/health.module';
import { HealthController } from './operator/health.controller';
import { PayerController } from './payer/payer.controller';
import { PayerJourney } from './payer/payer-journey';
import { SimulatorPageController } from './payer/simulator-page.controller';
import { ReceiptController } from './receipt/receipt.controller';
import { Receipts } from './receipt/receipts';
import { RequestModule } from './request/request.module';

/** The public port: Groups A and B, the payer's pages, readiness. */
@Module({})
export class ApiModule {
  static forRole(isServing: boolean): DynamicModule {
    // Of a process that answers no requests: whoever supervises it asks there too (architecture, "Configuration").
    if (!isServing)
      return { module: ApiModule, imports: [HealthModule, BridgeModule.forRoot(), RequestModule], controllers: [HealthController] };
    return {
      module: ApiModule,
      imports: [HealthModule, BridgeModule.forRoot(), RequestModule, TransferApiModule, DeviceVerificationApiModule],
      controllers: [GroupAController, PayerController, ReceiptController, SimulatorPageController, HealthController],
      providers: [
        provide(GroupAEdge, { parts: PUBLIC_PARTS }, ({ parts }) => parts.edge),
        provide(GroupARoutes, { parts: PUBLIC_PARTS }, ({ parts }) => new GroupARoutes(parts.operations)),
        provide(Receipts, { parts: PUBLIC_PARTS }, ({ parts }) => parts.receipts),
        provide(PayerJourney, { parts: PUBLIC_PARTS }, ({ parts }) => parts.payerJourney),
      ],
    };
  }
}
