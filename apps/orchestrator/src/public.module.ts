import { Module, type DynamicModule } from '@nestjs/common';
import { BridgeOModule } from './composition/bridge-o.module';
import type { PublicParts } from './composition/public-parts';
import { DocumentsModule } from './documents/documents.module';
import { GroupAController } from './group-a/group-a.controller';
import { GroupAEdge } from './group-a/group-a.edge';
import { GroupARoutes } from './group-a/routes';
import { DeviceRoutes } from './group-b/device-routes';
import { GroupBController } from './group-b/group-b.controller';
import { GroupBEdge } from './group-b/group-b.edge';
import { HEALTH, HealthController, type HealthSource } from './operator/health.controller';
import { PayerModule } from './payer/payer.module';
import { ReceiptModule } from './receipt/receipt.module';

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
      // Express looks through them in this order: what is called most stands first.
      imports: [BridgeOModule.over(parts.bridged), DocumentsModule.forRoot(parts.isDocumented), PayerModule, ReceiptModule],
      controllers: [GroupAController, GroupBController, HealthController],
      providers: [
        { provide: GroupAEdge, useValue: parts.edge },
        { provide: GroupARoutes, useValue: new GroupARoutes(parts.operations) },
        { provide: GroupBEdge, useValue: parts.deviceEdge },
        { provide: DeviceRoutes, useValue: new DeviceRoutes(parts.deviceEndpoints) },
        { provide: HEALTH, useValue: parts.health },
      ],
    };
  }
}
