import { Module, type DynamicModule } from '@nestjs/common';
import { BridgeAModule } from './composition/bridge-a.module';
import type { PublicParts } from './composition/public-parts';
import { GroupAModule } from './group-a.module';
import { DeviceRoutes } from './group-b/device-routes';
import { GroupBController } from './group-b/group-b.controller';
import { GroupBEdge } from './group-b/group-b.edge';
import { HEALTH, HealthController, type HealthSource } from './operator/health.controller';
import { PayerController } from './payer/payer.controller';
import { PayerJourney } from './payer/payer-journey';
import { SIMULATOR_PAGES, SimulatorPageController } from './payer/simulator-page.controller';
import { ReceiptController } from './receipt/receipt.controller';
import { Receipts } from './receipt/receipts';

/** The public port: Groups A and B, the payer's pages, readiness. */
@Module({})
export class PublicModule {
  /** Of a process that answers no requests: whoever supervises it asks there too (architecture, "Configuration"). */
  static withHealthAlone(health: HealthSource): DynamicModule {
    return { module: PublicModule, controllers: [HealthController], providers: [{ provide: HEALTH, useValue: health }] };
  }

  static over(parts: PublicParts): DynamicModule {
    return {
      module: PublicModule,
      imports: [BridgeAModule.over(parts.merchantParts), GroupAModule],
      // Express looks through them in this order: what is called most stands first.
      controllers: [GroupBController, PayerController, ReceiptController, SimulatorPageController, HealthController],
      providers: [
        { provide: GroupBEdge, useValue: parts.deviceEdge },
        { provide: DeviceRoutes, useValue: new DeviceRoutes(parts.deviceEndpoints) },
        { provide: Receipts, useValue: parts.receipts },
        { provide: PayerJourney, useValue: parts.payerJourney },
        { provide: SIMULATOR_PAGES, useValue: parts.simulatorPages },
        { provide: HEALTH, useValue: parts.health },
      ],
    };
  }
}
