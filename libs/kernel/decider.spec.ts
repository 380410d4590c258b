import { isRejection, unreachable, type Decision } from './decider';
import { Secret } from './values/secret';

type Sample = Decision<{ type: 'Happened' }, { reason: 'nothing-new' }>;

describe('isRejection', () => {
  it('returns true for a rejection, and false for a list of events', () => {
    const refused: Sample = { reason: 'nothing-new' };
    const decided: Sample = [{ type: 'Happened' }];
    expect(isRejection(refused)).toBe(true);
    expect(isRejection(decided)).toBe(false);
  });
});

describe('unreachable', () => {
  it.each([
    ['a word', 'unheard-of', 'no case for "unheard-of"'],
    ['an event', { type: 'UnheardOf' }, 'no case for {"type":"UnheardOf"}'],
    ['an amount of money', { minor: 12n }, 'no case for {"minor":"12"}'],
    ['a secret', { card: new Secret('hidden-value') }, 'no case for {"card":"[redacted]"}'],
  ])('throws an error that names the value: %s', (_, value, message) => {
    expect(() => unreachable(value as never)).toThrow(new Error(message));
  });
});
