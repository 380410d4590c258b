import type { Decider, GateAlias, Sealed } from '@app/kernel';
import {
  afterAcceptance,
  attemptEvents,
  ATTEMPT_KEY,
  deciderSpec,
  finalEvents,
  followUpCommands,
  followUpEvents,
  OTHER_KEY,
  RECEIPT_ID,
  sampleOrder,
  sampleReceipt,
} from '@app/testing';
import { deviceOrderOf } from './device/device-order';
import type { FollowUpEvent } from './follow-up.events';
import {
  decideProcessing,
  evolveProcessing,
  processingOf,
  type Processing,
  type ProcessingCommand,
  type ProcessingEvent,
  type ProcessingRejection,
} from './processing';
import type { FollowUpReconciled, OutcomeReconciled } from './final.events';

const order = sampleOrder();
const specOf = (initial: Processing) => {
  const processing: Decider<ProcessingCommand, ProcessingEvent, Processing, ProcessingRejection> = {
    initial,
    evolve: evolveProcessing,
    decide: decideProcessing,
  };
  return deciderSpec(processing);
};
const { given } = specOf(processingOf(order));
const { started, approved, declined, notAsked, unknown, conflict } = attemptEvents;

const GATE = 'sim-a' as GateAlias;
const now = afterAcceptance(90_000);
const grounds = { caseId: 'case', gate: GATE, reason: 'sealed' as Sealed };
const reconcile = (to: 'approved' | 'declined', change: object = {}): ProcessingCommand => ({
  type: 'ReconcileOutcome',
  receiptId: RECEIPT_ID,
  data: { key: ATTEMPT_KEY, to, ...grounds, now, ...change },
});
const reconcileFollowUp = (number: number, to: 'approved' | 'declined', change: object = {}): ProcessingCommand => ({
  type: 'ReconcileFollowUp',
  data: { number, to, ...grounds, now, ...change },
});

const APPROVED = [started(), approved(), finalEvents.approved()];
const DECLINED = [started(), declined(), finalEvents.declined()];
const FAILED = [started(), notAsked(), finalEvents.failed()];
const { callbacks } = order.plan;
const reconciled = (from: 'approved' | 'declined' | 'error', to: 'approved' | 'declined'): OutcomeReconciled => ({
  type: 'OutcomeReconciled',
  data: {
    ...grounds,
    attemptKey: ATTEMPT_KEY,
    amount: order.amount,
    from,
    to,
    callbacks,
    reconciledAt: now,
    ...(to === 'approved' && { receiptId: RECEIPT_ID }),
  },
});

const followUp = (number: number, minor: bigint, ...types: readonly FollowUpEvent['type'][]): readonly ProcessingEvent[] => {
  const accepted = {
    number,
    operation: 'reversal',
    amount: { minor, currency: order.amount.currency },
    original: ATTEMPT_KEY,
    gate: GATE,
    longestFlightMs: 1,
    callbacks: ['notify'],
    acceptedAt: now,
  };
  const ends: Record<string, object> = {
    FollowUpAccepted: accepted,
    FollowUpStarted: { number, attemptKey: OTHER_KEY, startedAt: now },
    FollowUpApproved: { number, receipt: sampleReceipt(), approvalCode: '1', callbacks: ['notify'], approvedAt: now },
    FollowUpDeclined: { number, code: 100, callbacks: ['notify'], declinedAt: now },
    FollowUpFailed: { number, code: 121, callbacks: ['notify'], failedAt: now },
  };
  return ['FollowUpAccepted', 'FollowUpStarted', ...types].map((type) => ({ type, data: ends[type] }) as ProcessingEvent);
};
const followUpReconciled = (number: number, from: 'approved' | 'declined' | 'failed', to: 'approved' | 'declined'): FollowUpReconciled => ({
  type: 'FollowUpReconciled',
  data: { ...grounds, number, from, to, callbacks: ['notify'], reconciledAt: now },
});

const lateApproval = { kind: 'approved', receipt: sampleReceipt(), approvalCode: '1' } as const;

describe('a final status that differs from the gate’s settlement', () => {
  it.each([
    ['approved', 'declined', APPROVED],
    ['declined', 'approved', DECLINED],
    ['error', 'approved', FAILED],
  ] as const)('is changed from %s to %s by an OutcomeReconciled event', (from, to, history) =>
    given(...history)
      .when(reconcile(to))
      .then(reconciled(from, to)),
  );

  it.each([
    ['approved', APPROVED, 'approved'],
    ['declined', DECLINED, 'declined'],
    ['failed, and the gate reports a decline', FAILED, 'declined'],
    ['reconciled to the same status', [...APPROVED, reconciled('approved', 'declined')], 'declined'],
  ] as const)('is unchanged if it is %s', (_, history, to) =>
    given(...history)
      .when(reconcile(to))
      .thenRejected({ reason: 'nothing-new' }),
  );

  it('can be changed back', () =>
    given(...APPROVED, reconciled('approved', 'declined'))
      .when(reconcile('approved'))
      .then(reconciled('declined', 'approved')));

  it.each<[string, readonly ProcessingEvent[], ProcessingCommand]>([
    ['before the order is final', [started(), unknown()], reconcile('declined')],
    ['if no gate was asked', [finalEvents.filtered()], reconcile('approved')],
    ['by the settlement of another attempt', APPROVED, reconcile('declined', { key: OTHER_KEY })],
    ['by the settlement of another gate', APPROVED, reconcile('declined', { gate: 'sim-b' })],
  ])('is not changed %s', (_, history, command) =>
    given(...history)
      .when(command)
      .thenRejected({ reason: history.length === 2 ? 'order-not-final' : 'another-attempt' }),
  );

  it('is not changed to approved if a gate revoked its decline of an earlier attempt (I1)', () => {
    const state = [...DECLINED].reduce(evolveProcessing, processingOf(order));
    if (state.attempts.status === 'none') throw new Error('no attempt');
    const { gate, amount } = state.attempts;
    const earlier = [{ key: OTHER_KEY, gate, amount, status: 'declined' as const, conflicts: ['approved' as const] }];
    const decision = decideProcessing(reconcile('approved'), { ...state, attempts: { ...state.attempts, earlier } });
    expect(decision).toStrictEqual({ reason: 'another-attempt' });
  });

  it('is changed to approved after a late approval of the same attempt', () =>
    given(...DECLINED, conflict())
      .when(reconcile('approved'))
      .then(reconciled('declined', 'approved')));

  it('is not changed to approved for a device order without mapped cards', () => {
    const device = [...DECLINED].reduce(evolveProcessing, { ...deviceOrderOf(order) } as Processing);
    expect(decideProcessing(reconcile('approved'), device)).toStrictEqual({ reason: 'cards-not-mapped' });
  });

  it('is not changed to declined after an approved follow-up (I12)', () =>
    given(...APPROVED, ...followUp(1, 1n, 'FollowUpApproved'))
      .when(reconcile('declined'))
      .thenRejected({ reason: 'follow-ups-moved' }));

  it('is not changed to declined after a reversal or chargeback (I12)', () => {
    const state = APPROVED.reduce(evolveProcessing, processingOf(order));
    const reversal = { gate: GATE, reportId: 'r', operation: 'reversal' as const, amount: order.amount };
    const chargeback = { gate: GATE, reportId: 'c', stage: 'first' as const, amount: order.amount, status: 'charged-back' as const };
    for (const reported of [{ reversals: [reversal] }, { cases: [chargeback] }])
      expect(decideProcessing(reconcile('declined'), { ...state, disputes: { ...state.disputes, ...reported } })).toStrictEqual({
        reason: 'follow-ups-moved',
      });
  });

  it('is changed to declined after a declined follow-up', () =>
    given(...APPROVED, ...followUp(1, 1n, 'FollowUpDeclined'))
      .when(reconcile('declined'))
      .then(reconciled('approved', 'declined')));

  it('stays declined after a late approval of its follow-up, which is recorded as a conflict', () => {
    const told = { type: 'RecordFollowUpAnswer', data: { number: 1, key: OTHER_KEY, answer: lateApproval, now } } as const;
    const log = [...APPROVED, ...followUp(1, 1n, 'FollowUpDeclined'), reconciled('approved', 'declined')];
    const { transactionId } = sampleReceipt();
    const heard = { number: 1, believed: 'declined', told: 'approved', transactionId, toldAt: now } as const;
    given(...log)
      .when(told)
      .then({ type: 'LateFollowUpConflict', data: heard });
    const after = [...log, { type: 'LateFollowUpConflict', data: heard } as const].reduce(evolveProcessing, processingOf(order));
    expect(after).toMatchObject({ end: { type: 'OrderDeclined' }, followUps: [{ status: 'declined', conflicts: ['approved'] }] });
  });

  it('becomes the new end of the order, as declined and as approved', () => {
    const end = (events: readonly ProcessingEvent[]) => events.reduce(evolveProcessing, processingOf(order)).end;
    expect(end([...APPROVED, reconciled('approved', 'declined')])).toMatchObject({ type: 'OrderDeclined', data: { code: 100 } });
    expect(end([...DECLINED, reconciled('declined', 'approved')])).toMatchObject({
      type: 'OrderApproved',
      data: { receiptId: RECEIPT_ID },
    });
  });

  it('allows a follow-up only if it is approved now', () => {
    given(...APPROVED, reconciled('approved', 'declined'))
      .when(followUpCommands.request())
      .thenRejected({ reason: 'operation-not-possible' });
    given(...DECLINED, reconciled('declined', 'approved'))
      .when(followUpCommands.request())
      .then(followUpEvents.accepted());
  });

  it('throws if the history contradicts itself', () => {
    const fold = (...events: readonly ProcessingEvent[]) => events.reduce(evolveProcessing, processingOf(order));
    expect(() => fold(started(), reconciled('approved', 'declined'))).toThrow('before the end');
    expect(() => fold(finalEvents.filtered(), reconciled('approved', 'declined'))).toThrow('another attempt');
  });
});

describe('a follow-up that differs from the gate’s settlement', () => {
  const whole = order.amount.minor;
  it.each([
    ['approved', 'declined', 'FollowUpApproved'],
    ['declined', 'approved', 'FollowUpDeclined'],
    ['failed', 'approved', 'FollowUpFailed'],
  ] as const)('is changed from %s to %s', (from, to, end) =>
    given(...APPROVED, ...followUp(1, whole, end))
      .when(reconcileFollowUp(1, to))
      .then(followUpReconciled(1, from, to)),
  );

  it.each<[string, readonly ProcessingEvent[], ProcessingCommand, string]>([
    ['does not exist', APPROVED, reconcileFollowUp(1, 'approved'), 'another-attempt'],
    [
      'belongs to another gate',
      [...APPROVED, ...followUp(1, 1n, 'FollowUpDeclined')],
      reconcileFollowUp(1, 'approved', { gate: 'x' }),
      'another-attempt',
    ],
    ['is open', [...APPROVED, ...followUp(1, 1n)], reconcileFollowUp(1, 'approved'), 'order-not-final'],
    ['already has an equal status', [...APPROVED, ...followUp(1, 1n, 'FollowUpFailed')], reconcileFollowUp(1, 'declined'), 'nothing-new'],
    [
      'exceeds the amount left by other follow-ups',
      [...APPROVED, ...followUp(1, whole, 'FollowUpDeclined'), ...followUp(2, whole, 'FollowUpApproved')],
      reconcileFollowUp(1, 'approved'),
      'not-covered',
    ],
  ])('is not changed if it %s', (_, history, command, reason) =>
    given(...history)
      .when(command)
      .thenRejected({ reason } as ProcessingRejection),
  );

  it.each([
    ['a chargeback', 'follow-ups-moved', { cases: [{ gate: GATE, reportId: 'c', stage: 'first', amount: order.amount, status: 'lost' }] }],
    ['a reversal', 'follow-ups-moved', { reversals: [{ gate: GATE, reportId: 'r', operation: 'reversal', amount: order.amount }] }],
    ['a release', undefined, { reversals: [{ gate: GATE, reportId: 'r', operation: 'cancel', amount: { ...order.amount, minor: 1n } }] }],
  ])('of a capture can be declined unless money of it was returned (I12): %s, rejection %s', (_, reason, reported) => {
    const preauth = processingOf({ ...order, plan: { ...order.plan, operation: 'preauth' } });
    const [accepted, ...rest] = followUp(1, 2n, 'FollowUpApproved');
    const capture = { ...accepted, data: { ...accepted?.data, operation: 'capture' } } as ProcessingEvent;
    const state = [...APPROVED, capture, ...rest].reduce(evolveProcessing, preauth);
    const decision = decideProcessing(reconcileFollowUp(1, 'declined'), {
      ...state,
      disputes: { ...state.disputes, ...reported } as Processing['disputes'],
    });
    expect(decision).toStrictEqual(reason === undefined ? [followUpReconciled(1, 'approved', 'declined')] : { reason });
  });

  it('has the new status declined after reconciliation', () => {
    const state = [...APPROVED, ...followUp(1, whole, 'FollowUpApproved'), followUpReconciled(1, 'approved', 'declined')].reduce(
      evolveProcessing,
      processingOf(order),
    );
    expect(state.followUps).toMatchObject([{ status: 'declined' }]);
  });

  it('leaves its amount to the next follow-up once it is declined', () => {
    const returned = followUp(1, whole, 'FollowUpApproved');
    const next = followUpCommands.request({ amount: order.amount });
    given(...APPROVED, ...returned)
      .when(next)
      .thenRejected({ reason: 'amount-out-of-range' });
    given(...APPROVED, ...returned, followUpReconciled(1, 'approved', 'declined'))
      .when(next)
      .then(followUpEvents.accepted({ number: 2 }));
  });
});
