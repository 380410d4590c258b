import { money, type Currency, type Sealed } from '@app/kernel';
import {
  ABLE_GATE,
  afterAcceptance,
  attemptEvents,
  deciderSpec,
  finalEvents,
  followUpCommands,
  followUpEvents,
  SAMPLE_AMOUNT,
  sampleGate,
  sampleOrder,
  samplePlan,
  usd,
} from '@app/testing';
import type { Operation, PlannedGate } from './accepted-order';
import type { FollowUpEvent } from './follow-up.events';
import { decideProcessing, evolveProcessing, processingOf, type ProcessingEvent } from './processing';
import { FOLLOW_UPS_ASKED_MAX, FOLLOW_UPS_MAX } from './request-follow-up';

const { request } = followUpCommands;
const { accepted, started, unknown, approved, declined, failed, settled, conflict } = followUpEvents;
const capture = (amount?: bigint) => request({ kind: 'capture', ...(amount !== undefined && { amount: usd(amount) }) });
const refund = (amount?: bigint) => request({ kind: 'return', ...(amount !== undefined && { amount: usd(amount) }) });
const voiding = request({ kind: 'void' });

const ordered = (operation: Operation, gate: Partial<PlannedGate> = {}, callbacks: readonly ('callback' | 'notify')[] = ['callback']) => {
  const plan = samplePlan({ operation, gates: [sampleGate(gate)], callbacks });
  return deciderSpec({ initial: processingOf(sampleOrder({ plan })), evolve: evolveProcessing, decide: decideProcessing });
};
const APPROVED: readonly ProcessingEvent[] = [attemptEvents.started(), attemptEvents.approved(), finalEvents.approved()];
const sale = (...followUps: readonly FollowUpEvent[]) => ordered('sale').given(...APPROVED, ...followUps);
const preauth = (...followUps: readonly FollowUpEvent[]) => ordered('preauth').given(...APPROVED, ...followUps);

type Data = Parameters<typeof accepted>[0];
const historyTo = {
  asked: (data: Data = {}, number = 1) => [accepted({ number, ...data })],
  underWay: (data: Data = {}, number = 1) => [accepted({ number, ...data }), started({ number })],
  unknown: (data: Data = {}, number = 1) => [accepted({ number, ...data }), started({ number }), unknown({ number })],
  approved: (data: Data = {}, number = 1) => [accepted({ number, ...data }), started({ number }), approved({ number })],
  settledApproved: (data: Data = {}, number = 1) => [accepted({ number, ...data }), started({ number }), settled({ number })],
  revoked: (data: Data = {}, number = 1) => [accepted({ number, ...data }), started({ number }), failed({ number }), conflict({ number })],
  declined: (data: Data = {}, number = 1) => [accepted({ number, ...data }), started({ number }), declined({ number })],
  settledDeclined: (data: Data = {}, number = 1) => [
    accepted({ number, ...data }),
    started({ number }),
    settled({ number, as: 'declined' }),
  ],
  failed: (data: Data = {}, number = 1) => [accepted({ number, ...data }), started({ number }), failed({ number })],
};
const HOLDING = ['asked', 'underWay', 'unknown', 'approved', 'settledApproved', 'revoked'] as const;
const OPEN = ['asked', 'underWay', 'unknown', 'revoked'] as const;
const DONE = ['approved', 'settledApproved'] as const;
const FREE = ['declined', 'settledDeclined', 'failed'] as const;
const notPossible = { reason: 'operation-not-possible' } as const;
const notSupported = { reason: 'operation-not-supported' } as const;
const outOfRange = { reason: 'amount-out-of-range' } as const;

describe('a follow-up of an order without charged money', () => {
  it.each([capture(), refund(), voiding])('is rejected each time while the order is processing: $data.kind [W242]', (command) => {
    const { given } = ordered('sale');
    given().when(command).thenRejected({ reason: 'order-not-final' });
    given(attemptEvents.started(), attemptEvents.unknown()).when(command).thenRejected({ reason: 'order-not-final' });
  });

  it.each([capture(), refund(), voiding])('is rejected if nothing was charged: $data.kind [W482]', (command) => {
    const { given } = ordered('sale');
    given(attemptEvents.started(), attemptEvents.declined(), finalEvents.declined()).when(command).thenRejected(notPossible);
    given(finalEvents.filtered()).when(command).thenRejected(notPossible);
    given(finalEvents.failed()).when(command).thenRejected(notPossible);
  });

  it.each([capture(), refund(), voiding])('is rejected for an account verification, which moves no money: $data.kind [W482]', (command) => {
    ordered('account-verification')
      .given(...APPROVED)
      .when(command)
      .thenRejected(notPossible);
  });
});

describe('a capture', () => {
  it('without an amount is for the full authorisation [W473]', () => {
    preauth()
      .when(capture())
      .then(accepted({ operation: 'capture' }));
    preauth()
      .when(capture(SAMPLE_AMOUNT.minor))
      .then(accepted({ operation: 'capture' }));
  });

  it('of a part is accepted only if the gate supports it [W474]', () => {
    preauth()
      .when(capture(1n))
      .then(accepted({ operation: 'capture', amount: usd(1n) }));
    const { given } = ordered('preauth', { partialCapture: false });
    given(...APPROVED)
      .when(capture(SAMPLE_AMOUNT.minor - 1n))
      .thenRejected(notSupported);
    given(...APPROVED)
      .when(capture())
      .then(accepted({ operation: 'capture' }));
  });

  it('is rejected for a sale [W472]', () => sale().when(capture()).thenRejected(notPossible));

  it.each(HOLDING)('is rejected after a capture in the state %s [W245, W472]', (outcome) => {
    const data = { operation: 'capture', amount: usd(1n) } as const;
    preauth(...historyTo[outcome](data))
      .when(capture(1n))
      .thenRejected(notPossible);
  });

  it.each(FREE)('is accepted after a capture that was %s', (outcome) => {
    preauth(...historyTo[outcome]({ operation: 'capture' }))
      .when(capture())
      .then(accepted({ number: 2, operation: 'capture' }));
  });

  it.each(HOLDING)('cannot exceed the amount left by a cancel in the state %s [W475]', (outcome) => {
    const cancelled = historyTo[outcome]({ operation: 'cancel', amount: usd(1_000n) });
    preauth(...cancelled)
      .when(capture(43n))
      .thenRejected(outOfRange);
    for (const rest of [capture(42n), capture()])
      preauth(...cancelled)
        .when(rest)
        .then(accepted({ number: 2, operation: 'capture', amount: usd(42n) }));
  });

  it.each(HOLDING)('without an amount is rejected after a full cancel in the state %s', (outcome) => {
    preauth(...historyTo[outcome]({ operation: 'cancel' }))
      .when(capture())
      .thenRejected(outOfRange);
  });

  it('of the remainder counts as full after an approved cancel and as partial after an unknown one', () => {
    const { given } = ordered('preauth', { partialCapture: false });
    const data = { operation: 'cancel', amount: usd(1_000n) } as const;
    for (const rest of [capture(42n), capture()]) {
      given(...APPROVED, ...historyTo.approved(data))
        .when(rest)
        .then(accepted({ number: 2, operation: 'capture', amount: usd(42n) }));
      given(...APPROVED, ...historyTo.unknown(data))
        .when(rest)
        .thenRejected(notSupported);
    }
  });

  it('is rejected if the gate cannot capture', () => {
    preauth()
      .when(request({ kind: 'capture', capabilities: { ...ABLE_GATE, canCapture: false } }))
      .thenRejected(notSupported);
  });
});

describe('a return', () => {
  it('of a sale is a reversal, in full without an amount [W476]', () => sale().when(refund()).then(accepted()));
  it('of an uncaptured preauth is a cancel [W477]', () =>
    preauth()
      .when(refund())
      .then(accepted({ operation: 'cancel' })));

  it.each(DONE)('of a capture (%s) is a reversal up to the captured amount [W476]', (outcome) => {
    const captured = historyTo[outcome]({ operation: 'capture', amount: usd(500n) });
    for (const all of [refund(500n), refund()])
      preauth(...captured)
        .when(all)
        .then(accepted({ number: 2, amount: usd(500n) }));
    preauth(...captured)
      .when(refund(501n))
      .thenRejected(outOfRange);
  });

  it.each(OPEN)('is rejected after a capture in the state %s, since the captured amount is unknown', (outcome) => {
    preauth(...historyTo[outcome]({ operation: 'capture' }))
      .when(refund(1n))
      .thenRejected(notPossible);
  });

  it.each(FREE)('after a capture that was %s is a cancel', (outcome) => {
    preauth(...historyTo[outcome]({ operation: 'capture' }))
      .when(refund())
      .then(accepted({ number: 2, operation: 'cancel' }));
  });

  it.each(HOLDING)('cannot exceed the amount left by a return in the state %s [W259, W475, W478, W519]', (outcome) => {
    const returned = historyTo[outcome]({ amount: usd(1_000n) });
    sale(...returned)
      .when(refund(43n))
      .thenRejected(outOfRange);
    for (const rest of [refund(42n), refund()])
      sale(...returned)
        .when(rest)
        .then(accepted({ number: 2, amount: usd(42n) }));
  });

  it.each(HOLDING)('without an amount is rejected after a full return in the state %s', (outcome) => {
    sale(...historyTo[outcome]())
      .when(refund())
      .thenRejected(outOfRange);
  });

  it.each(HOLDING)('without an amount cancels the rest after a cancel in the state %s', (outcome) => {
    preauth(...historyTo[outcome]({ operation: 'cancel', amount: usd(1_000n) }))
      .when(refund())
      .then(accepted({ number: 2, operation: 'cancel', amount: usd(42n) }));
  });

  it.each(FREE)('is accepted for the same amount after a return that was %s', (outcome) => {
    sale(...historyTo[outcome]())
      .when(refund())
      .then(accepted({ number: 2 }));
  });

  it.each(['sale', 'preauth'] as const)('of a part is accepted only if the gate supports it: %s [W479]', (operation) => {
    const { given } = ordered(operation, { partialReversal: false });
    given(...APPROVED)
      .when(refund(1n))
      .thenRejected(notSupported);
    given(...APPROVED)
      .when(refund(SAMPLE_AMOUNT.minor))
      .then(accepted({ operation: operation === 'sale' ? 'reversal' : 'cancel' }));
  });

  it('of the full captured amount counts as full after a partial capture', () => {
    ordered('preauth', { partialReversal: false })
      .given(...APPROVED, ...historyTo.approved({ operation: 'capture', amount: usd(500n) }))
      .when(refund())
      .then(accepted({ number: 2, amount: usd(500n) }));
  });

  it('may be for the full captured amount if a cancel preceded the capture', () => {
    for (const all of [refund(500n), refund()])
      preauth(
        ...historyTo.approved({ operation: 'cancel', amount: usd(542n) }),
        ...historyTo.approved({ operation: 'capture', amount: usd(500n) }, 2),
      )
        .when(all)
        .then(accepted({ number: 3, amount: usd(500n) }));
  });

  it('is rejected if the gate cannot return', () => {
    sale()
      .when(request({ capabilities: { ...ABLE_GATE, canReturn: false } }))
      .thenRejected(notSupported);
  });
});

describe('a void', () => {
  it('is accepted for a sale until it is cleared [W481]', () => {
    sale()
      .when(voiding)
      .then(accepted({ operation: 'void' }));
    const now = ABLE_GATE.voidableUntil;
    sale()
      .when(request({ kind: 'void', now }))
      .thenRejected(notPossible);
    const before = afterAcceptance(86_399_999);
    sale()
      .when(request({ kind: 'void', now: before }))
      .then(accepted({ operation: 'void', acceptedAt: before }));
  });

  it('must be for the full amount, even if the gate supports partial returns', () => {
    sale()
      .when(request({ kind: 'void', amount: usd(1n) }))
      .thenRejected(notSupported);
    sale()
      .when(request({ kind: 'void', amount: usd(1_043n) }))
      .thenRejected(outOfRange);
  });

  it('is rejected for a preauth, captured or not [W481]', () => {
    preauth().when(voiding).thenRejected(notPossible);
    preauth(...historyTo.approved({ operation: 'capture' }))
      .when(voiding)
      .thenRejected(notPossible);
  });

  it.each(HOLDING)('is rejected after a return in the state %s', (outcome) => {
    sale(...historyTo[outcome]({ amount: usd(1n) }))
      .when(voiding)
      .thenRejected(notPossible);
  });

  it.each(HOLDING)('and every other follow-up are rejected after a void in the state %s', (outcome) => {
    const voided = historyTo[outcome]({ operation: 'void' });
    for (const command of [voiding, refund(1n), refund(), capture()])
      sale(...voided)
        .when(command)
        .thenRejected(notPossible);
  });

  it.each(FREE)('that was %s does not affect later follow-ups', (outcome) => {
    const tried = historyTo[outcome]({ operation: 'void' });
    sale(...tried)
      .when(voiding)
      .then(accepted({ number: 2, operation: 'void' }));
    sale(...tried)
      .when(refund())
      .then(accepted({ number: 2 }));
  });

  it('is rejected if the gate cannot void', () => {
    sale()
      .when(request({ kind: 'void', capabilities: { canCapture: true, canReturn: true } }))
      .thenRejected(notSupported);
  });
});

describe('any follow-up', () => {
  it.each([
    ['capture', preauth],
    ['return', sale],
    ['void', sale],
  ] as const)('is rejected for another currency, for zero and for a negative amount: %s [W260]', (kind, order) => {
    const euros = money(SAMPLE_AMOUNT.minor, 'EUR' as Currency);
    order()
      .when(request({ kind, amount: euros }))
      .thenRejected({ reason: 'currency-not-served' });
    for (const minor of [0n, -1n]) {
      order()
        .when(request({ kind, amount: usd(minor) }))
        .thenRejected(outOfRange);
    }
  });

  it('is limited by the approved amount and not by the requested one', () => {
    const approvedLess = [attemptEvents.started(), attemptEvents.approved(), finalEvents.approved({ amount: usd(1_000n) })];
    const { given } = ordered('sale');
    given(...approvedLess)
      .when(refund())
      .then(accepted({ amount: usd(1_000n) }));
    given(...approvedLess)
      .when(refund(1_001n))
      .thenRejected(outOfRange);
  });

  it('keeps its sealed comment and schedules a callback only to notify_url [W337, W480]', () => {
    const comment = 'sealed-comment' as Sealed;
    sale().when(request({ comment })).then(accepted({ comment }));
    ordered('sale', {}, ['callback', 'notify'])
      .given(...APPROVED)
      .when(request())
      .then(accepted({ callbacks: ['notify'] }));
  });

  it('contains the gate that approved the order and its longest flight', () => {
    const { given } = ordered('sale', { alias: 'sim-b' as never, longestFlightMs: 9_000 });
    given(attemptEvents.started({ gate: 'sim-b' as never }), attemptEvents.approved(), finalEvents.approved())
      .when(request())
      .then(accepted({ gate: 'sim-b' as never, longestFlightMs: 9_000 }));
  });

  const many = (end: 'approved' | 'declined' | 'failed', count: number, from = 0) =>
    Array.from({ length: count }, (_, index) => historyTo[end]({ amount: usd(1n) }, from + index + 1)).flat();

  /** Skips freezing, the main cost of a long history. */
  const decided = (followUps: readonly FollowUpEvent[]) => {
    const order = sampleOrder({ plan: samplePlan({ operation: 'sale', gates: [sampleGate()], callbacks: ['callback'] }) });
    return decideProcessing(refund(1n), [...APPROVED, ...followUps].reduce(evolveProcessing, processingOf(order)));
  };

  it('is rejected above the maximum per order', () => {
    sale(...many('approved', FOLLOW_UPS_MAX - 1))
      .when(refund(1n))
      .then(accepted({ number: FOLLOW_UPS_MAX, amount: usd(1n) }));
    sale(...many('approved', FOLLOW_UPS_MAX))
      .when(refund(1n))
      .thenRejected(notPossible);
  });

  it.each(['declined', 'failed'] as const)('that was %s counts only towards a second, higher maximum', (end) => {
    expect(decided(many(end, FOLLOW_UPS_MAX))).toStrictEqual([accepted({ number: FOLLOW_UPS_MAX + 1, amount: usd(1n) })]);
    expect(decided(many(end, FOLLOW_UPS_ASKED_MAX - 1))).toStrictEqual([accepted({ number: FOLLOW_UPS_ASKED_MAX, amount: usd(1n) })]);
    expect(decided(many(end, FOLLOW_UPS_ASKED_MAX))).toStrictEqual(notPossible);
  });
});
