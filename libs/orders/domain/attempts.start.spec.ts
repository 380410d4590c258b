import type { GateAlias } from '@app/kernel';
import {
  afterAcceptance,
  ATTEMPT_HISTORIES,
  ATTEMPT_KEY,
  attemptEvents,
  deciderSpec,
  OTHER_KEY,
  processingCommands,
  usd,
} from '@app/testing';
import type { AttemptEvent } from './attempt.events';
import { attempts, type AttemptRejection } from './attempts';
import type { Attempts } from './attempts.state';

const { given } = deciderSpec(attempts);
const { start } = processingCommands;
const { started, approved, declined, notAsked, conflict } = attemptEvents;

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

describe('an attempt starts only when the one before it ended with a definite no', () => {
  it.each(Object.keys(expectations) as Attempts['status'][])('after an attempt that is %s', (status) => {
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
  });

  it("records what the gate's data say of the issuer with the intent", () => {
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
  ])('starts nothing once the gate has reported that the attempt which was %s is approved, because money moved', (_, history) => {
    given(...history)
      .when(startNext)
      .thenRejected({ reason: 'attempt-approved' });
  });

  it('starts the next attempt without a contradiction of its own, and keeps the outcome of the one before', () => {
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
