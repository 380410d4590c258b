import { resultCode, unreachable } from '@app/kernel';
import type { Database } from '@app/databases/sqlite';
import { balanceVerdict, type FollowUpClaim, type FollowUpViolation, type Moved } from './follow-up-balance';
import { FOLLOW_UP_COLUMNS, type FollowUpRow, type StateColumns } from './follow-up.schema';
import { TRANSACTION_COLUMNS, type TransactionRow } from './ledger.schema';
import type { CardOperation } from './transaction';

/** A request that no client of a gate may send (safety, I1b; architecture, rule 12). */
export type ViolationKind =
  /** A second charge under one key: the first answer is returned, nothing is charged. */
  | 'charge-repeated'
  | 'key-at-another-gate'
  /** A second completion: the first answer is returned, nothing is charged. */
  | 'complete-repeated'
  /** A completion of an unknown transaction or of one without a pending payer. */
  | 'complete-unasked'
  /** A second follow-up under one key: the first answer is returned, nothing is moved. */
  | 'follow-up-repeated'
  | FollowUpViolation;

type Statement = ReturnType<Database['prepare']>;

interface ChargeJob {
  readonly kind: 'charge';
  readonly row: TransactionRow;
}

interface CompleteJob {
  readonly kind: 'complete';
  readonly gate: string;
  readonly key: string;
  readonly receivedAt: number;
  readonly verdict: StateColumns;
}

interface FollowUpJob {
  readonly kind: 'follow-up';
  readonly claim: FollowUpClaim;
  readonly row: Omit<FollowUpRow, 'operation'>;
}

export type LedgerJob = ChargeJob | CompleteJob | FollowUpJob;

export type LedgerResult = TransactionRow | FollowUpRow | null;

const insertInto = (table: string, columns: readonly string[]): string =>
  `INSERT INTO ${table} (${columns.join(', ')}) VALUES (${columns.map(() => '?').join(', ')})`;

const CLEARED_CODE = resultCode('do-not-honour');

/** Applies jobs in the writer's transaction: a request is recorded before its answer, and its key decides if it is new. */
class LedgerWriter {
  readonly #recordRequest: Statement;
  readonly #insert: Statement;
  readonly #insertFollowUp: Statement;
  readonly #followUpByKey: Statement;
  readonly #approvedOf: Statement;
  readonly #decide: Statement;
  readonly #byKey: Statement;

  constructor(db: Database) {
    this.#recordRequest = db.prepare(
      'INSERT INTO requests (gate, key, kind, order_id, merchant, received_at, violation) VALUES (?, ?, ?, ?, ?, ?, ?)',
    );
    this.#insert = db.prepare(insertInto('transactions', TRANSACTION_COLUMNS));
    this.#insertFollowUp = db.prepare(insertInto('follow_ups', FOLLOW_UP_COLUMNS));
    this.#followUpByKey = db.prepare('SELECT * FROM follow_ups WHERE key = ?');
    this.#approvedOf = db.prepare("SELECT * FROM follow_ups WHERE original = ? AND gate = ? AND status = 'approved'");
    this.#decide = db.prepare(
      'UPDATE transactions SET status = ?, decline_code = ?, payer_authentication = ?, decided_at = ? WHERE key = ? AND gate = ?',
    );
    this.#byKey = db.prepare('SELECT * FROM transactions WHERE key = ?');
  }

  charge({ row }: ChargeJob): LedgerResult {
    const known = this.#allByKey(row.key);
    const first = known.find(({ gate }) => gate === row.gate);
    let violation: ViolationKind | null = null;
    if (first !== undefined) violation = 'charge-repeated';
    else if (known.length > 0) violation = 'key-at-another-gate';
    this.#recordRequest.run(row.gate, row.key, row.operation, row.order_id, row.merchant, row.created_at, violation);
    if (first !== undefined) return first;
    this.#insert.run(...TRANSACTION_COLUMNS.map((column) => row[column]));
    return row;
  }

  complete({ gate, key, receivedAt, verdict }: CompleteJob): LedgerResult {
    const row = this.#allByKey(key).find((candidate) => candidate.gate === gate);
    let violation: ViolationKind | null = null;
    if (row === undefined || row.payer_return_url === null) violation = 'complete-unasked';
    else if (row.status !== 'payer-pending') violation = 'complete-repeated';
    this.#recordRequest.run(gate, key, 'complete', row?.order_id ?? null, row?.merchant ?? null, receivedAt, violation);
    if (row === undefined || violation !== null) return row ?? null;
    this.#decide.run(verdict.status, verdict.decline_code, verdict.payer_authentication, verdict.decided_at, key, gate);
    return { ...row, ...verdict };
  }

  followUp({ claim, row }: FollowUpJob): LedgerResult {
    const { key, gate, original, order_id, merchant, created_at } = row;
    const receive = (violation: ViolationKind | null): void => {
      this.#recordRequest.run(gate, key, claim.asked, order_id, merchant, created_at, violation);
    };
    const known = this.#followUpByKey.all(key) as readonly FollowUpRow[];
    const first = known.find((candidate) => candidate.gate === gate);
    if (first !== undefined) {
      receive('follow-up-repeated');
      return first;
    }
    const isUsed = known.length > 0 || this.#allByKey(key).length > 0;
    const followed = this.#allByKey(original).find((candidate) => candidate.gate === gate);
    if (isUsed || followed?.status !== 'approved' || followed.decided_at === null || followed.order_id !== order_id) {
      receive(isUsed ? 'key-at-another-gate' : 'original-unknown');
      return null;
    }
    const { operation, amount_minor, currency, decided_at } = followed;
    const facts = { operation: operation as CardOperation, amountMinor: BigInt(amount_minor), currency, approvedAtMs: decided_at };
    const balance = balanceVerdict(claim, facts, this.#movedBy(original, gate));
    receive(balance.kind === 'violation' ? balance.violation : null);
    if (balance.kind === 'violation') return null;
    const recorded: FollowUpRow =
      balance.kind === 'allowed'
        ? { ...row, operation: balance.operation }
        : { ...row, operation: 'void', status: 'declined', decline_code: CLEARED_CODE, settles_at: null };
    this.#insertFollowUp.run(...FOLLOW_UP_COLUMNS.map((column) => recorded[column]));
    return recorded;
  }

  #allByKey(key: string): readonly TransactionRow[] {
    return this.#byKey.all(key) as readonly TransactionRow[];
  }

  #movedBy(original: string, gate: string): readonly Moved[] {
    return (this.#approvedOf.all(original, gate) as readonly FollowUpRow[]).map(({ operation, amount_minor }) => ({
      operation: operation as Moved['operation'],
      amountMinor: BigInt(amount_minor),
    }));
  }
}

export const ledgerJobs = (db: Database): ((job: LedgerJob) => LedgerResult) => {
  const writer = new LedgerWriter(db);
  return (job) => {
    switch (job.kind) {
      case 'charge':
        return writer.charge(job);
      case 'complete':
        return writer.complete(job);
      case 'follow-up':
        return writer.followUp(job);
      default:
        return unreachable(job);
    }
  };
};
