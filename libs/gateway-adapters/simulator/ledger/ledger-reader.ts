import type { AttemptKey, GateAlias, Instant, MerchantLogin, OrderId } from '@app/kernel';
import { openDatabase } from '@app/databases/sqlite';
import type { ViolationKind } from './ledger.jobs';
import type { AskedFollowUp, FollowUpTransaction, CardOperation, Transaction } from './transaction';
import { followUpTransactionOf, type FollowUpRow } from './follow-up.schema';
import { transactionOf, type TransactionRow } from './ledger.schema';

/** Order and merchant are absent if a completion named an unknown attempt. */
interface ReceivedRequest {
  readonly gate: GateAlias;
  readonly key: AttemptKey;
  readonly kind: CardOperation | 'complete' | AskedFollowUp;
  readonly orderId?: OrderId;
  readonly merchant?: MerchantLogin;
  readonly receivedAt: Instant;
  readonly violation?: ViolationKind;
}

/** The acquirer's side of the invariants (safety, section 2.1): tests compare it with the event log. Reads the commits of every process. */
export interface LedgerReader {
  /**
   * Approved charges, authorisations and verifications by order: more than one breaks I1. Includes outcomes that are still unknown to the
   * client.
   */
  approvedChargesByOrder(): ReadonlyMap<OrderId, number>;
  /** Requests that no client may send (I1b): empty in a correct system. */
  violations(): readonly ReceivedRequest[];
  transactions(orderId?: OrderId): readonly Transaction[];
  followUps(orderId?: OrderId): readonly FollowUpTransaction[];
  requests(): readonly ReceivedRequest[];
  close(): void;
}

interface RequestRow {
  readonly gate: string;
  readonly key: string;
  readonly kind: string;
  readonly order_id: string | null;
  readonly merchant: string | null;
  readonly received_at: number;
  readonly violation: string | null;
}

const requestOf = (row: RequestRow): ReceivedRequest => ({
  gate: row.gate as GateAlias,
  key: row.key as AttemptKey,
  kind: row.kind as ReceivedRequest['kind'],
  ...(row.order_id === null ? {} : { orderId: row.order_id as OrderId }),
  ...(row.merchant === null ? {} : { merchant: row.merchant as MerchantLogin }),
  receivedAt: row.received_at as Instant,
  ...(row.violation === null ? {} : { violation: row.violation as ViolationKind }),
});

/**
 * Opens the ledger read-only, while others write or after a writer was killed.
 * @throws Error if there is no ledger
 */
export const readLedger = (path: string): LedgerReader => {
  const db = openDatabase(path, { readOnly: true });
  const rows = <Row>(sql: string, ...parameters: readonly string[]): readonly Row[] => db.prepare(sql).all(...parameters) as readonly Row[];
  return {
    approvedChargesByOrder: () => {
      const counted = rows<{ order_id: string; charges: number }>(
        "SELECT order_id, count(*) AS charges FROM transactions WHERE status = 'approved' GROUP BY order_id",
      );
      return new Map(counted.map(({ order_id, charges }) => [order_id as OrderId, charges]));
    },
    violations: () => rows<RequestRow>('SELECT * FROM requests WHERE violation IS NOT NULL ORDER BY id').map(requestOf),
    transactions: (orderId) =>
      (orderId === undefined
        ? rows<TransactionRow>('SELECT * FROM transactions ORDER BY key, gate')
        : rows<TransactionRow>('SELECT * FROM transactions WHERE order_id = ? ORDER BY key, gate', orderId)
      ).map(transactionOf),
    followUps: (orderId) =>
      (orderId === undefined
        ? rows<FollowUpRow>('SELECT * FROM follow_ups ORDER BY key, gate')
        : rows<FollowUpRow>('SELECT * FROM follow_ups WHERE order_id = ? ORDER BY key, gate', orderId)
      ).map(followUpTransactionOf),
    requests: () => rows<RequestRow>('SELECT * FROM requests ORDER BY id').map(requestOf),
    close: () => db.close(),
  };
};
