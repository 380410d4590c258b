import type { Decider } from '@app/kernel';
import { deciderSpec } from './given-when-then';

type Event = { readonly type: 'Counted'; readonly by: number };
const counter: Decider<number, Event, { readonly sum: number }, { readonly reason: 'too-much' }> = {
  initial: { sum: 0 },
  evolve: ({ sum }, { by }) => ({ sum: sum + by }),
  decide: (by, { sum }) => (sum + by > 10 ? { reason: 'too-much' } : [{ type: 'Counted', by }]),
};
const { given } = deciderSpec(counter);
const counted = (by: number): Event => ({ type: 'Counted', by });

describe('the specification of a decider', () => {
  it('passes for exactly the expected events or rejection', () => {
    given(counted(3), counted(4)).when(2).then(counted(2));
    given(counted(9)).when(2).thenRejected({ reason: 'too-much' });
    expect(given(counted(3), counted(4)).state).toStrictEqual({ sum: 7 });
  });

  it('fails for other, additional or missing events, or another rejection', () => {
    expect(() => given().when(2).then(counted(3))).toThrow();
    expect(() => given().when(2).then(counted(2), counted(2))).toThrow();
    expect(() => given(counted(9)).when(2).then(counted(2))).toThrow();
    expect(() => given().when(2).thenRejected({ reason: 'too-much' })).toThrow();
    expect(() =>
      given(counted(9))
        .when(2)
        .thenRejected({ reason: 'other' as 'too-much' }),
    ).toThrow();
  });

  it('fails if the decider changes its input', () => {
    const { given: careless } = deciderSpec<number, Event, { sum: number }, { reason: 'too-much' }>({
      ...counter,
      evolve: (state, { by }) => {
        state.sum += by;
        return state;
      },
    });
    expect(() => careless(counted(1))).toThrow(TypeError);
  });
});
