import type { Sealed } from '@app/kernel';
import {
  ANSWERED_AT,
  ATTEMPT_HISTORIES,
  attemptEvents,
  deciderSpec,
  gateAnswers,
  OTHER_KEY,
  PAYER_DUE_AT,
  PAYER_RETURNED_AT,
  processingCommands,
  sampleReceipt,
  STARTED_AT,
} from '@app/testing';
import type { AttemptEvent } from './attempt.events';
import { attempts, type AttemptRejection, type GateAnswer } from './attempts';
import type { Attempts } from './attempts.state';

const { given } = deciderSpec(attempts);
const { record } = processingCommands;
const { started, approved, declined, unknown, notAsked, challenged, payerReturned, conflict } = attemptEvents;

type Situation = Attempts['status'] | 'unknown, the payer is back';
const histories: Readonly<Record<Situation, readonly AttemptEvent[]>> = {
  ...ATTEMPT_HISTORIES,
  'unknown, the payer is back': [started(), challenged(), payerReturned(), unknown()],
};

const answers: Readonly<Record<GateAnswer['kind'], GateAnswer>> = {
  approved: gateAnswers.approved(),
  declined: gateAnswers.declined(),
  'payer-needed': gateAnswers.payerNeeded(),
  unknown: gateAnswers.unknown(),
  'not-asked': gateAnswers.notAsked(),
};

const nothingNew = { reason: 'nothing-new' } as const;

const expectations: Readonly<Record<Situation, Readonly<Record<GateAnswer['kind'], AttemptEvent | AttemptRejection>>>> = {
  none: { approved: nothingNew, declined: nothingNew, 'payer-needed': nothingNew, unknown: nothingNew, 'not-asked': nothingNew },
  started: { approved: approved(), declined: declined(), 'payer-needed': challenged(), unknown: unknown(), 'not-asked': notAsked() },
  unknown: { approved: approved(), declined: declined(), 'payer-needed': challenged(), unknown: nothingNew, 'not-asked': notAsked() },
  'unknown, the payer is back': {
    approved: approved(),
    declined: declined(),
    'payer-needed': nothingNew,
    unknown: nothingNew,
    'not-asked': notAsked(),
  },
  'payer-needed': {
    approved: approved(),
    declined: declined(),
    'payer-needed': nothingNew,
    unknown: nothingNew,
    'not-asked': nothingNew,
  },
  'payer-returned': {
    approved: approved(),
    declined: declined(),
    'payer-needed': nothingNew,
    unknown: unknown(),
    'not-asked': notAsked(),
  },
  approved: {
    approved: nothingNew,
    declined: conflict({ believed: 'approved', told: 'declined' }),
    'payer-needed': nothingNew,
    unknown: nothingNew,
    'not-asked': nothingNew,
  },
  declined: {
    approved: conflict({ believed: 'declined', told: 'approved' }),
    declined: nothingNew,
    'payer-needed': nothingNew,
    unknown: nothingNew,
    'not-asked': nothingNew,
  },
  'not-asked': {
    approved: conflict({ believed: 'not-asked', told: 'approved' }),
    declined: nothingNew,
    'payer-needed': nothingNew,
    unknown: nothingNew,
    'not-asked': nothingNew,
  },
};

const situations = Object.keys(expectations) as Situation[];
const kinds = Object.keys(answers) as GateAnswer['kind'][];
const pairs = situations.flatMap((situation) => kinds.map((kind) => ({ situation, kind })));

describe("the gate's answer to an attempt", () => {
  it.each(pairs)('is recorded at most once: status $situation, answer $kind', ({ situation, kind }) => {
    const command = record(answers[kind]);
    const history = histories[situation];
    const expected = expectations[situation][kind];
    if ('reason' in expected)
      return given(...history)
        .when(command)
        .thenRejected(expected);
    given(...history)
      .when(command)
      .then(expected);
    given(...history, expected)
      .when(command)
      .thenRejected(nothingNew);
  });

  it.each(pairs)("is ignored under another attempt's key: status $situation, answer $kind", ({ situation, kind }) => {
    given(...histories[situation])
      .when(record(answers[kind], { key: OTHER_KEY }))
      .thenRejected(nothingNew);
  });

  it('is applied only if the request it was judged against is still the latest one', () => {
    const neverHeardOf = gateAnswers.notAsked({ cause: 'never-heard-of' });
    const ofFirstLeg = record(neverHeardOf, { judgedSentAt: STARTED_AT });
    const ofSecondLeg = record(neverHeardOf, { judgedSentAt: PAYER_RETURNED_AT });
    const recorded = notAsked({ cause: 'never-heard-of' });
    const payerBack = [started(), challenged(), payerReturned()];
    for (const history of [[started()], [started(), unknown()]]) {
      given(...history)
        .when(ofFirstLeg)
        .then(recorded);
      given(...history)
        .when(ofSecondLeg)
        .thenRejected(nothingNew);
    }
    for (const history of [payerBack, [...payerBack, unknown()]]) {
      given(...history)
        .when(ofFirstLeg)
        .thenRejected(nothingNew);
      given(...history)
        .when(ofSecondLeg)
        .then(recorded);
    }
  });

  it('is recorded with the references of acquirer and issuer', () => {
    const receipt = sampleReceipt({ terminalId: 'T-1', payerAuthentication: 'AUTHENTICATED', eci: '05' });
    given(started())
      .when(record(gateAnswers.declined({ receipt, code: 209, advice: 'use another card' })))
      .then(declined({ receipt, code: 209, advice: 'use another card' }));
    given(started())
      .when(record(gateAnswers.approved({ receipt, approvalCode: 'Z9' })))
      .then(approved({ receipt, approvalCode: 'Z9' }));
  });

  it('is recorded with the cause of an unknown or not-asked outcome', () => {
    given(started())
      .when(record(gateAnswers.unknown({ cause: 'connection-lost' })))
      .then(unknown({ cause: 'connection-lost' }));
    given(started())
      .when(record(gateAnswers.notAsked({ cause: 'never-heard-of' })))
      .then(notAsked({ cause: 'never-heard-of' }));
  });

  it('challenges the payer if an inquiry after an unknown outcome finds a challenge', () => {
    const page = 'another-sealed-page' as Sealed;
    const found = challenged({ page, transactionId: 'PNTEST-2' });
    given(started(), unknown())
      .when(record(gateAnswers.payerNeeded({ page, transactionId: 'PNTEST-2' })))
      .then(found);
    expect(given(started(), unknown(), found).state).toMatchObject({ status: 'payer-needed', page, payerDueAt: PAYER_DUE_AT });
  });

  it('does not challenge the payer a second time after the payer’s return', () => {
    const history = [started(), challenged(), payerReturned(), unknown()];
    expect(given(...history).state).toMatchObject({ status: 'unknown', isPayerBack: true, unknownSince: ANSWERED_AT });
    given(...history, unknown({ cause: 'connection-lost' }))
      .when(record(gateAnswers.payerNeeded()))
      .thenRejected(nothingNew);
    expect(given(started(), unknown()).state).toMatchObject({ status: 'unknown', isPayerBack: false });
  });
});
