export type NonEmpty<Item> = readonly [Item, ...Item[]];

/** `accepted-before` and `nothing-new` mean that the command was accepted and changes nothing. */
export interface AnyRejection {
  readonly reason: string;
}

export type Decision<Event, Rejection extends AnyRejection> = NonEmpty<Event> | Rejection;

/**
 * Pure decision logic of a stream. Time, ids and randomness come with the command. A refusal is returned, a bug throws.
 */
export interface Decider<Command, Event, State, Rejection extends AnyRejection> {
  readonly initial: State;
  evolve(state: State, event: Event): State;
  decide(command: Command, state: State): Decision<Event, Rejection>;
}

export const isRejection = <Event, Rejection extends AnyRejection>(decision: Decision<Event, Rejection>): decision is Rejection =>
  !Array.isArray(decision);

/** Makes a switch with a missing case fail to compile. */
export const unreachable = (value: never): never => {
  // JSON.stringify throws on bigints, and amounts are bigints.
  throw new Error(
    `no case for ${JSON.stringify(value, (_, member: unknown) => (typeof member === 'bigint' ? member.toString() : member))}`,
  );
};
