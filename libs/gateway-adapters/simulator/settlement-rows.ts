import { formatAmount, type AttemptKey, type GateAlias, type OrderId } from '@app/kernel';
import { acquirerReferences } from './acquirer-references';
import type { FollowUpTransaction } from './ledger/follow-up-transaction';
import type { LedgerReader } from './ledger/ledger-reader';
import type { Transaction, TransactionState } from './ledger/transaction';
import { SETTLEMENT_COLUMNS } from './settlement-format';

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

/** What one gate of the ledger settles, the header first; a request that it refused for good is none. */
export function* settlementRows(ledger: Pick<LedgerReader, 'transactions' | 'followUps'>, gate: GateAlias): Generator<readonly string[]> {
  yield SETTLEMENT_COLUMNS;
  for (const transaction of ledger.transactions()) {
    if (transaction.gate === gate && transaction.state.status !== 'refused') yield attemptRow(transaction);
  }
  for (const followUp of ledger.followUps()) if (followUp.gate === gate) yield followUpRow(followUp);
}
