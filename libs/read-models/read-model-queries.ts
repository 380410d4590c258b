import type { ProjectFromLog } from './engine/project-from-log';
import type { Reader } from './engine/reader';
import { ActivityQueries } from './activity/activity.queries';
import { ApprovalQueries } from './approvals/approval.queries';
import { CardReferenceQueries } from './card-reference/card-reference.queries';
import { DeliveryQueries } from './deliveries/delivery.queries';
import { GateAttemptsQueries } from './reconciliation/gate-attempts.queries';
import { GateMinutesQueries } from './reconciliation/gate-minutes.queries';
import { MentionQueries } from './order-list/mentions.queries';
import { OrderListQueries } from './order-list/order-list.queries';
import { OrderSearchQueries } from './order-list/order-search.queries';
import { OperatorOrderQueries } from './order-status/operator-orders.queries';
import { DisputeQueries } from './order-status/dispute.queries';
import { OrderStatusQueries } from './order-status/order-status.queries';
import { ReconciliationCaseQueries } from './reconciliation/reconciliation-case.queries';
import { OpenCountQueries } from './work/open-counts.queries';

export class Queries {
  readonly approvals: ApprovalQueries;
  readonly orders: OrderStatusQueries;
  readonly cardReferences: CardReferenceQueries;
  readonly search: OrderSearchQueries;
  readonly orderList: OrderListQueries;
  readonly mentions: MentionQueries;
  readonly operatorOrders: OperatorOrderQueries;
  readonly gateAttempts: GateAttemptsQueries;
  readonly gateMinutes: GateMinutesQueries;
  readonly reconciliationCases: ReconciliationCaseQueries;
  readonly openCounts: OpenCountQueries;
  readonly deliveries: DeliveryQueries;
  readonly disputes: DisputeQueries;
  readonly activity: ActivityQueries;

  /** @param projectFromLog rebuilds a corrupt row from the log; without it such a row is an error */
  constructor(reader: Reader, projectFromLog: ProjectFromLog | undefined) {
    this.approvals = new ApprovalQueries(reader, projectFromLog);
    this.orders = new OrderStatusQueries(reader, projectFromLog);
    this.cardReferences = new CardReferenceQueries(reader, projectFromLog);
    this.search = new OrderSearchQueries(reader);
    this.orderList = new OrderListQueries(reader, projectFromLog);
    this.mentions = new MentionQueries(reader);
    this.operatorOrders = new OperatorOrderQueries(reader, projectFromLog);
    this.gateAttempts = new GateAttemptsQueries(reader, projectFromLog);
    this.gateMinutes = new GateMinutesQueries(reader);
    this.reconciliationCases = new ReconciliationCaseQueries(reader, projectFromLog);
    this.openCounts = new OpenCountQueries(reader);
    this.deliveries = new DeliveryQueries(reader, projectFromLog);
    this.disputes = new DisputeQueries(reader, projectFromLog);
    this.activity = new ActivityQueries(reader);
  }
}
