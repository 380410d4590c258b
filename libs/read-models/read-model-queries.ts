import type { ProjectFromLog } from './engine/project-from-log';
import type { Reader } from './engine/reader';
import { CardReferenceQueries } from './card-reference/card-reference.queries';
import { GateAttemptsQueries } from './reconciliation/gate-attempts.queries';
import { MentionQueries } from './order-list/mentions.queries';
import { OrderListQueries } from './order-list/order-list.queries';
import { OrderSearchQueries } from './order-list/order-search.queries';
import { OperatorOrderQueries } from './order-status/operator-orders.queries';
import { OrderStatusQueries } from './order-status/order-status.queries';
import { ReconciliationCaseQueries } from './reconciliation/reconciliation-case.queries';

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

/** @param foldFromLog rebuilds a corrupt row from the log; without it such a row is an error */
export const queriesOver = (reader: Reader, projectFromLog: ProjectFromLog | undefined): Queries => ({
  orders: new OrderStatusQueries(reader, projectFromLog),
  cardReferences: new CardReferenceQueries(reader, projectFromLog),
  search: new OrderSearchQueries(reader),
  orderList: new OrderListQueries(reader, projectFromLog),
  mentions: new MentionQueries(reader),
  operatorOrders: new OperatorOrderQueries(reader, projectFromLog),
  gateAttempts: new GateAttemptsQueries(reader, projectFromLog),
  reconciliationCases: new ReconciliationCaseQueries(reader, projectFromLog),
});
