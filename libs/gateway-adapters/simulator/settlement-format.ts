import { parseAmount, type Currency, type Instant, formatAmount, type AttemptKey, type GateAlias, type OrderId } from '@app/kernel';
import type { SettledOperation, SettlementDraft, SettlementFormat, SettlementLine } from '../contract';
import { acquirerReferences } from './answers';
import type { FollowUpTransaction, Transaction, TransactionState } from './ledger/transaction';
import type { LedgerReader } from './ledger/ledger-reader';

const SETTLEMENT_COLUMNS = [
  'key',
  'original',
  'operation',
  'status',
  'amount',
  'currency',
  'commission',
  'processed_at',
  'order_id',
  'rrn',
] as const;

const REFERENCE_COLUMNS = [
  'key',
  'original',
  'amount',
  'commission',
  'order_id',
  'rrn',
] as const satisfies readonly (typeof SETTLEMENT_COLUMNS)[number][];

const OPERATION_WORDS: Readonly<Record<string, SettledOperation>> = {
  charge: 'sale',
  authorise: 'preauth',
  verify: 'account-verification',
  transfer: 'transfer',
  capture: 'capture',
  reversal: 'return',
  cancel: 'return',
  void: 'void',
};
const STATUSES: Readonly<Record<string, SettlementLine['status']>> = {
  approved: 'approved',
  declined: 'declined',
  'payer-pending': 'open',
};
const KEY = /^[A-Za-z0-9-]{1,64}$/;
const CURRENCY = /^[A-Z]{3}$/;
const INSTANT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/;
const REFERENCE = /^[\x21-\x7e]{0,64}$/;

/** The ledger as an acquirer would settle it; `orch settlement-file --simulator` writes it. */
export const settlementFormat: SettlementFormat = {
  columns: SETTLEMENT_COLUMNS,
  references: REFERENCE_COLUMNS,
  read: ([
    key = '',
    original = '',
    operation = '',
    status = '',
    amount = '',
    currency = '',
    commission = '',
    processed = '',
    order = '',
    rrn = '',
  ]) => {
    const settled = OPERATION_WORDS[operation];
    const state = STATUSES[status];
    const minor = parseAmount(amount);
    const commissionMinor = commission === '' ? undefined : parseAmount(commission);
    const processedAt = INSTANT.test(processed) ? Date.parse(processed) : NaN;
    if (!KEY.test(original)) return { column: 'original', must: 'must be a key of letters, digits and hyphens' };
    if (!KEY.test(key)) return { column: 'key', must: 'must be a key of letters, digits and hyphens', original };
    if (settled === undefined) return { column: 'operation', must: `must be one of ${Object.keys(OPERATION_WORDS).join(', ')}`, original };
    if (state === undefined) return { column: 'status', must: `must be one of ${Object.keys(STATUSES).join(', ')}`, original };
    if (minor === undefined) return { column: 'amount', must: 'must be in major units, such as 10.00', original };
    if (!CURRENCY.test(currency)) return { column: 'currency', must: 'must be three upper-case letters', original };
    if (commission !== '' && commissionMinor === undefined)
      return { column: 'commission', must: 'must be in major units, or empty', original };
    if (Number.isNaN(processedAt)) return { column: 'processed_at', must: 'must be a time such as 2026-11-24T08:30:00.000Z', original };
    if (!REFERENCE.test(order)) return { column: 'order_id', must: 'must have at most 64 visible characters', original };
    if (!REFERENCE.test(rrn)) return { column: 'rrn', must: 'must have at most 64 visible characters', original };
    const line: SettlementDraft = {
      original,
      reference: key,
      operation: settled,
      status: state,
      amount: { minor, currency: currency as Currency },
      processedAt: processedAt as Instant,
    };
    if (key !== original) line.key = key;
    if (commissionMinor !== undefined) line.commissionMinor = commissionMinor;
    if (rrn !== '') line.rrn = rrn;
    return line;
  },
};

const rrnOf = (gate: GateAlias, key: AttemptKey, orderId: OrderId): string => acquirerReferences(gate, key, orderId).rrn;
const decidedAt = (state: TransactionState): number | undefined => ('decidedAt' in state ? state.decidedAt : undefined);

const attemptRow = ({ gate, key, operation, orderId, amount, commissionMinor, createdAt, state }: Transaction): readonly string[] => [
  key,
  key,
  operation,
  state.status,
  formatAmount(amount.minor),
  amount.currency,
  commissionMinor === undefined || state.status !== 'approved' ? '' : formatAmount(commissionMinor),
  new Date(decidedAt(state) ?? createdAt).toISOString(),
  orderId,
  rrnOf(gate, key, orderId),
];

const followUpRow = ({ gate, key, original, operation, orderId, amount, state }: FollowUpTransaction): readonly string[] => [
  key,
  original,
  operation,
  state.status,
  formatAmount(amount.minor),
  amount.currency,
  '',
  new Date(state.decidedAt).toISOString(),
  orderId,
  rrnOf(gate, key, orderId),
];

export function* settlementRows(ledger: Pick<LedgerReader, 'transactions' | 'followUps'>, gate: GateAlias): Generator<readonly string[]> {
  yield SETTLEMENT_COLUMNS;
  for (const transaction of ledger.transactions()) {
    if (transaction.gate === gate && transaction.state.status !== 'refused') yield attemptRow(transaction);
  }
  for (const followUp of ledger.followUps()) if (followUp.gate === gate) yield followUpRow(followUp);
}
