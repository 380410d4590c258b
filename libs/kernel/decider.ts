export type NonEmpty<Item> = readonly [Item, ...Item[]];

/** A refusal as a value; `accepted-before` and `nothing-new` mean that the command was accepted and changes nothing. */
export interface AnyRejection {
  readonly reason: string;
}

export type Decision<Event, Rejection extends AnyRejection> = NonEmpty<Event> | Rejection;

/** The pure decision logic of a stream: time, ids and chance come with the command; a bug throws, a refusal is returned. */
export interface Decider<Command, Event, State, Rejection extends AnyRejection> {
  readonly initial: State;
  evolve(state: State, event: Event): State;
  decide(command: Command, state: State): Decision<Event, Rejection>;
}

export const isRejection = <Event, Rejection extends AnyRejection>(decision: Decision<Event, Rejection>): decision is Rejection =>
  !Array.isArray(decision);

/** Ends a complete switch, which does not compile while a case is missing. */
export const unreachable = (value: never): never => {
  // JSON refuses bigints, which amounts are, and its error would hide this one.
  throw new Error(
    `no case for ${JSON.stringify(value, (_, member: unknown) => (typeof member === 'bigint' ? member.toString() : member))}`,
  );
};
