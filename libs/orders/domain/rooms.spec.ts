import {
  attemptEvents,
  deciderSpec,
  disputeEvents,
  finalEvents,
  followUpCommands,
  followUpEvents,
  SAMPLE_AMOUNT,
  sampleOrder,
  samplePlan,
  usd,
} from '@app/testing';
import type { Operation } from './accepted-order';
import { decideProcessing, evolveProcessing, processingOf, type ProcessingEvent } from './processing';

const FULL = SAMPLE_AMOUNT.minor;
const { request, start } = followUpCommands;
const { accepted, started, failed, approved } = followUpEvents;
const { reversal, chargeback, representment } = disputeEvents;
const outOfRange = { reason: 'amount-out-of-range' } as const;
const notPossible = { reason: 'operation-not-possible' } as const;

const of =
  (operation: Operation) =>
  (...after: readonly ProcessingEvent[]) =>
    deciderSpec({
      initial: processingOf(sampleOrder({ plan: samplePlan({ operation }) })),
      evolve: evolveProcessing,
      decide: decideProcessing,
    }).given(attemptEvents.started(), attemptEvents.approved(), finalEvents.approved(), ...after);
const sale = of('sale');
const preauth = of('preauth');
const refund = (minor?: bigint) => request({ kind: 'return', ...(minor !== undefined && { amount: usd(minor) }) });

describe('the returnable amount (safety, I12)', () => {
  it.each([
    ['a chargeback', chargeback({ amount: usd(FULL - 5n) })],
    ['a reversal', reversal({ amount: usd(FULL - 5n) })],
  ])('is reduced by %s [W475]', (_, event) => {
    sale(event).when(refund(6n)).thenRejected(outOfRange);
    for (const rest of [refund(5n), refund()])
      sale(event)
        .when(rest)
        .then(accepted({ amount: usd(5n) }));
  });

  it('is zero after a full or lost chargeback, and full again after a won representment', () => {
    for (const any of [refund(1n), refund()]) sale(chargeback()).when(any).thenRejected(outOfRange);
    sale(chargeback(), representment({ outcome: 'lost' }))
      .when(refund(1n))
      .thenRejected(outOfRange);
    sale(chargeback(), representment()).when(refund()).then(accepted());
  });

  it('is zero again after the second stage of a won case', () => {
    sale(chargeback(), representment(), chargeback({ stage: 'second' }))
      .when(refund(1n))
      .thenRejected(outOfRange);
  });

  it('is computed from the amount of the latest stage', () => {
    sale(chargeback(), chargeback({ stage: 'second', amount: usd(FULL - 1n) }))
      .when(refund(1n))
      .then(accepted({ amount: usd(1n) }));
  });

  it('fails an accepted return at its start if a chargeback took the amount first', () => {
    sale(accepted(), chargeback())
      .when(start())
      .then(started(), failed({ failedAt: started().data.startedAt }));
  });
});

describe('after a gate’s reversal or chargeback', () => {
  it('a void is rejected until the case is won', () => {
    sale(chargeback({ amount: usd(1n) }))
      .when(request({ kind: 'void' }))
      .thenRejected(notPossible);
    sale(chargeback({ amount: usd(1n) }), representment())
      .when(request({ kind: 'void' }))
      .then(accepted({ operation: 'void' }));
  });

  it('a capture or cancel is limited to the part that was not released', () => {
    const released = reversal({ operation: 'cancel', amount: usd(FULL - 5n) });
    for (const amount of [{}, { amount: usd(5n) }]) {
      preauth(released)
        .when(request({ kind: 'capture', ...amount }))
        .then(accepted({ operation: 'capture', amount: usd(5n) }));
      preauth(released)
        .when(request({ kind: 'return', ...amount }))
        .then(accepted({ operation: 'cancel', amount: usd(5n) }));
    }
    preauth(released).when(refund(6n)).thenRejected(outOfRange);
  });

  it('a return of a capture is limited to the part that was not charged back', () => {
    const captured = [accepted({ operation: 'capture', amount: usd(400n) }), started(), approved()];
    preauth(...captured, chargeback({ amount: usd(100n) }))
      .when(refund(301n))
      .thenRejected(outOfRange);
    for (const rest of [refund(300n), refund()])
      preauth(...captured, chargeback({ amount: usd(100n) }))
        .when(rest)
        .then(accepted({ number: 2, amount: usd(300n) }));
  });
});
