import type { Database } from '@app/sqlite';
import { TRANSACTION_COLUMNS, type StandingColumns, type TransactionRow } from './ledger.schema';

/** What a client of a gate must never do, found as the request arrived (safety, I1b and ARCH 12). */
export type ViolationKind =
  /** A second charge under one key: answered from the first, nothing charged. */
  | 'charge-repeated'
  /** A key that another gate knows already. */
  | 'key-at-another-gate'
  /** A second completion: answered from the first, nothing charged. */
  | 'complete-repeated'
  /** A completion of what never waited for a payer, or is unknown. */
  | 'complete-unasked';

export interface ChargeJob {
  readonly kind: 'charge';
  readonly row: TransactionRow;
}

export interface CompleteJob {
  readonly kind: 'complete';
  readonly gate: string;
  readonly key: string;
  readonly receivedAt: number;
  readonly verdict: StandingColumns;
}

export type LedgerJob = ChargeJob | CompleteJob;

/** The transaction as it stands after the job; null where the gate knows none. */
export type LedgerResult = TransactionRow | null;

const INSERT_TRANSACTION = `INSERT INTO transactions (${TRANSACTION_COLUMNS.join(', ')}) VALUES (${TRANSACTION_COLUMNS.map(() => '?').join(', ')})`;

/** Applies one job inside the writer's transaction: the request is on record before anybody is answered, and the key decides what is new. */
export const ledgerJobs = (db: Database): ((job: LedgerJob) => LedgerResult) => {
  const recordRequest = db.prepare(
    'INSERT INTO requests (gate, key, kind, order_id, merchant, received_at, violation) VALUES (?, ?, ?, ?, ?, ?, ?)',
  );
  const insert = db.prepare(INSERT_TRANSACTION);
  const decide = db.prepare(
    'UPDATE transactions SET status = ?, decline_code = ?, payer_authentication = ?, decided_at = ? WHERE key = ? AND gate = ?',
  );
  const byKey = db.prepare('SELECT * FROM transactions WHERE key = ?');
  const allByKey = (key: string): readonly TransactionRow[] => byKey.all(key) as readonly TransactionRow[];

  const charge = ({ row }: ChargeJob): LedgerResult => {
    const known = allByKey(row.key);
    const first = known.find(({ gate }) => gate === row.gate);
    let violation: ViolationKind | null = null;
    if (first !== undefined) violation = 'charge-repeated';
    else if (known.length > 0) violation = 'key-at-another-gate';
    recordRequest.run(row.gate, row.key, 'charge', row.order_id, row.merchant, row.created_at, violation);
    if (first !== undefined) return first;
    insert.run(...TRANSACTION_COLUMNS.map((column) => row[column]));
    return row;
  };

  const complete = ({ gate, key, receivedAt, verdict }: CompleteJob): LedgerResult => {
    const row = allByKey(key).find((candidate) => candidate.gate === gate);
    let violation: ViolationKind | null = null;
    if (row === undefined || row.payer_return_url === null) violation = 'complete-unasked';
    else if (row.status !== 'payer-pending') violation = 'complete-repeated';
    recordRequest.run(gate, key, 'complete', row?.order_id ?? null, row?.merchant ?? null, receivedAt, violation);
    if (row === undefined || violation !== null) return row ?? null;
    decide.run(verdict.status, verdict.decline_code, verdict.payer_authentication, verdict.decided_at, key, gate);
    return { ...row, ...verdict };
  };

  return (job) => (job.kind === 'charge' ? charge(job) : complete(job));
};
