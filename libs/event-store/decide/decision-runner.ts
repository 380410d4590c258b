import { isRejection, type AnyRejection, type Decider, type NonEmpty } from '@app/kernel';
import { hashOf } from '../core/chain';
import type { AnyEvent, EventCodec } from '../core/codec/codec';
import type { Envelope } from '../core/envelope';
import { eventId } from '../core/names-and-ids';
import { loadOnto, type Loaded } from './load';
import {
  OutcomeUnknown,
  StoreUnavailable,
  type Appended,
  type Conflict,
  type EventStore,
  type NewEvent,
  type Revision,
  type StreamName,
} from '../core/port';

export interface DecisionRun<Command, Event extends AnyEvent, State, Rejection extends AnyRejection> {
  readonly store: EventStore;
  readonly codec: EventCodec<Event>;
  readonly decider: Decider<Command, Event, State, Rejection>;
  readonly stream: StreamName;
  readonly command: Command;
  readonly envelope: Envelope;
  /** A state read earlier. The first decision uses it; the stream is read only after a conflict or a rejection. */
  readonly from?: Loaded<State>;
}

export type DecisionResult<Event, State, Rejection> =
  | {
      readonly kind: 'appended';
      readonly state: State;
      readonly events: NonEmpty<Event>;
      readonly revision: Revision;
    }
  | { readonly kind: 'rejected'; readonly rejection: Rejection; readonly state: State };

/** Rounds of one decision during concurrent writes. No delay between rounds, because each conflict brings new events (safety, F15). */
export const DECISION_ROUNDS_MAX = 20;
/** The store's adapter has its own retries. These attempts cover an unknown outcome of its last one. */
const APPEND_TRIES_MAX = 3;

/**
 * Retries with the same ids until the outcome is known.
 * @throws OutcomeUnknown if it stays unknown, also if the store refuses a retry; StoreUnavailable nothing was stored; EventRefused
 */
export const appendKnown = async (
  store: EventStore,
  stream: StreamName,
  expected: 'no_stream' | Revision,
  events: NonEmpty<NewEvent>,
): Promise<Appended | Conflict> => {
  let unknown: OutcomeUnknown | undefined;
  for (let tried = 1; ; tried++) {
    try {
      return await store.append(stream, expected, events);
    } catch (error) {
      if (error instanceof OutcomeUnknown) unknown = error;
      else if (unknown === undefined || !(error instanceof StoreUnavailable)) throw error;
      if (tried >= APPEND_TRIES_MAX) throw unknown;
    }
  }
};

/** Finds events of this command that an earlier attempt with an unknown outcome has stored (architecture, rule 2). */
class OwnEvents<Event> {
  readonly #stream: StreamName;
  readonly #commandId: string;
  readonly #events: Event[] = [];
  /** Computed lazily, because most decisions read no event. */
  #next: string | undefined;
  #revision: Revision | undefined;

  constructor(stream: StreamName, commandId: string) {
    this.#stream = stream;
    this.#commandId = commandId;
  }

  see(event: Event, id: string, revision: Revision): void {
    this.#next ??= eventId(this.#stream, this.#commandId, 0);
    if (id !== this.#next) return;
    this.#events.push(event);
    this.#revision = revision;
    this.#next = eventId(this.#stream, this.#commandId, this.#events.length);
  }

  resultWith<State>(state: State): Extract<DecisionResult<Event, State, never>, { kind: 'appended' }> | undefined {
    const [first, ...rest] = this.#events;
    if (first === undefined || this.#revision === undefined) return undefined;
    return { kind: 'appended', state, events: [first, ...rest], revision: this.#revision };
  }
}

const decide = async <Command, Event extends AnyEvent, State, Rejection extends AnyRejection>(
  run: DecisionRun<Command, Event, State, Rejection>,
  isOpening: boolean,
): Promise<DecisionResult<Event, State, Rejection>> => {
  const { store, codec, decider, stream, command, envelope, from } = run;
  const own = new OwnEvents<Event>(stream, envelope.commandId);
  let loaded: Loaded<State> = from ?? { state: decider.initial, last: 'no_stream', eventCount: 0 };
  let isUnread = isOpening || from !== undefined;
  for (let round = 1; round <= DECISION_ROUNDS_MAX; round++) {
    if (!isUnread) {
      loaded = await loadOnto(loaded, store, stream, decider, codec, (event, id, revision) => own.see(event, id, revision));
      const stored = own.resultWith(loaded.state);
      if (stored !== undefined) return stored;
    }
    const decision = decider.decide(command, loaded.state);
    if (isRejection<Event, Rejection>(decision)) {
      if (!isUnread) return { kind: 'rejected', rejection: decision, state: loaded.state };
      // The given state may be outdated, or an older release may have accepted the command, so the stream decides (architecture, rule 1).
      isUnread = false;
      continue;
    }
    const encoded = codec.encode(decision, stream, loaded.last, envelope);
    const answer = await appendKnown(store, stream, loaded.last === 'no_stream' ? 'no_stream' : loaded.last.revision, encoded);
    if (answer.kind === 'appended') {
      const state = decision.reduce((folded, event) => decider.evolve(folded, event), loaded.state);
      return { kind: 'appended', state, events: decision, revision: answer.revision };
    }
    isUnread = false;
  }
  throw new StoreUnavailable(`${stream}: others were first in ${DECISION_ROUNDS_MAX} rounds`);
};

/**
 * Loads, decides and appends at an exact revision; after a conflict it reads the new events and decides again. If the stream already
 * contains the command's events, it succeeds without a decision.
 * @throws StoreUnavailable nothing was stored; OutcomeUnknown; EventRefused, BrokenChain, UndecodableEvent
 */
export const runDecision = <Command, Event extends AnyEvent, State, Rejection extends AnyRejection>(
  run: DecisionRun<Command, Event, State, Rejection>,
): Promise<DecisionResult<Event, State, Rejection>> => decide(run, false);

/**
 * As `runDecision`, for a command that usually opens its stream: one append and no read. The stream is read only after a conflict or a
 * rejection.
 */
export const runOpeningDecision = <Command, Event extends AnyEvent, State, Rejection extends AnyRejection>(
  run: DecisionRun<Command, Event, State, Rejection>,
): Promise<DecisionResult<Event, State, Rejection>> => decide(run, true);

export const lastAfter = (revision: Revision, events: NonEmpty<NewEvent>): { readonly revision: Revision; readonly hash: string } => ({
  revision,
  hash: hashOf(events[events.length - 1] ?? events[0]),
});

/**
 * Runs the rest of an action whose effect is stored.
 * @param others further errors that callers take for "nothing was done"
 * @throws OutcomeUnknown in place of such an error: the caller must not repeat the action as a new one
 */
export const afterEffect = async <Value>(work: () => Promise<Value>, ...others: readonly (new () => Error)[]): Promise<Value> => {
  try {
    return await work();
  } catch (error) {
    if (![StoreUnavailable, ...others].some((type) => error instanceof type)) throw error;
    throw new OutcomeUnknown(`stored, but not completed: ${(error as Error).message}`);
  }
};
