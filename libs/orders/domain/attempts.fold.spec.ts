import { attemptEvents, ATTEMPT_HISTORIES, ATTEMPT_KEY, deciderSpec, OTHER_KEY } from '@app/testing';
import type { AttemptEvent } from './attempt.events';
import { attempts } from './attempts';

const { given } = deciderSpec(attempts);
const { started, ...later } = attemptEvents;
const laterEvents = Object.values(later).map((make) => make());

describe('folding an impossible log of attempts throws', () => {
  it.each(laterEvents.map((event) => ({ type: event.type, event })))('at $type before AttemptStarted', ({ type, event }) => {
    expect(() => given(event)).toThrow(`${type} before AttemptStarted`);
  });

  it.each(laterEvents.map((event) => ({ type: event.type, event })))('at $type of another attempt than the newest', ({ type, event }) => {
    expect(() => given(started({ attemptKey: OTHER_KEY }), event)).toThrow(`${type} of another attempt than the newest`);
    expect(() => given(started(), { ...event, data: { ...event.data, attemptKey: ATTEMPT_KEY } } as AttemptEvent)).not.toThrow();
  });

  it.each(['approved', 'declined', 'not-asked'] as const)('at AttemptStarted again of an attempt that is %s', (status) => {
    const history = ATTEMPT_HISTORIES[status];
    expect(() => given(...history, started())).toThrow(`AttemptStarted again of an attempt that is ${status}`);
  });
});

describe('the newest attempt as its order knows it', () => {
  it.each(Object.entries(ATTEMPT_HISTORIES))('is folded from its history: %s', (status, history) => {
    expect(given(...history).state.status).toBe(status);
  });

  it("has the issuer's advice and the receipt where there are any, and no such member where there are none", () => {
    const { receipt, ...bare } = later.declined().data;
    expect(given(started(), later.declined({ advice: 'call your bank' })).state).toMatchObject({ receipt, advice: 'call your bank' });
    const state = given(started(), { type: 'AttemptDeclined', data: bare }).state;
    expect(state).not.toHaveProperty('receipt');
    expect(state).not.toHaveProperty('advice');
  });
});
