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

describe('what can still be returned (safety, I12)', () => {
  it.each([
    ['a chargeback', chargeback({ amount: usd(FULL - 5n) })],
    ['a reversal', reversal({ amount: usd(FULL - 5n) })],
  ])('is what %s left [W475]', (_, event) => {
    sale(event).when(refund(6n)).thenRejected(outOfRange);
    for (const rest of [refund(5n), refund()])
      sale(event)
        .when(rest)
        .then(accepted({ amount: usd(5n) }));
  });

  it('is nothing after a chargeback of all, and all again once that was won back', () => {
    for (const any of [refund(1n), refund()]) sale(chargeback()).when(any).thenRejected(outOfRange);
    sale(chargeback(), representment({ outcome: 'lost' }))
      .when(refund(1n))
      .thenRejected(outOfRange);
    sale(chargeback(), representment()).when(refund()).then(accepted());
  });

  it('is nothing again after the second stage of a case that was won at the first', () => {
    sale(chargeback(), representment(), chargeback({ stage: 'second' }))
      .when(refund(1n))
      .thenRejected(outOfRange);
  });

  it('is counted from the sum of the latest stage', () => {
    sale(chargeback(), chargeback({ stage: 'second', amount: usd(FULL - 1n) }))
      .when(refund(1n))
      .then(accepted({ amount: usd(1n) }));
  });

  it('was granted to a return that is not sent any more where a chargeback took it meanwhile', () => {
    sale(accepted(), chargeback())
      .when(start())
      .then(started(), failed({ failedAt: started().data.startedAt }));
  });
});

describe('beside what a gate took back', () => {
  it('nothing can be voided, until it is won back', () => {
    sale(chargeback({ amount: usd(1n) }))
      .when(request({ kind: 'void' }))
      .thenRejected(notPossible);
    sale(chargeback({ amount: usd(1n) }), representment())
      .when(request({ kind: 'void' }))
      .then(accepted({ operation: 'void' }));
  });

  it('a capture takes what was not released, and a cancel releases the rest', () => {
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

  it('what was captured is returned as far as it was not charged back', () => {
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
