import { addMs, type AttemptKey } from '@app/kernel';
import {
  attemptEvents,
  ATTEMPT_KEY,
  deciderSpec,
  finalEvents,
  FOLLOW_UP_KEY,
  followUpCommands,
  followUpEvents,
  OTHER_KEY,
  PAYER_RETURNED_AT,
  sampleOrder,
  STARTED_AT,
} from '@app/testing';
import type { FollowUpCommand } from './follow-ups';
import { decideProcessing, evolveProcessing, processingOf, type ProcessingCommand } from './processing';

const { given } = deciderSpec({ initial: processingOf(sampleOrder()), evolve: evolveProcessing, decide: decideProcessing });
const { started, unknown, approved, challenged, payerReturned } = attemptEvents;
const NOW = addMs(STARTED_AT, 9_000);
const LATER = addMs(PAYER_RETURNED_AT, 9_000);

const renew = (sentAt = STARTED_AT, key: AttemptKey = ATTEMPT_KEY, now = NOW): ProcessingCommand => ({
  type: 'RenewClaim',
  receiptId: 'receipt',
  data: { key, sentAt, now },
});

describe('a claim without a sent request', () => {
  it('is renewed by another start, from which the longest flight counts', () => {
    const { then } = given(started()).when(renew());
    then(started({ startedAt: NOW }));
    expect(given(started(), started({ startedAt: NOW })).state.attempts).toMatchObject({ status: 'started', number: 1, sentAt: NOW });
    given(started(), unknown())
      .when(renew())
      .then(started({ startedAt: NOW }));
  });

  it('is renewed with the same means of charge', () => {
    const { type, receiptId, data } = renew() as Extract<ProcessingCommand, { type: 'RenewClaim' }>;
    given(started({ chargedBy: 'token' }))
      .when({ type, receiptId, data: { ...data, chargedBy: 'token' } })
      .then(started({ chargedBy: 'token', startedAt: NOW }));
  });

  it('is renewed in the second leg by another payer return', () => {
    const secondLeg = [started(), challenged(), payerReturned()] as const;
    given(...secondLeg)
      .when(renew(PAYER_RETURNED_AT, ATTEMPT_KEY, LATER))
      .then(payerReturned({ returnedAt: LATER }));
    expect(given(...secondLeg, payerReturned({ returnedAt: LATER })).state.attempts).toMatchObject({
      status: 'payer-returned',
      sentAt: LATER,
    });
  });

  it.each([
    ['belongs to another attempt', [started()], renew(STARTED_AT, OTHER_KEY)],
    ['was renewed in the meantime', [started(), started({ startedAt: NOW })], renew()],
    ['was answered by the gate', [started(), approved(), finalEvents.approved()], renew()],
    ['waits for the payer', [started(), challenged()], renew()],
  ] as const)('is not renewed if it %s', (_, history, command) => {
    const rejection = history.some(({ type }) => type === 'OrderApproved') ? 'order-final' : 'claim-lost';
    given(...history)
      .when(command)
      .thenRejected({ reason: rejection });
  });

  it('of a follow-up is renewed until the follow-up has an outcome', () => {
    const order = [started(), approved(), finalEvents.approved()] as const;
    const { accepted, started: begun, approved: moved } = followUpEvents;
    const again: FollowUpCommand = {
      type: 'RenewFollowUp',
      data: { number: 1, key: FOLLOW_UP_KEY, sentAt: begun().data.startedAt, now: NOW },
    };
    given(...order, accepted(), begun())
      .when(again)
      .then(begun({ startedAt: NOW }));
    given(...order, accepted(), begun(), begun({ startedAt: NOW }))
      .when(again)
      .thenRejected({ reason: 'claim-lost' });
    given(...order, accepted(), begun(), moved())
      .when(again)
      .thenRejected({ reason: 'claim-lost' });
    given(...order, accepted())
      .when(again)
      .thenRejected({ reason: 'claim-lost' });
    given(...order, accepted(), begun(), begun({ startedAt: NOW }))
      .when(followUpCommands.start({ key: OTHER_KEY }))
      .thenRejected({ reason: 'follow-up-started' });
  });

  it.each(['never-heard-of', 'unavailable'] as const)(
    'is not ended by an answer that was judged against the previous claim: %s',
    (cause) => {
      const answer = { kind: 'not-asked', cause } as const;
      const judgedSentAt = STARTED_AT;
      given(started(), started({ startedAt: NOW }))
        .when({ type: 'RecordAnswer', receiptId: 'receipt', data: { key: ATTEMPT_KEY, answer, judgedSentAt, now: LATER } })
        .thenRejected({ reason: 'nothing-new' });
      const order = [started(), approved(), finalEvents.approved()] as const;
      const { accepted, started: begun, failed } = followUpEvents;
      const judged = followUpCommands.record(answer, { judgedSentAt: begun().data.startedAt });
      given(...order, accepted(), begun(), begun({ startedAt: NOW }))
        .when(judged)
        .thenRejected({ reason: 'nothing-new' });
      given(...order, accepted(), begun())
        .when(judged)
        .then(failed({ code: cause === 'never-heard-of' ? 121 : 122, failedAt: judged.data.now }));
    },
  );
});
