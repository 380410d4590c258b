import type { EventMetadata } from '@app/event-store';
import { addMs, type AttemptKey, type GateAlias, type Instant, type Sealed } from '@app/kernel';
import { CannotApply } from '../engine/faults';
import type { LogEvent } from '../engine/log-event';
import { amountOf, paymentAccepted, receiptOf, START } from '../testing/sample-orders';
import type { OrderEvent } from '../order-status/order-status.fold';
import { foldGateAttempts } from './gate-attempts.fold';
import type { GateAttemptsView } from './gate-attempts.view';

const [FIRST, SECOND, FOLLOWING] = ['attempt-1', 'attempt-2', 'follow-up-1'] as AttemptKey[] as [AttemptKey, AttemptKey, AttemptKey];
const at = (seconds: number): Instant => addMs(START, seconds * 1_000);
const news = (event: OrderEvent) => ({ event, metadata: {} as EventMetadata }) as LogEvent<OrderEvent>;
const fold = (...events: readonly OrderEvent[]) =>
  [paymentAccepted(1, ['sim-a', 'sim-b']), ...events].reduce<GateAttemptsView | undefined>(
    (view, event) => foldGateAttempts(view, news(event)),
    undefined,
  );

const started = (attemptKey = FIRST, gate = 'sim-a', seconds = 1): OrderEvent => ({
  type: 'AttemptStarted',
  data: { attemptKey, number: attemptKey === FIRST ? 1 : 2, gate: gate as GateAlias, amount: amountOf(1_043n), startedAt: at(seconds) },
});
const receipt = { ...receiptOf(FIRST), gateOrderId: 'G-1', commission: amountOf(10n) };
const approved = (attemptKey = FIRST): OrderEvent => ({
  type: 'AttemptApproved',
  data: { attemptKey, receipt, approvalCode: 'A1', answeredAt: at(2) },
});
const declined = (attemptKey = FIRST): OrderEvent => ({
  type: 'AttemptDeclined',
  data: { attemptKey, code: 100, by: 'gate', answeredAt: at(2) },
});
const accepted: OrderEvent = {
  type: 'FollowUpAccepted',
  data: {
    number: 1,
    operation: 'cancel',
    amount: amountOf(5n),
    original: FIRST,
    gate: 'sim-a' as GateAlias,
    longestFlightMs: 1,
    callbacks: [],
    acceptedAt: at(3),
  },
};
const followUpStarted: OrderEvent = { type: 'FollowUpStarted', data: { number: 1, attemptKey: FOLLOWING, startedAt: at(4) } };
const reason = 'sealed' as Sealed;
const grounds = { caseId: 'case', gate: 'sim-a' as GateAlias, reason, callbacks: [], reconciledAt: at(9) };

const attempt = { key: FIRST, original: FIRST, followUp: null, operation: 'sale', gate: 'sim-a', amountMinor: '1043', askedAt: at(1) };
const unheard = { answeredAt: null, processedAt: null, commissionMinor: null, gateOrderId: null, rrn: null };

describe('foldGateAttempts', () => {
  it('lists an attempt with the data from its gate', () => {
    expect(fold(started())?.asked).toMatchObject([{ ...attempt, ...unheard, status: 'open' }]);
    const told = { processedAt: receipt.processedAt, commissionMinor: '10', gateOrderId: 'G-1', rrn: receipt.rrn ?? null };
    expect(fold(started(), approved())?.asked).toMatchObject([{ ...attempt, ...told, status: 'approved', answeredAt: at(2) }]);
  });

  it('keeps an earlier attempt after a cascade, each attempt at its own gate', () => {
    expect(fold(started(), declined(), started(SECOND, 'sim-b'), approved(SECOND))?.asked).toMatchObject([
      { key: FIRST, gate: 'sim-a', status: 'declined' },
      { key: SECOND, gate: 'sim-b', status: 'approved' },
    ]);
  });

  it('updates the request time of an attempt when its claim is renewed', () => {
    expect(fold(started(), started(FIRST, 'sim-a', 7))?.asked).toMatchObject([{ key: FIRST, askedAt: at(7) }]);
  });

  it.each<[string, OrderEvent, string]>([
    ['not asked', { type: 'AttemptNotAsked', data: { attemptKey: FIRST, cause: 'unavailable', answeredAt: at(2) } }, 'not-asked'],
    ['resolved by a person', { type: 'AttemptSettled', data: { attemptKey: FIRST, as: 'approved', reason, settledAt: at(2) } }, 'approved'],
    ['unknown', { type: 'AttemptUnknown', data: { attemptKey: FIRST, cause: 'timeout', answeredAt: at(2) } }, 'open'],
    [
      'reconciled',
      { type: 'OutcomeReconciled', data: { ...grounds, attemptKey: FIRST, amount: amountOf(1n), from: 'approved', to: 'declined' } },
      'declined',
    ],
  ])('sets the status of an attempt that is %s', (_, event, status) => {
    expect(fold(started(), event)?.asked).toMatchObject([{ status }]);
  });

  const ended = { number: 1, callbacks: [] };
  it.each<[string, readonly OrderEvent[], object]>([
    ['accepted', [], { key: null, status: 'accepted' }],
    ['sent', [followUpStarted], { key: FOLLOWING, status: 'open', askedAt: at(4) }],
    [
      'approved',
      [followUpStarted, { type: 'FollowUpApproved', data: { ...ended, receipt, approvalCode: '1', approvedAt: at(5) } }],
      { status: 'approved', gateOrderId: 'G-1' },
    ],
    [
      'declined',
      [followUpStarted, { type: 'FollowUpDeclined', data: { ...ended, code: 100, declinedAt: at(5) } }],
      { status: 'declined', processedAt: null },
    ],
    ['failed', [followUpStarted, { type: 'FollowUpFailed', data: { ...ended, code: 121, failedAt: at(5) } }], { status: 'not-asked' }],
    [
      'resolved',
      [followUpStarted, { type: 'FollowUpSettled', data: { ...ended, as: 'declined', reason, settledAt: at(5) } }],
      { status: 'declined' },
    ],
    [
      'reconciled',
      [followUpStarted, { type: 'FollowUpReconciled', data: { ...grounds, number: 1, from: 'failed', to: 'approved' } }],
      { status: 'approved' },
    ],
  ])('lists a follow-up that was %s', (_, events, shown) => {
    expect(fold(started(), approved(), accepted, ...events)?.asked[1]).toMatchObject({
      original: FIRST,
      followUp: 1,
      operation: 'return',
      amountMinor: '5',
      ...shown,
    });
  });

  it('refuses an event that cannot follow the previous state', () => {
    expect(() => foldGateAttempts(undefined, news(started()))).toThrow(CannotApply);
    expect(() => fold(paymentAccepted(1))).toThrow('accepted before');
    expect(() => fold(started(), approved(SECOND))).toThrow('AttemptApproved of what was not asked');
    expect(() => fold(started(), followUpStarted)).toThrow('FollowUpStarted of what was not asked');
    expect(() => fold({ type: 'UnheardOf', data: {} } as never)).toThrow('no case for');
  });
});
