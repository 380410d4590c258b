import { isRejection, type AnyRejection, type Decider, type Decision, type NonEmpty } from '@app/kernel';

interface Outcome<Event, Rejection> {
  then(first: Event, ...rest: readonly Event[]): void;
  thenRejected(rejection: Rejection): void;
  readonly decision: Decision<Event, Rejection & AnyRejection>;
}

export interface Given<Command, Event, State, Rejection> {
  when(command: Command): Outcome<Event, Rejection>;
  readonly state: State;
}

const deepFreeze = <Value>(value: Value): Value => {
  if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value) || Object.isFrozen(value)) return value;
  Object.freeze(value);
  for (const member of Object.values(value)) deepFreeze(member);
  return value;
};

/**
 * Reads as sentences: `const { given } = deciderSpec(recurring)`, then `given(accepted, started).when(command).then(approved)` or
 * `.thenRejected({ reason: 'attempt-open' })`.
 * Events, states and commands are frozen, so that mutating an input throws.
 */
export const deciderSpec = <Command, Event, State, Rejection extends AnyRejection>(decider: Decider<Command, Event, State, Rejection>) => {
  const fold = (state: State, events: readonly Event[]): State =>
    events.reduce((folded, event) => deepFreeze(decider.evolve(folded, deepFreeze(event))), state);

  return {
    given: (...events: readonly Event[]): Given<Command, Event, State, Rejection> => {
      const state = fold(deepFreeze(decider.initial), events);
      return {
        state,
        when: (command) => {
          const decision = decider.decide(deepFreeze(command), state);
          return {
            decision,
            then: (first, ...rest) => {
              expect(decision).toStrictEqual<NonEmpty<Event>>([first, ...rest]);
              fold(state, [first, ...rest]);
            },
            thenRejected: (rejection) => {
              expect(decision).toStrictEqual(rejection);
              expect(isRejection(decision)).toBe(true);
            },
          };
        },
      };
    },
  };
};
