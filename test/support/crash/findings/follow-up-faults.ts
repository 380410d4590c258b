import type { AnyEvent } from '@app/event-store';
import type { FollowUpTransaction, Transaction } from '@app/gateway-adapters/simulator';
import { isEventOf, type FollowUpEvent } from '@app/orders/domain';

type Ended = Extract<FollowUpEvent, { readonly type: 'FollowUpApproved' | 'FollowUpDeclined' | 'FollowUpFailed' }>;

const isEnd = (event: FollowUpEvent): event is Ended =>
  event.type === 'FollowUpApproved' || event.type === 'FollowUpDeclined' || event.type === 'FollowUpFailed';

const faultsOfOne = (own: readonly FollowUpEvent[], taken: readonly FollowUpTransaction[]): string[] => {
  const [accepted] = own;
  if (accepted?.type !== 'FollowUpAccepted') return ['does not begin with its acceptance'];
  // A claim delayed by the log is renewed under the same key.
  const keys = [...new Set(own.flatMap((event) => (event.type === 'FollowUpStarted' ? [event.data.attemptKey] : [])))];
  const ends = own.filter(isEnd);
  const faults: string[] = [];
  if (keys.length !== 1) faults.push(`was started ${keys.length} times`);
  if (ends.length !== 1) faults.push(`has ${ends.length} ends`);
  const { operation, amount } = accepted.data;
  const moved = taken.filter(({ key, state }) => keys.includes(key) && state.status === 'approved');
  const isApproved = ends[0]?.type === 'FollowUpApproved';
  if (isApproved !== (moved.length === 1)) faults.push(`ends ${ends[0]?.type}, and the ledger has moved it ${moved.length} times`);
  for (const one of moved) {
    const isSame = one.operation === operation && one.amount.minor === amount.minor && one.amount.currency === amount.currency;
    if (!isSame) faults.push(`is a ${operation} of ${amount.minor}, and the ledger has a ${one.operation} of ${one.amount.minor}`);
  }
  return faults;
};

/** Checks with the acquirer's ledger only that no more was moved than was available (safety, I12). */
export const overdraftFaults = (transactions: readonly Transaction[], taken: readonly FollowUpTransaction[]): string[] => {
  const moved = taken.filter(({ state }) => state.status === 'approved');
  return transactions.flatMap(({ key, operation, amount, state }) => {
    const own = moved.filter(({ original }) => original === key);
    const sumOf = (...operations: readonly FollowUpTransaction['operation'][]): bigint =>
      own.reduce((sum, one) => (operations.includes(one.operation) ? sum + one.amount.minor : sum), 0n);
    const held = state.status === 'approved' ? amount.minor : 0n;
    const isHeldOnly = operation === 'authorise';
    const takenMinor = isHeldOnly ? sumOf('capture') : held;
    const faults: string[] = [];
    if (isHeldOnly && sumOf('capture', 'cancel') > held)
      faults.push(`of ${held} authorised, ${sumOf('capture', 'cancel')} was captured or cancelled`);
    if (sumOf('reversal', 'void') > takenMinor) faults.push(`of ${takenMinor} taken, ${sumOf('reversal', 'void')} was given back`);
    return faults;
  });
};

/** Compares the follow-ups of one order at rest with the acquirer's ledger (safety, I1b, I4 and I12). */
export const followUpFaults = (events: readonly AnyEvent[], taken: readonly FollowUpTransaction[]): string[] => {
  const byNumber = new Map<number, FollowUpEvent[]>();
  for (const event of events) {
    if (isEventOf(event, 'follow-up')) byNumber.set(event.data.number, [...(byNumber.get(event.data.number) ?? []), event]);
  }
  const faults = [...byNumber].flatMap(([number, own]) => faultsOfOne(own, taken).map((fault) => `follow-up ${number} ${fault}`));
  const started = new Set<string>();
  for (const event of [...byNumber.values()].flat()) if (event.type === 'FollowUpStarted') started.add(event.data.attemptKey);
  const unannounced = taken.filter(({ key }) => !started.has(key));
  if (unannounced.length > 0) faults.push('the gate was asked for a follow-up without a FollowUpStarted');
  if ([...byNumber.values()].flat().some(({ type }) => type === 'LateFollowUpConflict')) faults.push('holds a LateFollowUpConflict');
  return faults;
};
