import { FOLLOW_UPS_MAX } from '@app/orders/domain';
import type { MoneyMove } from '../approval-actor';
import type { BookEntry } from '../gate-ledger';
import { isFinal, type OrderRecord } from '../merchant-records';
import type { Report } from './report';

export const entriesOf = (record: OrderRecord, book: readonly BookEntry[]): readonly BookEntry[] =>
  book.filter(({ orderId }) => orderId === record.order?.orderId);

interface Known {
  readonly book: readonly BookEntry[];
  readonly untrue: ReadonlySet<string>;
  readonly moves: readonly MoneyMove[];
}

/** Every follow-up becomes final with its gate's result. The gate's ledger checks the remaining amount. */
export const checkFollowUps = (record: OrderRecord, { book, untrue, moves }: Known, report: Report): void => {
  const entries = entriesOf(record, book);
  const byOperators = moves.filter(({ orderId }) => orderId === record.order?.orderId);
  for (const [kind, done] of [['return', 'refund'], ['capture', 'capture'], ['void', 'void']] as const) {
    const asked = [...record.followUps, ...byOperators].filter((followUp) => followUp.kind === kind).length;
    const times = entries.filter((entry) => entry.kind === done && entry.outcome.kind === 'approved').length;
    if (times > asked) report('a follow-up is done once, however often it was sent', record.clientOrderId, `${times} of kind ${kind}, ${asked} asked`);
  } // prettier-ignore
  // What an operator moved is not left for the shop. A persistent shop has more declined returns of a cent than the limit for follow-ups that moved money.
  const last = record.followUps.length > FOLLOW_UPS_MAX ? record.followUps.at(-1)?.requests.at(-1)?.fields : undefined;
  if (
    byOperators.length === 0 &&
    last !== undefined &&
    last !== 'lost' &&
    last['type'] !== 'async-response' &&
    !untrue.has(record.order?.orderId ?? '')
  )
    report('a return of what was taken is accepted', record.clientOrderId, last);
  for (const { kind, requests, statuses, serial } of record.followUps) {
    const answer = requests.at(-1)?.fields;
    if (answer === undefined || answer === 'lost' || answer['type'] !== 'async-response') continue;
    const status = statuses.at(-1);
    if (status === undefined || !isFinal(status)) report('an accepted follow-up becomes final', `${record.clientOrderId} ${kind} ${serial ?? ''}`, status ?? 'never asked');
  } // prettier-ignore
};
