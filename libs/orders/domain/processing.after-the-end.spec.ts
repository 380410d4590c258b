import type { Decider } from '@app/kernel';
import {
  ANSWERED_AT,
  ATTEMPT_HISTORIES,
  attemptEvents,
  BOOT_ID,
  deciderSpec,
  finalEvents,
  gateAnswers,
  OTHER_KEY,
  processingCommands,
  RECEIPT_ID,
  sampleOrder,
  samplePlan,
} from '@app/testing';
import {
  conclusionOf,
  decideProcessing,
  evolveProcessing,
  processingOf,
  type Processing,
  type ProcessingCommand,
  type ProcessingEvent,
  type ProcessingRejection,
} from './processing';

const processing: Decider<ProcessingCommand, ProcessingEvent, Processing, ProcessingRejection> = {
  initial: processingOf(sampleOrder({ plan: samplePlan({ cvvHolder: BOOT_ID }) })),
  evolve: evolveProcessing,
  decide: decideProcessing,
};
const { given } = deciderSpec(processing);
const { start, record, recordPayerReturn, declineAbsentPayer, interrupt } = processingCommands;
const { started, approved, declined, notAsked, conflict } = attemptEvents;

const ends: Readonly<Record<string, readonly ProcessingEvent[]>> = {
  approved: [started(), approved(), finalEvents.approved()],
  declined: [started(), declined(), finalEvents.declined()],
  'failed because no gate could be asked': [started(), notAsked(), finalEvents.failed()],
  interrupted: [finalEvents.failed({ code: 121 })],
  filtered: [finalEvents.filtered()],
};
const lateAnswers = { approval: record(gateAnswers.approved()), decline: record(gateAnswers.declined()) };

describe.each(Object.entries(ends))('an order that was %s', (name, history) => {
  it.each([start({ key: OTHER_KEY }), recordPayerReturn(), declineAbsentPayer(), interrupt({ isHolderGone: true })])(
    'refuses $type as final',
    (command) =>
      given(...history)
        .when(command)
        .thenRejected({ reason: 'order-final' }),
  );

  it.each([gateAnswers.payerNeeded(), gateAnswers.unknown(), gateAnswers.notAsked()])('ignores an answer of $kind', (answer) =>
    given(...history)
      .when(record(answer))
      .thenRejected({ reason: 'nothing-new' }),
  );

  it('does not end again', () => {
    const { state } = given(...history);
    expect(conclusionOf(state, RECEIPT_ID, ANSWERED_AT)).toBeUndefined();
    expect(() => given(...history, finalEvents.declined())).toThrow(`OrderDeclined after ${history.at(-1)?.type}`);
  });
});

describe('a late answer after the end', () => {
  it.each([
    { end: 'approved', answer: lateAnswers.decline, fact: conflict({ believed: 'approved', told: 'declined' }) },
    { end: 'declined', answer: lateAnswers.approval, fact: conflict({ believed: 'declined', told: 'approved' }) },
    {
      end: 'failed because no gate could be asked',
      answer: lateAnswers.approval,
      fact: conflict({ believed: 'not-asked', told: 'approved' }),
    },
  ])('is recorded once beside "$end", which stays', ({ end, answer, fact }) => {
    const history = ends[end] ?? [];
    given(...history)
      .when(answer)
      .then(fact);
    given(...history, fact)
      .when(answer)
      .thenRejected({ reason: 'nothing-new' });
    expect(given(...history, fact).state.end).toStrictEqual(history.at(-1));
  });

  it.each([
    { end: 'approved', answer: lateAnswers.approval },
    { end: 'declined', answer: lateAnswers.decline },
    { end: 'failed because no gate could be asked', answer: lateAnswers.decline },
    { end: 'interrupted', answer: lateAnswers.approval },
    { end: 'filtered', answer: lateAnswers.approval },
  ])('is nothing new beside "$end" where it contradicts no attempt', ({ end, answer }) => {
    given(...(ends[end] ?? []))
      .when(answer)
      .thenRejected({ reason: 'nothing-new' });
  });
});

describe('the conclusion of the attempts, where a context asks for it later', () => {
  it.each(['none', 'started', 'unknown', 'payer-needed', 'payer-returned'] as const)('is open while the attempt is %s', (status) => {
    expect(conclusionOf(given(...ATTEMPT_HISTORIES[status]).state, RECEIPT_ID, ANSWERED_AT)).toBeUndefined();
  });

  it.each([
    { status: 'approved' as const, end: finalEvents.approved({ approvedAt: ANSWERED_AT }) },
    { status: 'declined' as const, end: finalEvents.declined({ declinedAt: ANSWERED_AT }) },
    { status: 'not-asked' as const, end: finalEvents.failed({ failedAt: ANSWERED_AT }) },
  ])('follows from an attempt that is $status', ({ status, end }) => {
    expect(conclusionOf(given(...ATTEMPT_HISTORIES[status]).state, RECEIPT_ID, ANSWERED_AT)).toStrictEqual(end);
  });
});
