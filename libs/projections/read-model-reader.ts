import type { Position } from '@app/event-store';
import { CardReferenceQueries } from './read-models/card-reference/card-reference.queries';
import type { ReadModelAddress } from './engine/database/database';
import { openReads } from './engine/database/open-database';
import { foldingFromLog, type LogTruth } from './engine/corruption/fold-from-log';
import { GateAttemptsQueries } from './read-models/gate-attempts/gate-attempts.queries';
import { ReconciliationCaseQueries } from './read-models/reconciliation-cases/reconciliation-case.queries';
import { MentionQueries } from './read-models/mentions/mentions.queries';
import { OrderListQueries } from './read-models/order-list/order-list.queries';
import { OrderSearchQueries } from './read-models/order-search/order-search.queries';
import { OperatorOrderQueries } from './read-models/order-status/operator-orders.queries';
import { OrderStatusQueries } from './read-models/order-status/order-status.queries';
import { READ_MODELS } from './projection-list';
import { Reader } from './engine/reader';
import { isReplayable } from './engine/replay/replay-generations';
import { projectionStates } from './engine/projection-registry';

/** Queries of the read models for processes that do not project (architecture, "Stores"). */
export interface ReadModelReader {
  readonly orders: OrderStatusQueries;
  readonly cardReferences: CardReferenceQueries;
  readonly search: OrderSearchQueries;
  readonly orderList: OrderListQueries;
  readonly mentions: MentionQueries;
  readonly operatorOrders: OperatorOrderQueries;
  readonly gateAttempts: GateAttemptsQueries;
  readonly reconciliationCases: ReconciliationCaseQueries;
  /** The rows include all events up to here; undefined while the projection has never been built. */
  checkpoint(projection: string): Promise<Position | undefined>;
  /** Whether the read models can be replayed beside the service that serves them: false for those that an older release made. */
  isReplayable(): Promise<boolean>;
  close(): Promise<void>;
}

/** Opens the read models without writing; a corrupt row is answered from its stream but not repaired. @throws Error where there is no usable read model */
export const openReadModelReader = async (place: ReadModelAddress, truth?: LogTruth): Promise<ReadModelReader> => {
  const database = await openReads(place);
  const { reads: db, close } = database;
  const reader = new Reader(database, new Map(READ_MODELS.map(({ name, shape }) => [name, shape])));
  const foldFromLog = truth && foldingFromLog(truth);
  return {
    orders: new OrderStatusQueries(reader, foldFromLog),
    cardReferences: new CardReferenceQueries(reader, foldFromLog),
    search: new OrderSearchQueries(reader),
    orderList: new OrderListQueries(reader, foldFromLog),
    mentions: new MentionQueries(reader),
    operatorOrders: new OperatorOrderQueries(reader, foldFromLog),
    gateAttempts: new GateAttemptsQueries(reader, foldFromLog),
    reconciliationCases: new ReconciliationCaseQueries(reader, foldFromLog),
    checkpoint: async (projection) => (await projectionStates(db)).get(projection)?.position,
    isReplayable: () => isReplayable(db),
    close,
  };
};
