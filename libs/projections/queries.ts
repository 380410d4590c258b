import type { FoldFromLog } from './engine/corruption/fold-from-log';
import type { Reader } from './engine/reader';
import { CardReferenceQueries } from './read-models/card-reference/card-reference.queries';
import { GateAttemptsQueries } from './read-models/gate-attempts/gate-attempts.queries';
import { MentionQueries } from './read-models/mentions/mentions.queries';
import { OrderListQueries } from './read-models/order-list/order-list.queries';
import { OrderSearchQueries } from './read-models/order-search/order-search.queries';
import { OperatorOrderQueries } from './read-models/order-status/operator-orders.queries';
import { OrderStatusQueries } from './read-models/order-status/order-status.queries';
import { ReconciliationCaseQueries } from './read-models/reconciliation-cases/reconciliation-case.queries';

/** What the read models can be asked, wherever they are projected. */
export interface Queries {
  readonly orders: OrderStatusQueries;
  readonly cardReferences: CardReferenceQueries;
  readonly search: OrderSearchQueries;
  readonly orderList: OrderListQueries;
  readonly mentions: MentionQueries;
  readonly operatorOrders: OperatorOrderQueries;
  readonly gateAttempts: GateAttemptsQueries;
  readonly reconciliationCases: ReconciliationCaseQueries;
}

/** @param foldFromLog answers in the place of a corrupt row; without it such a row is an error */
export const queriesOver = (reader: Reader, foldFromLog: FoldFromLog | undefined): Queries => ({
  orders: new OrderStatusQueries(reader, foldFromLog),
  cardReferences: new CardReferenceQueries(reader, foldFromLog),
  search: new OrderSearchQueries(reader),
  orderList: new OrderListQueries(reader, foldFromLog),
  mentions: new MentionQueries(reader),
  operatorOrders: new OperatorOrderQueries(reader, foldFromLog),
  gateAttempts: new GateAttemptsQueries(reader, foldFromLog),
  reconciliationCases: new ReconciliationCaseQueries(reader, foldFromLog),
});
