import type { AttemptKey, Currency, GateAlias, Instant, MerchantLogin, OrderId } from '@app/kernel';
import type { Database, Migration } from '@app/databases/sqlite';
import type { RebillMeans } from '../../contract';
import { createFollowUps, stateColumns, stateOf, type StateColumns } from './follow-up.schema';
import type { CardOperation, Transaction } from './transaction';

/** `if not exists`: two processes may open a new file at the same time. */
const create = (db: Database): void =>
  db.exec(`
    CREATE TABLE IF NOT EXISTS requests (
      id INTEGER PRIMARY KEY,
      gate TEXT NOT NULL,
      key TEXT NOT NULL,
      kind TEXT NOT NULL,
      order_id TEXT,
      merchant TEXT,
      received_at INTEGER NOT NULL,
      violation TEXT
    ) STRICT;
    CREATE TABLE IF NOT EXISTS transactions (
      key TEXT NOT NULL,
      gate TEXT NOT NULL,
      order_id TEXT NOT NULL,
      merchant TEXT NOT NULL,
      amount_minor TEXT NOT NULL,
      currency TEXT NOT NULL,
      last_four TEXT NOT NULL,
      status TEXT NOT NULL,
      decline_code INTEGER,
      payer_authentication TEXT,
      payer_return_url TEXT,
      created_at INTEGER NOT NULL,
      decided_at INTEGER,
      settles_at INTEGER,
      PRIMARY KEY (key, gate)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX IF NOT EXISTS requests_in_violation ON requests (id) WHERE violation IS NOT NULL;
    CREATE INDEX IF NOT EXISTS transactions_by_order ON transactions (order_id);
  `);

const addTransfers = (db: Database): void =>
  db.exec(`
    ALTER TABLE transactions ADD COLUMN destination_last_four TEXT;
    ALTER TABLE transactions ADD COLUMN commission_minor TEXT;
    ALTER TABLE transactions ADD COLUMN random_sum_minor TEXT;
  `);

const addRebills = (db: Database): void => db.exec('ALTER TABLE transactions ADD COLUMN charged_by TEXT');

export const LEDGER_MIGRATIONS: readonly Migration[] = [create, createFollowUps, addTransfers, addRebills];

/** Money as text, times in milliseconds. */
export interface TransactionRow extends StateColumns {
  readonly key: string;
  readonly gate: string;
  readonly operation: string;
  readonly order_id: string;
  readonly merchant: string;
  readonly amount_minor: string;
  readonly currency: string;
  readonly last_four: string;
  readonly charged_by: string | null;
  readonly destination_last_four: string | null;
  readonly commission_minor: string | null;
  readonly random_sum_minor: string | null;
  readonly payer_return_url: string | null;
  readonly created_at: number;
}

export const TRANSACTION_COLUMNS = [
  'key',
  'gate',
  'operation',
  'order_id',
  'merchant',
  'amount_minor',
  'currency',
  'last_four',
  'charged_by',
  'destination_last_four',
  'commission_minor',
  'random_sum_minor',
  'status',
  'decline_code',
  'payer_authentication',
  'payer_return_url',
  'created_at',
  'decided_at',
  'settles_at',
] as const satisfies readonly (keyof TransactionRow)[];

export const rowOf = (transaction: Transaction): TransactionRow => ({
  key: transaction.key,
  gate: transaction.gate,
  operation: transaction.operation,
  order_id: transaction.orderId,
  merchant: transaction.merchant,
  amount_minor: transaction.amount.minor.toString(),
  currency: transaction.amount.currency,
  last_four: transaction.lastFour,
  charged_by: transaction.chargedBy ?? null,
  destination_last_four: transaction.destinationLastFour ?? null,
  commission_minor: transaction.commissionMinor?.toString() ?? null,
  random_sum_minor: transaction.randomSumMinor?.toString() ?? null,
  payer_return_url: transaction.payerReturnUrl ?? null,
  created_at: transaction.createdAt,
  ...stateColumns(transaction.state),
});

export const transactionOf = (row: TransactionRow): Transaction => ({
  gate: row.gate as GateAlias,
  key: row.key as AttemptKey,
  operation: row.operation as CardOperation,
  orderId: row.order_id as OrderId,
  merchant: row.merchant as MerchantLogin,
  amount: { minor: BigInt(row.amount_minor), currency: row.currency as Currency },
  lastFour: row.last_four,
  ...(row.charged_by === null ? {} : { chargedBy: row.charged_by as RebillMeans }),
  ...(row.destination_last_four === null ? {} : { destinationLastFour: row.destination_last_four }),
  ...(row.commission_minor === null ? {} : { commissionMinor: BigInt(row.commission_minor) }),
  ...(row.random_sum_minor === null ? {} : { randomSumMinor: BigInt(row.random_sum_minor) }),
  createdAt: row.created_at as Instant,
  ...(row.payer_return_url === null ? {} : { payerReturnUrl: row.payer_return_url }),
  state: stateOf(row),
});
