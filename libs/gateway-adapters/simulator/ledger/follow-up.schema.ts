import type { Instant, AttemptKey, Currency, GateAlias, MerchantLogin, OrderId } from '@app/kernel';
import type { Database } from '@app/databases/sqlite';
import type { PayerAuthentication } from '../../contract';
import type { TransactionState, FollowUpTransaction } from './transaction';

/** Times in milliseconds. */
export interface StateColumns {
  readonly status: string;
  readonly decline_code: number | null;
  readonly payer_authentication: string | null;
  readonly decided_at: number | null;
  readonly settles_at: number | null;
}

export const stateColumns = (state: TransactionState): StateColumns => {
  if (state.status === 'refused' || state.status === 'payer-pending') {
    return { status: state.status, decline_code: null, payer_authentication: null, decided_at: null, settles_at: null };
  }
  return {
    status: state.status,
    decline_code: state.status === 'declined' ? state.code : null,
    payer_authentication: state.payerAuthentication ?? null,
    decided_at: state.decidedAt,
    settles_at: state.knownFrom ?? null,
  };
};

export const stateOf = (row: StateColumns & { readonly key: string }): TransactionState => {
  const { key, status, decline_code, payer_authentication, decided_at, settles_at } = row;
  if (status === 'refused' || status === 'payer-pending') return { status };
  if (decided_at === null) throw new Error(`attempt ${key} is ${status} in the ledger, with no time`);
  const decided = {
    decidedAt: decided_at as Instant,
    ...(payer_authentication === null ? {} : { payerAuthentication: payer_authentication as PayerAuthentication }),
    ...(settles_at === null ? {} : { knownFrom: settles_at as Instant }),
  };
  if (status === 'approved') return { status, ...decided };
  if (status === 'declined' && decline_code !== null) return { status, code: decline_code, ...decided };
  throw new Error(`attempt ${key} is ${status} in the ledger, which no transaction can have`);
};

export const createFollowUps = (db: Database): void =>
  db.exec(`
    ALTER TABLE transactions ADD COLUMN operation TEXT NOT NULL DEFAULT 'charge';
    CREATE TABLE follow_ups (
      key TEXT NOT NULL,
      gate TEXT NOT NULL,
      original TEXT NOT NULL,
      operation TEXT NOT NULL,
      order_id TEXT NOT NULL,
      merchant TEXT NOT NULL,
      amount_minor TEXT NOT NULL,
      currency TEXT NOT NULL,
      status TEXT NOT NULL,
      decline_code INTEGER,
      payer_authentication TEXT,
      created_at INTEGER NOT NULL,
      decided_at INTEGER,
      settles_at INTEGER,
      PRIMARY KEY (key, gate)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX follow_ups_by_original ON follow_ups (original, gate);
    CREATE INDEX follow_ups_by_order ON follow_ups (order_id);
  `);

/** Money as text, times in milliseconds. */
export interface FollowUpRow extends StateColumns {
  readonly key: string;
  readonly gate: string;
  readonly original: string;
  readonly operation: string;
  readonly order_id: string;
  readonly merchant: string;
  readonly amount_minor: string;
  readonly currency: string;
  readonly created_at: number;
}

export const FOLLOW_UP_COLUMNS = [
  'key',
  'gate',
  'original',
  'operation',
  'order_id',
  'merchant',
  'amount_minor',
  'currency',
  'status',
  'decline_code',
  'payer_authentication',
  'created_at',
  'decided_at',
  'settles_at',
] as const satisfies readonly (keyof FollowUpRow)[];

export const followUpRowOf = (followUp: FollowUpTransaction): FollowUpRow => ({
  key: followUp.key,
  gate: followUp.gate,
  original: followUp.original,
  operation: followUp.operation,
  order_id: followUp.orderId,
  merchant: followUp.merchant,
  amount_minor: followUp.amount.minor.toString(),
  currency: followUp.amount.currency,
  created_at: followUp.createdAt,
  ...stateColumns(followUp.state),
});

export const followUpTransactionOf = (row: FollowUpRow): FollowUpTransaction => {
  const state = stateOf(row);
  if (state.status === 'refused' || state.status === 'payer-pending') throw new Error(`follow-up ${row.key} is undecided in the ledger`);
  return {
    gate: row.gate as GateAlias,
    key: row.key as AttemptKey,
    original: row.original as AttemptKey,
    operation: row.operation as FollowUpTransaction['operation'],
    orderId: row.order_id as OrderId,
    merchant: row.merchant as MerchantLogin,
    amount: { minor: BigInt(row.amount_minor), currency: row.currency as Currency },
    createdAt: row.created_at as Instant,
    state,
  };
};
