import { Module, type DynamicModule } from '@nestjs/common';
import type { PublicParts } from './composition/public-parts';
import { CreateCardRefController } from './group-a/card-registration/create-card-ref.controller';
import { CreateCardRefOperation } from './group-a/card-registration/create-card-ref.operation';
import { GetCardInfoController } from './group-a/card-registration/get-card-info.controller';
import { GetCardInfoOperation } from './group-a/card-registration/get-card-info.operation';
import { GroupAEdge } from './group-a/group-a.edge';
import { OrderStatusController } from './group-a/order-status/order-status.controller';
import { OrderStatusOperation } from './group-a/order-status/order-status.operation';
import { SaleController } from './group-a/payment/sale.controller';
import { SaleOperation } from './group-a/payment/sale.operation';
import { MakeRebillSaleController } from './group-a/recurring/make-rebill-sale.controller';
import { MakeRebillSaleOperation } from './group-a/recurring/make-rebill-sale.operation';
import { HEALTH, HealthController, type HealthSource } from './operator/health.controller';
import { PayerController } from './payer/payer.controller';
import { PayerJourney } from './payer/payer-journey';
import { ReceiptController } from './receipt/receipt.controller';
import { Receipts } from './receipt/receipts';
import { SIMULATOR_PAGES, SimulatorPageController } from './payer/simulator-page.controller';

/** The public port: Group A, the payer's pages, readiness. */
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
      controllers: [
        MakeRebillSaleController,
        OrderStatusController,
        SaleController,
        CreateCardRefController,
        GetCardInfoController,
        PayerController,
        ReceiptController,
        SimulatorPageController,
        HealthController,
      ],
      providers: [
        { provide: GroupAEdge, useValue: parts.edge },
        { provide: SaleOperation, useValue: parts.sale },
        { provide: MakeRebillSaleOperation, useValue: parts.makeRebillSale },
        { provide: CreateCardRefOperation, useValue: parts.createCardRef },
        { provide: GetCardInfoOperation, useValue: parts.getCardInfo },
        { provide: OrderStatusOperation, useValue: parts.orderStatus },
        { provide: Receipts, useValue: parts.receipts },
        { provide: PayerJourney, useValue: parts.payerJourney },
        { provide: SIMULATOR_PAGES, useValue: parts.simulatorPages },
        { provide: HEALTH, useValue: parts.health },
      ],
    };
  }
}
