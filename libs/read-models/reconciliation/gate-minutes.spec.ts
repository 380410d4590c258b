import { addMs, type AttemptKey, type GateAlias, type Instant, type Sealed } from '@app/kernel';
import type { LogEvent } from '../engine/log-event';
import type { OrderEvent } from '../order-status/order-status.fold';
import { amountOf, paymentAccepted, receiptOf, START } from '../testing/sample-orders';
import { foldGateAttempts } from './gate-attempts.fold';
import type { GateAttemptsView } from './gate-attempts.view';
import { MINUTE_MS, minuteCounts } from './gate-minutes';

const KEY = 'attempt-1' as AttemptKey;
const GATE = 'sim-a' as GateAlias;
const at = (ms: number): Instant => addMs(START, ms);

/** What the last of the events counts for its merchant; a second key of each count is of all merchants. */
const counts = (...events: readonly OrderEvent[]): readonly string[] => {
  let view: GateAttemptsView | undefined;
  let last: ReturnType<typeof minuteCounts> = [];
  for (const event of [paymentAccepted(1, [GATE]), ...events]) {
    last = minuteCounts(view, event);
    view = foldGateAttempts(view, { event } as LogEvent<OrderEvent>);
  }
  const text = (merchant: string) => last.filter(({ key }) => key[0] === merchant).map(({ key, counters }) => [...key.slice(1), ...counters].join(' ')); // prettier-ignore
  expect(text('')).toStrictEqual(text('acme'));
  return text('acme').map((one) => one.replace(/^\d+ /, (minute) => `${(Number(minute) - START) / MINUTE_MS} `));
};

const started = (ms = 0): OrderEvent => ({ type: 'AttemptStarted', data: { attemptKey: KEY, number: 1, gate: GATE, amount: amountOf(5n), startedAt: at(ms) } }); // prettier-ignore
const approved = (ms: number): OrderEvent => ({ type: 'AttemptApproved', data: { attemptKey: KEY, receipt: receiptOf(KEY), approvalCode: '1', answeredAt: at(ms) } }); // prettier-ignore
const declined = (ms: number, by: 'gate' | 'payer-absent' = 'gate'): OrderEvent => ({ type: 'AttemptDeclined', data: { attemptKey: KEY, code: 107, by, answeredAt: at(ms) } }); // prettier-ignore
const unknown = (ms: number): OrderEvent => ({ type: 'AttemptUnknown', data: { attemptKey: KEY, cause: 'timeout', answeredAt: at(ms) } });
const taken = (ms: number): OrderEvent => ({ type: 'AttemptTaken', data: { attemptKey: KEY, takenAt: at(ms) } });
const notAsked = (ms: number): OrderEvent => ({ type: 'AttemptNotAsked', data: { attemptKey: KEY, cause: 'unavailable', answeredAt: at(ms) } }); // prettier-ignore
const challenged = (ms: number): OrderEvent => ({ type: 'PayerChallenged', data: { attemptKey: KEY, transactionId: '1', page: 'sealed' as Sealed, payerDueAt: at(ms), answeredAt: at(ms) } }); // prettier-ignore
const returned = (ms: number): OrderEvent => ({ type: 'PayerReturned', data: { attemptKey: KEY, returnedAt: at(ms) } });
const settled: OrderEvent = {
  type: 'AttemptSettled',
  data: { attemptKey: KEY, as: 'declined', reason: 'sealed' as Sealed, settledAt: at(9) },
};
const orderDeclined = (ms: number): OrderEvent => ({ type: 'OrderDeclined', data: { code: 107, callbacks: [], declinedAt: at(ms) } });
const cancel: OrderEvent = { type: 'FollowUpAccepted', data: { number: 1, operation: 'cancel', amount: amountOf(5n), original: KEY, gate: GATE, longestFlightMs: 1, callbacks: [], acceptedAt: at(9) } }; // prettier-ignore
const cancelSent: OrderEvent = { type: 'FollowUpStarted', data: { number: 1, attemptKey: 'f-1' as AttemptKey, startedAt: at(100) } };
const cancelFailed: OrderEvent = { type: 'FollowUpFailed', data: { number: 1, code: 122, callbacks: [], failedAt: at(200) } };
const cancelDeclined: OrderEvent = { type: 'FollowUpDeclined', data: { number: 1, code: 3, callbacks: [], declinedAt: at(600) } };

describe('minuteCounts', () => {
  it.each<[string, readonly OrderEvent[], readonly string[]]>([
    ['an accepted order', [], []],
    ['a call without an answer', [started()], []],
    ['an approval, in the minute of the answer', [started(59_900), approved(60_000)], ['1 sim-a approved 0 calls within_100']],
    ['a decline, with its code', [started(), declined(251)], ['0 sim-a declined 107 calls within_500']],
    ['the decline of an absent payer, which no gate answered', [started(), challenged(10), declined(20, 'payer-absent')], []],
    ['a call that was never sent, without latency', [started(), notAsked(30)], ['0 sim-a failed 0 calls']],
    ['an unknown outcome, with the time until then', [started(), unknown(60_001)], ['1 sim-a unknown 0 calls longer']],
    ['an outcome found later, without latency', [started(), unknown(10), approved(70_000)], ['1 sim-a approved 0 calls']],
    ['an operator’s decision, which no gate answered', [started(), unknown(10), settled], []],
    ['a call without an outcome yet', [started(), taken(50)], ['0 sim-a pending 0 calls within_50']],
    ['a repeated acceptance of the gate', [started(), taken(50), taken(60)], []],
    ['a challenge of the payer', [started(), challenged(50)], ['0 sim-a pending 0 calls within_50']],
    [
      'the call after the payer’s return, from its own start',
      [started(), challenged(10), returned(90_000), approved(90_040)],
      ['1 sim-a approved 0 calls within_50'],
    ],
    ['a renewed claim, from its latest start', [started(), started(5_000), approved(5_010)], ['0 sim-a approved 0 calls within_50']],
    ['a declined follow-up', [started(), approved(1), cancel, cancelSent, cancelDeclined], ['0 sim-a declined 3 calls within_500']],
    ['a failed follow-up that was never sent', [started(), approved(1), cancel, cancelFailed], ['0 sim-a failed 0 calls']],
    ['the end of an order, without a gate', [started(), declined(1), orderDeclined(60_000)], ['1  declined 0 calls']],
  ])('counts %s', (_, events, expected) => {
    expect(counts(...events)).toStrictEqual(expected);
  });
});
