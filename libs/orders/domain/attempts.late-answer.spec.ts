import type { AttemptKey, GateAlias } from '@app/kernel';
import { afterAcceptance, attemptEvents, deciderSpec, gateAnswers, processingCommands, sampleReceipt } from '@app/testing';
import { attempts } from './attempts';

const { given } = deciderSpec(attempts);
const { record } = processingCommands;
const { started, approved, declined, declinedForAbsence, notAsked, challenged, conflict, settled, unknown } = attemptEvents;

const LATER = afterAcceptance(3_600_000);
const receipt = sampleReceipt({ transactionId: 'PNTEST-late' });
const lateApproval = record(gateAnswers.approved({ receipt }), { now: LATER });
const lateDecline = record(gateAnswers.declined({ receipt }), { now: LATER });
const approvalAfter = (believed: 'declined' | 'not-asked') =>
  conflict({ believed, told: 'approved', transactionId: 'PNTEST-late', toldAt: LATER });
const declineAfterApproval = conflict({ believed: 'approved', told: 'declined', transactionId: 'PNTEST-late', toldAt: LATER });

const contradictions = [
  { name: 'an approval of what was declined', history: [started(), declined()], answer: lateApproval, fact: approvalAfter('declined') },
  {
    name: 'an approval of what was declined for an absent payer',
    history: [started(), challenged(), declinedForAbsence()],
    answer: lateApproval,
    fact: approvalAfter('declined'),
  },
  {
    name: 'an approval of what the gate was not asked',
    history: [started(), notAsked()],
    answer: lateApproval,
    fact: approvalAfter('not-asked'),
  },
  { name: 'a decline of what was approved', history: [started(), approved()], answer: lateDecline, fact: declineAfterApproval },
  {
    name: 'an approval of what an operator resolved as declined',
    history: [started(), unknown(), settled({ as: 'declined' })],
    answer: lateApproval,
    fact: approvalAfter('declined'),
  },
  {
    name: 'a decline of what an operator resolved as approved',
    history: [started(), unknown(), settled({ as: 'approved' })],
    answer: lateDecline,
    fact: declineAfterApproval,
  },
];

describe('a late answer that contradicts an attempt with a known outcome', () => {
  it.each(contradictions)('$name is recorded once, with the transaction that it names', ({ history, answer, fact }) => {
    given(...history)
      .when(answer)
      .then(fact);
    given(...history, fact)
      .when(answer)
      .thenRejected({ reason: 'nothing-new' });
  });

  it.each(contradictions)('$name never changes the outcome [W190]', ({ history, fact }) => {
    const before = given(...history).state;
    expect(given(...history, fact).state).toStrictEqual({ ...before, conflicts: [fact.data.told] });
  });

  it.each([
    ['declined', declined()],
    ['not-asked', notAsked()],
  ] as const)('is recorded of an attempt that was %s and that another one followed', (believed, outcome) => {
    const next = started({ attemptKey: '00000000-0000-4000-8000-0000000000b2' as AttemptKey, number: 2, gate: 'sim-b' as GateAlias });
    given(started(), outcome, next).when(lateApproval).then(approvalAfter(believed));
  });

  it('is nothing new where both say that nothing was charged', () => {
    given(started(), notAsked()).when(lateDecline).thenRejected({ reason: 'nothing-new' });
    given(started(), declined()).when(lateDecline).thenRejected({ reason: 'nothing-new' });
    given(started(), approved()).when(lateApproval).thenRejected({ reason: 'nothing-new' });
    given(started(), unknown(), settled({ as: 'declined' }))
      .when(lateDecline)
      .thenRejected({ reason: 'nothing-new' });
    given(started(), unknown(), settled({ as: 'approved' }))
      .when(lateApproval)
      .thenRejected({ reason: 'nothing-new' });
    given(started(), unknown(), settled()).when(record(gateAnswers.unknown())).thenRejected({ reason: 'nothing-new' });
  });
});
