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
import type { Operation, PlannedGate } from '../../order/domain/accepted-order';
import type { FollowUpEvent } from './follow-up.events';
import { decideProcessing, evolveProcessing, processingOf, type ProcessingEvent } from '../../order/domain/processing';
import { FOLLOW_UPS_ASKED_MAX, FOLLOW_UPS_MAX } from './request-follow-up';

const { request } = followUpCommands;
const { accepted, started, unknown, approved, declined, failed, settled, conflict } = followUpEvents;
const capture = (amount?: bigint) => request({ kind: 'capture', ...(amount !== undefined && { amount: usd(amount) }) });
const giveBack = (amount?: bigint) => request({ kind: 'return', ...(amount !== undefined && { amount: usd(amount) }) });
const voiding = request({ kind: 'void' });

const ordered = (operation: Operation, gate: Partial<PlannedGate> = {}, callbacks: readonly ('callback' | 'notify')[] = ['callback']) => {
  const plan = samplePlan({ operation, gates: [sampleGate(gate)], callbacks });
  return deciderSpec({ initial: processingOf(sampleOrder({ plan })), evolve: evolveProcessing, decide: decideProcessing });
};
const APPROVED: readonly ProcessingEvent[] = [attemptEvents.started(), attemptEvents.approved(), finalEvents.approved()];
const sale = (...followUps: readonly FollowUpEvent[]) => ordered('sale').given(...APPROVED, ...followUps);
const preauth = (...followUps: readonly FollowUpEvent[]) => ordered('preauth').given(...APPROVED, ...followUps);

type Data = Parameters<typeof accepted>[0];
/** The shortest ways of a follow-up to where its money may be, or certainly is not. */
const wayTo = {
  asked: (data: Data = {}, number = 1) => [accepted({ number, ...data })],
  underWay: (data: Data = {}, number = 1) => [accepted({ number, ...data }), started({ number })],
  unknown: (data: Data = {}, number = 1) => [accepted({ number, ...data }), started({ number }), unknown({ number })],
  approved: (data: Data = {}, number = 1) => [accepted({ number, ...data }), started({ number }), approved({ number })],
  settledApproved: (data: Data = {}, number = 1) => [accepted({ number, ...data }), started({ number }), settled({ number })],
  takenBack: (data: Data = {}, number = 1) => [
    accepted({ number, ...data }),
    started({ number }),
    failed({ number }),
    conflict({ number }),
  ],
  declined: (data: Data = {}, number = 1) => [accepted({ number, ...data }), started({ number }), declined({ number })],
  settledDeclined: (data: Data = {}, number = 1) => [
    accepted({ number, ...data }),
    started({ number }),
    settled({ number, as: 'declined' }),
  ],
  failed: (data: Data = {}, number = 1) => [accepted({ number, ...data }), started({ number }), failed({ number })],
};
const HOLDING = ['asked', 'underWay', 'unknown', 'approved', 'settledApproved', 'takenBack'] as const;
const OPEN = ['asked', 'underWay', 'unknown', 'takenBack'] as const;
const DONE = ['approved', 'settledApproved'] as const;
const FREE = ['declined', 'settledDeclined', 'failed'] as const;
const notPossible = { reason: 'operation-not-possible' } as const;
const notSupported = { reason: 'operation-not-supported' } as const;
const outOfRange = { reason: 'amount-out-of-range' } as const;

describe('a follow-up of an order that money cannot follow', () => {
  it.each([capture(), giveBack(), voiding])('is refused while the order is under way: $data.kind, and again', (command) => {
    const { given } = ordered('sale');
    given().when(command).thenRejected({ reason: 'order-not-final' });
    given(attemptEvents.started(), attemptEvents.unknown()).when(command).thenRejected({ reason: 'order-not-final' });
  });

  it.each([capture(), giveBack(), voiding])('is refused where nothing was charged: $data.kind', (command) => {
    const { given } = ordered('sale');
    given(attemptEvents.started(), attemptEvents.declined(), finalEvents.declined()).when(command).thenRejected(notPossible);
    given(finalEvents.filtered()).when(command).thenRejected(notPossible);
    given(finalEvents.failed()).when(command).thenRejected(notPossible);
  });

  it.each([capture(), giveBack(), voiding])('is refused of an account verification, which moves no money: $data.kind', (command) => {
    ordered('account-verification')
      .given(...APPROVED)
      .when(command)
      .thenRejected(notPossible);
  });
});

describe('a capture', () => {
  it('takes what was authorised, in full where no amount is named', () => {
    preauth()
      .when(capture())
      .then(accepted({ operation: 'capture' }));
    preauth()
      .when(capture(SAMPLE_AMOUNT.minor))
      .then(accepted({ operation: 'capture' }));
  });

  it('takes a part where the gate allows it, and only there', () => {
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

  it('is of a pre-authorisation, never of a sale', () => sale().when(capture()).thenRejected(notPossible));

  it.each(HOLDING)('is made once: not beside one that is %s', (way) => {
    const data = { operation: 'capture', amount: usd(1n) } as const;
    preauth(...wayTo[way](data))
      .when(capture(1n))
      .thenRejected(notPossible);
  });

  it.each(FREE)('may be asked for again after one that was %s', (way) => {
    preauth(...wayTo[way]({ operation: 'capture' }))
      .when(capture())
      .then(accepted({ number: 2, operation: 'capture' }));
  });

  it.each(HOLDING)('leaves out what is cancelled, or being cancelled: %s', (way) => {
    const cancelled = wayTo[way]({ operation: 'cancel', amount: usd(1_000n) });
    preauth(...cancelled)
      .when(capture(43n))
      .thenRejected(outOfRange);
    preauth(...cancelled)
      .when(capture())
      .thenRejected(outOfRange);
    preauth(...cancelled)
      .when(capture(42n))
      .then(accepted({ number: 2, operation: 'capture', amount: usd(42n) }));
  });

  it('of all that a cancel left is no part of it; of what an open cancel may leave it is', () => {
    const { given } = ordered('preauth', { partialCapture: false });
    const data = { operation: 'cancel', amount: usd(1_000n) } as const;
    given(...APPROVED, ...wayTo.approved(data))
      .when(capture(42n))
      .then(accepted({ number: 2, operation: 'capture', amount: usd(42n) }));
    given(...APPROVED, ...wayTo.unknown(data))
      .when(capture(42n))
      .thenRejected(notSupported);
  });

  it('is refused by a gate that cannot', () => {
    preauth()
      .when(request({ kind: 'capture', abilities: { ...ABLE_GATE, canCapture: false } }))
      .thenRejected(notSupported);
  });
});

describe('a return', () => {
  it('of a sale is a reversal, in full where no amount is named', () => sale().when(giveBack()).then(accepted()));
  it('of what was not captured is a cancel', () =>
    preauth()
      .when(giveBack())
      .then(accepted({ operation: 'cancel' })));

  it.each(DONE)('of what was captured (%s) is a reversal of that much at most', (way) => {
    const captured = wayTo[way]({ operation: 'capture', amount: usd(500n) });
    preauth(...captured)
      .when(giveBack(500n))
      .then(accepted({ number: 2, amount: usd(500n) }));
    preauth(...captured)
      .when(giveBack(501n))
      .thenRejected(outOfRange);
    preauth(...captured)
      .when(giveBack())
      .thenRejected(outOfRange);
  });

  it.each(OPEN)('waits for a capture that is %s: nobody knows yet what was taken', (way) => {
    preauth(...wayTo[way]({ operation: 'capture' }))
      .when(giveBack(1n))
      .thenRejected(notPossible);
  });

  it.each(FREE)('after a capture that was %s is a cancel', (way) => {
    preauth(...wayTo[way]({ operation: 'capture' }))
      .when(giveBack())
      .then(accepted({ number: 2, operation: 'cancel' }));
  });

  it.each(HOLDING)('never exceeds what is left beside one that is %s', (way) => {
    const returned = wayTo[way]({ amount: usd(1_000n) });
    sale(...returned)
      .when(giveBack(43n))
      .thenRejected(outOfRange);
    sale(...returned)
      .when(giveBack(42n))
      .then(accepted({ number: 2, amount: usd(42n) }));
  });

  it.each(FREE)('may take the sum again of one that was %s', (way) => {
    sale(...wayTo[way]())
      .when(giveBack())
      .then(accepted({ number: 2 }));
  });

  it.each(['sale', 'preauth'] as const)('of a part only where the gate allows it: %s', (operation) => {
    const { given } = ordered(operation, { partialReversal: false });
    given(...APPROVED)
      .when(giveBack(1n))
      .thenRejected(notSupported);
    given(...APPROVED)
      .when(giveBack(SAMPLE_AMOUNT.minor))
      .then(accepted({ operation: operation === 'sale' ? 'reversal' : 'cancel' }));
  });

  it('of all that a partial capture took is no part of it', () => {
    ordered('preauth', { partialReversal: false })
      .given(...APPROVED, ...wayTo.approved({ operation: 'capture', amount: usd(500n) }))
      .when(giveBack(500n))
      .then(accepted({ number: 2, amount: usd(500n) }));
  });

  it('of a cancel before the capture does not lessen what may be returned of the capture', () => {
    preauth(
      ...wayTo.approved({ operation: 'cancel', amount: usd(542n) }),
      ...wayTo.approved({ operation: 'capture', amount: usd(500n) }, 2),
    )
      .when(giveBack(500n))
      .then(accepted({ number: 3, amount: usd(500n) }));
  });

  it('is refused by a gate that cannot', () => {
    sale()
      .when(request({ abilities: { ...ABLE_GATE, canGiveBack: false } }))
      .thenRejected(notSupported);
  });
});

describe('a void', () => {
  it('undoes a sale until it is cleared', () => {
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

  it('is of the whole, also where the gate returns parts', () => {
    sale()
      .when(request({ kind: 'void', amount: usd(1n) }))
      .thenRejected(notSupported);
    sale()
      .when(request({ kind: 'void', amount: usd(1_043n) }))
      .thenRejected(outOfRange);
  });

  it('is never of a pre-authorisation, captured or not', () => {
    preauth().when(voiding).thenRejected(notPossible);
    preauth(...wayTo.approved({ operation: 'capture' }))
      .when(voiding)
      .thenRejected(notPossible);
  });

  it.each(HOLDING)('is not made where something is returned: %s', (way) => {
    sale(...wayTo[way]({ amount: usd(1n) }))
      .when(voiding)
      .thenRejected(notPossible);
  });

  it.each(HOLDING)('that is %s leaves nothing to do', (way) => {
    const voided = wayTo[way]({ operation: 'void' });
    for (const command of [voiding, giveBack(1n), giveBack(), capture()])
      sale(...voided)
        .when(command)
        .thenRejected(notPossible);
  });

  it.each(FREE)('that was %s leaves everything as it was', (way) => {
    const tried = wayTo[way]({ operation: 'void' });
    sale(...tried)
      .when(voiding)
      .then(accepted({ number: 2, operation: 'void' }));
    sale(...tried)
      .when(giveBack())
      .then(accepted({ number: 2 }));
  });

  it('is refused by a gate that cannot', () => {
    sale()
      .when(request({ kind: 'void', abilities: { canCapture: true, canGiveBack: true } }))
      .thenRejected(notSupported);
  });
});

describe('whatever the follow-up', () => {
  it.each([
    ['capture', preauth],
    ['return', sale],
    ['void', sale],
  ] as const)('another currency than the order’s, nothing and less than nothing are refused: %s', (kind, order) => {
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

  it('what counts is the amount approved, not the one asked for first', () => {
    const approvedLess = [attemptEvents.started(), attemptEvents.approved(), finalEvents.approved({ amount: usd(1_000n) })];
    const { given } = ordered('sale');
    given(...approvedLess)
      .when(giveBack())
      .then(accepted({ amount: usd(1_000n) }));
    given(...approvedLess)
      .when(giveBack(1_001n))
      .thenRejected(outOfRange);
  });

  it('the comment stays sealed, and notify_url hears of the end', () => {
    const comment = 'sealed-comment' as Sealed;
    sale().when(request({ comment })).then(accepted({ comment }));
    ordered('sale', {}, ['callback', 'notify'])
      .given(...APPROVED)
      .when(request())
      .then(accepted({ callbacks: ['notify'] }));
  });

  it('it names the attempt and the gate that approved the order', () => {
    const { given } = ordered('sale', { alias: 'sim-b' as never, longestFlightMs: 9_000 });
    given(attemptEvents.started({ gate: 'sim-b' as never }), attemptEvents.approved(), finalEvents.approved())
      .when(request())
      .then(accepted({ gate: 'sim-b' as never, longestFlightMs: 9_000 }));
  });

  const many = (end: 'approved' | 'declined' | 'failed', count: number, from = 0) =>
    Array.from({ length: count }, (_, index) => wayTo[end]({ amount: usd(1n) }, from + index + 1)).flat();

  it('an order has so many and no more', () => {
    sale(...many('approved', FOLLOW_UPS_MAX - 1))
      .when(giveBack(1n))
      .then(accepted({ number: FOLLOW_UPS_MAX, amount: usd(1n) }));
    sale(...many('approved', FOLLOW_UPS_MAX))
      .when(giveBack(1n))
      .thenRejected(notPossible);
  });

  it.each(['declined', 'failed'] as const)('%s ones do not use them up, until what is read of the order would have no end', (end) => {
    sale(...many(end, FOLLOW_UPS_MAX))
      .when(giveBack(1n))
      .then(accepted({ number: FOLLOW_UPS_MAX + 1, amount: usd(1n) }));
    sale(...many(end, FOLLOW_UPS_ASKED_MAX - 1))
      .when(giveBack(1n))
      .then(accepted({ number: FOLLOW_UPS_ASKED_MAX, amount: usd(1n) }));
    sale(...many(end, FOLLOW_UPS_ASKED_MAX))
      .when(giveBack(1n))
      .thenRejected(notPossible);
  });
});
