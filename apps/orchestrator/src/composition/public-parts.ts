import type { CreateCardRefOperation } from '../group-a/card-registration/create-card-ref.operation';
import type { GetCardInfoOperation } from '../group-a/card-registration/get-card-info.operation';
import type { GroupAEdge } from '../group-a/group-a.edge';
import type { OrderStatusOperation } from '../group-a/order-status/order-status.operation';
import type { SaleOperation } from '../group-a/payment/sale.operation';
import type { MakeRebillSaleOperation } from '../group-a/recurring/make-rebill-sale.operation';
import type { HealthSource } from '../operator/health.controller';
import type { PayerJourney } from '../payer/payer-journey';
import type { Receipts } from '../receipt/receipts';
import type { SimulatorPages } from '../payer/simulator-page.controller';

/** What the public port's controllers are given. */
export interface PublicParts {
  readonly edge: GroupAEdge;
  readonly sale: SaleOperation;
  readonly makeRebillSale: MakeRebillSaleOperation;
  readonly createCardRef: CreateCardRefOperation;
  readonly getCardInfo: GetCardInfoOperation;
  readonly orderStatus: OrderStatusOperation;
  readonly payerJourney: PayerJourney;
  readonly receipts: Receipts;
  readonly simulatorPages: SimulatorPages;
  readonly health: HealthSource;
}
