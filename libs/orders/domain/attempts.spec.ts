import { type GateAlias, type Sealed, addMs, type AttemptKey } from '@app/kernel';
import {
  afterAcceptance,
  ATTEMPT_HISTORIES,
  ATTEMPT_KEY,
  attemptEvents,
  deciderSpec,
  OTHER_KEY,
  processingCommands,
  usd,
  ANSWERED_AT,
  gateAnswers,
  PAYER_DUE_AT,
  STARTED_AT,
  PAYER_RETURNED_AT,
  sampleReceipt,
} from '@app/testing';
import type { AttemptEvent } from './attempt.events';
import { attempts, type AttemptRejection } from './attempts';
import { type Attempts, evolveAttempts } from './attempts.state';

const { given } = deciderSpec(attempts);
const { start, recordTaken, record, recordPayerReturn, declineAbsentPayer } = processingCommands;
const { started, approved, declined, notAsked, conflict, taken, unknown, challenged, payerReturned, declinedForAbsence, settled } =
  attemptEvents;

const next = { gate: 'sim-b' as GateAlias, amount: usd(999n) };
const startNext = start({ key: OTHER_KEY, ...next, now: afterAcceptance(500) });
const nextStarted = (number: number) => started({ attemptKey: OTHER_KEY, number, ...next, startedAt: afterAcceptance(500) });

const expectations: Readonly<Record<Attempts['status'], AttemptEvent | AttemptRejection>> = {
  none: nextStarted(1),
  started: { reason: 'attempt-open' },
  unknown: { reason: 'attempt-open' },
  'payer-needed': { reason: 'attempt-open' },
  'payer-returned': { reason: 'attempt-open' },
  approved: { reason: 'attempt-approved' },
  declined: nextStarted(2),
  'not-asked': nextStarted(2),
};

describe('starting an attempt', () => {
  it.each(Object.keys(expectations) as Attempts['status'][])(
    'requires that any previous attempt was declined or not asked: %s',
    (status) => {
      const history = ATTEMPT_HISTORIES[status];
      const expected = expectations[status];
      if ('reason' in expected)
        return given(...history)
          .when(startNext)
          .thenRejected(expected);
      given(...history)
        .when(startNext)
        .then(expected);
      given(...history, expected)
        .when(startNext)
        .thenRejected({ reason: 'attempt-open' });
    },
  );

  it("records the gate's issuer data", () => {
    const issuer = { cardType: 'VISA', country: 'USA', bank: 'A BANK' };
    given().when(start({ issuer })).then(started({ issuer }));
  });

  it('numbers the attempts of an order consecutively', () => {
    given(started(), declined(), nextStarted(2), notAsked({ attemptKey: OTHER_KEY }))
      .when(startNext)
      .then(nextStarted(3));
  });

  it.each([
    ['declined', [started(), declined(), conflict({ believed: 'declined' })]],
    ['not asked', [started(), notAsked(), conflict({ believed: 'not-asked' })]],
  ])('is rejected after an attempt that was %s if the gate later reported an approval', (_, history) => {
    given(...history)
      .when(startNext)
      .thenRejected({ reason: 'attempt-approved' });
  });

  it('begins without conflicts and keeps the outcome of the previous attempt', () => {
    expect(given(started(), declined(), nextStarted(2)).state).toMatchObject({
      conflicts: [],
      earlier: [{ key: ATTEMPT_KEY, status: 'declined', conflicts: [] }],
    });
    expect(given(started(), approved(), conflict({ believed: 'approved', told: 'declined' })).state).toMatchObject({
      conflicts: ['declined'],
    });
    expect(given(nextStarted(2)).state).toStrictEqual({
      status: 'started',
      key: OTHER_KEY,
      number: 2,
      ...next,
      startedAt: afterAcceptance(500),
      sentAt: afterAcceptance(500),
      conflicts: [],
      earlier: [],
    });
  });
});

const NAME = { gateOrderId: '1000000007' };
const SESSION = { session: 'key.iv.text' as Sealed };
const nothingNew = { reason: 'nothing-new' } as const;

describe('the gate’s references for an attempt', () => {
  it.each(['started', 'unknown', 'payer-needed', 'payer-returned'] as const)('are recorded while the attempt is open: %s', (status) => {
    given(...ATTEMPT_HISTORIES[status])
      .when(recordTaken(NAME))
      .then(taken(NAME));
  });

  it.each(['none', 'approved', 'declined', 'not-asked'] as const)('are not recorded if no inquiry can follow: %s', (status) => {
    given(...ATTEMPT_HISTORIES[status])
      .when(recordTaken(NAME))
      .thenRejected(nothingNew);
  });

  it('are recorded once, and the first value is kept', () => {
    given(started(), taken(NAME))
      .when(recordTaken({ gateOrderId: '1000000008' }))
      .thenRejected(nothingNew);
    given(started(), taken(NAME))
      .when(recordTaken({ gateOrderId: '1000000008', ...SESSION }))
      .then(taken(SESSION));
  });

  it('are not recorded if they are empty or belong to another attempt', () => {
    given(started()).when(recordTaken({})).thenRejected(nothingNew);
    given(started())
      .when(recordTaken(NAME, { key: OTHER_KEY }))
      .thenRejected(nothingNew);
  });

  it('are kept until the outcome is known', () => {
    const state = [started(), taken(NAME), taken(SESSION), unknown(), challenged(), payerReturned(), unknown()].reduce<Attempts>(
      evolveAttempts,
      attempts.initial,
    );
    expect(state).toMatchObject({ status: 'unknown', ...NAME, ...SESSION });
  });

  it('are not copied to the next attempt', () => {
    const next = started({ attemptKey: OTHER_KEY, number: 2 });
    const state = [...ATTEMPT_HISTORIES.declined.slice(0, 1), taken(NAME), ...ATTEMPT_HISTORIES.declined.slice(1), next].reduce<Attempts>(
      evolveAttempts,
      attempts.initial,
    );
    expect(state).toMatchObject({ status: 'started', key: OTHER_KEY });
    expect(state).not.toHaveProperty('gateOrderId');
  });
});

describe('recorded attempts', () => {
  const { started, ...later } = attemptEvents;
  const laterEvents = Object.values(later).map((make) => make());

  describe('an impossible history throws', () => {
    it.each(laterEvents.map((event) => ({ type: event.type, event })))('at $type before AttemptStarted', ({ type, event }) => {
      expect(() => given(event)).toThrow(`${type} before AttemptStarted`);
    });

    it.each(laterEvents.map((event) => ({ type: event.type, event })))(
      'at $type of an attempt other than the latest',
      ({ type, event }) => {
        expect(() => given(started({ attemptKey: OTHER_KEY }), event)).toThrow(`${type} of another attempt than the newest`);
        expect(() => given(started(), { ...event, data: { ...event.data, attemptKey: ATTEMPT_KEY } } as AttemptEvent)).not.toThrow();
      },
    );

    it.each(['approved', 'declined', 'not-asked'] as const)('at a repeated AttemptStarted of an attempt that is %s', (status) => {
      const history = ATTEMPT_HISTORIES[status];
      expect(() => given(...history, started())).toThrow(`AttemptStarted again of an attempt that is ${status}`);
    });
  });

  describe('the state of the latest attempt', () => {
    it.each(Object.entries(ATTEMPT_HISTORIES))('is projected from its history: %s', (status, history) => {
      expect(given(...history).state.status).toBe(status);
    });

    it("contains the issuer's advice and the receipt only if they were recorded", () => {
      const { receipt, ...bare } = later.declined().data;
      expect(given(started(), later.declined({ advice: 'call your bank' })).state).toMatchObject({ receipt, advice: 'call your bank' });
      const state = given(started(), { type: 'AttemptDeclined', data: bare }).state;
      expect(state).not.toHaveProperty('receipt');
      expect(state).not.toHaveProperty('advice');
    });
  });
});

const challenge = challenged({ isHosted: true });
const hosted = [started(), challenge];
const overdue = [...hosted, unknown({ cause: 'gate-undecided', isCallOver: true, answeredAt: PAYER_DUE_AT })];
const NOTHING_NEW = { reason: 'nothing-new' } as const;
const inTime = addMs(PAYER_DUE_AT, -1);

describe('an attempt whose gate hosts the payer’s authentication', () => {
  it('is recorded as a hosted challenge', () => {
    given(started())
      .when(record(gateAnswers.payerNeeded({ isHosted: true }), { now: ANSWERED_AT }))
      .then(challenge);
  });

  it('rejects a payer return and an absent-payer decline, since the gate may still charge', () => {
    given(...hosted)
      .when(recordPayerReturn({ now: inTime }))
      .thenRejected({ reason: 'payer-not-awaited' });
    given(...hosted)
      .when(declineAbsentPayer({ now: addMs(PAYER_DUE_AT, 1), isTimeOver: true }))
      .thenRejected({ reason: 'payer-not-awaited' });
  });

  it.each([
    ['approved', gateAnswers.approved(), approved({ answeredAt: inTime })],
    ['declined', gateAnswers.declined(), declined({ answeredAt: inTime })],
  ])('is %s by the gate’s answer to an inquiry', (_, answer, event) => {
    given(...hosted)
      .when(record(answer, { now: inTime }))
      .then(event);
  });

  it('becomes not-asked by an inquiry, but not by a late answer to its first request', () => {
    given(...hosted)
      .when(record(gateAnswers.notAsked(), { now: inTime, judgedSentAt: STARTED_AT }))
      .then(notAsked({ answeredAt: inTime }));
    given(...hosted)
      .when(record(gateAnswers.notAsked(), { now: inTime }))
      .thenRejected(NOTHING_NEW);
  });

  it.each([gateAnswers.unknown(), gateAnswers.payerNeeded({ isHosted: true })])(
    'is unchanged by an undecided answer before the payer’s deadline and unknown after it: $kind',
    (answer) => {
      given(...hosted)
        .when(record(answer, { now: inTime }))
        .thenRejected(NOTHING_NEW);
      given(...hosted)
        .when(record(answer, { now: PAYER_DUE_AT }))
        .then(unknown({ cause: 'gate-undecided', isCallOver: true, answeredAt: PAYER_DUE_AT }));
    },
  );

  it('is not challenged again after it became unknown, and accepts the gate’s outcome at any time', () => {
    const late = addMs(PAYER_DUE_AT, 3_600_000);
    given(...overdue)
      .when(record(gateAnswers.payerNeeded({ isHosted: true }), { now: late }))
      .thenRejected(NOTHING_NEW);
    given(...overdue)
      .when(record(gateAnswers.approved(), { now: late }))
      .then(approved({ answeredAt: late }));
  });
});

const awaited = [started(), challenged()];
const moments = { before: addMs(PAYER_DUE_AT, -1), at: PAYER_DUE_AT, after: addMs(PAYER_DUE_AT, 1) };

describe('payer return and absent-payer decline', () => {
  it('before the deadline only the return is accepted', () => {
    given(...awaited)
      .when(recordPayerReturn({ now: moments.before }))
      .then(payerReturned({ returnedAt: moments.before }));
    given(...awaited)
      .when(declineAbsentPayer({ now: moments.before }))
      .thenRejected({ reason: 'payer-still-has-time' });
  });

  it.each([moments.at, moments.after])('at or after the deadline only the decline with code 110 is accepted (%i)', (now) => {
    given(...awaited)
      .when(recordPayerReturn({ now }))
      .thenRejected({ reason: 'payer-too-late' });
    given(...awaited)
      .when(declineAbsentPayer({ now }))
      .then(declinedForAbsence(now));
  });

  it('after the return both are rejected', () => {
    const back = [...awaited, payerReturned()];
    given(...back)
      .when(declineAbsentPayer({ now: moments.after }))
      .thenRejected({ reason: 'payer-not-awaited' });
    given(...back)
      .when(recordPayerReturn({ now: moments.before }))
      .thenRejected({ reason: 'payer-not-awaited' });
  });

  it('after the absent-payer decline both are rejected', () => {
    const absent = [...awaited, declinedForAbsence()];
    given(...absent)
      .when(recordPayerReturn({ now: moments.before }))
      .thenRejected({ reason: 'payer-not-awaited' });
    given(...absent)
      .when(declineAbsentPayer({ now: moments.after }))
      .thenRejected({ reason: 'payer-not-awaited' });
    expect(given(...absent).state).not.toHaveProperty('receipt');
  });

  it.each((Object.keys(ATTEMPT_HISTORIES) as Attempts['status'][]).filter((status) => status !== 'payer-needed'))(
    'both are rejected while the attempt is %s',
    (status) => {
      const history = ATTEMPT_HISTORIES[status];
      given(...history)
        .when(recordPayerReturn())
        .thenRejected({ reason: 'payer-not-awaited' });
      given(...history)
        .when(declineAbsentPayer())
        .thenRejected({ reason: 'payer-not-awaited' });
    },
  );

  it('both are rejected under the key of another attempt', () => {
    given(...awaited)
      .when(recordPayerReturn({ key: OTHER_KEY }))
      .thenRejected({ reason: 'payer-not-awaited' });
    given(...awaited)
      .when(declineAbsentPayer({ key: OTHER_KEY }))
      .thenRejected({ reason: 'payer-not-awaited' });
  });

  it('the return restarts the gate’s longest flight', () => {
    expect(given(...awaited, payerReturned()).state).toMatchObject({ returnedAt: PAYER_RETURNED_AT, sentAt: PAYER_RETURNED_AT });
  });
});

const LATER = afterAcceptance(3_600_000);
const receipt = sampleReceipt({ transactionId: 'PNTEST-late' });
const lateApproval = record(gateAnswers.approved({ receipt }), { now: LATER });
const lateDecline = record(gateAnswers.declined({ receipt }), { now: LATER });
const approvalAfter = (believed: 'declined' | 'not-asked') =>
  conflict({ believed, told: 'approved', transactionId: 'PNTEST-late', toldAt: LATER });
const declineAfterApproval = conflict({ believed: 'approved', told: 'declined', transactionId: 'PNTEST-late', toldAt: LATER });

const contradictions = [
  { name: 'an approval after a decline', history: [started(), declined()], answer: lateApproval, fact: approvalAfter('declined') },
  {
    name: 'an approval after a decline for an absent payer',
    history: [started(), challenged(), declinedForAbsence()],
    answer: lateApproval,
    fact: approvalAfter('declined'),
  },
  {
    name: 'an approval after not-asked',
    history: [started(), notAsked()],
    answer: lateApproval,
    fact: approvalAfter('not-asked'),
  },
  { name: 'a decline after an approval', history: [started(), approved()], answer: lateDecline, fact: declineAfterApproval },
  {
    name: 'an approval after an operator resolved the attempt as declined',
    history: [started(), unknown(), settled({ as: 'declined' })],
    answer: lateApproval,
    fact: approvalAfter('declined'),
  },
  {
    name: 'a decline after an operator resolved the attempt as approved',
    history: [started(), unknown(), settled({ as: 'approved' })],
    answer: lateDecline,
    fact: declineAfterApproval,
  },
];

describe('a late answer that contradicts an attempt with a known outcome', () => {
  it.each(contradictions)('is recorded once, with its transaction: $name', ({ history, answer, fact }) => {
    given(...history)
      .when(answer)
      .then(fact);
    given(...history, fact)
      .when(answer)
      .thenRejected({ reason: 'nothing-new' });
  });

  it.each(contradictions)('does not change the outcome: $name [W190]', ({ history, fact }) => {
    const before = given(...history).state;
    expect(given(...history, fact).state).toStrictEqual({ ...before, conflicts: [fact.data.told] });
  });

  it.each([
    ['declined', declined()],
    ['not-asked', notAsked()],
  ] as const)('is recorded for an attempt that was %s and followed by another one', (believed, outcome) => {
    const next = started({ attemptKey: '00000000-0000-4000-8000-0000000000b2' as AttemptKey, number: 2, gate: 'sim-b' as GateAlias });
    given(started(), outcome, next).when(lateApproval).then(approvalAfter(believed));
  });

  it('is not new if both outcomes mean that nothing was charged, or both mean approved', () => {
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
