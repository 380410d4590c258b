import { type Decider, BoundedMap, type Deadline } from '@app/kernel';
import { assertChained, lastOf } from '../core/chain';
import type { AnyEvent, EventCodec } from '../core/codec/codec';
import type { Last } from '../core/envelope';
import type { EventId, EventStore, Revision, StreamName } from '../core/port';
import { storeWithin } from '../core/in-time';

export type Fold<Event, State> = Pick<Decider<never, Event, State, never>, 'initial' | 'evolve'>;

export interface Loaded<State> {
  readonly state: State;
  readonly last: Last;
  readonly eventCount: number;
}

/** Only a caller's bug makes a longer stream, so reading stops here. */
export const STREAM_EVENTS_MAX = 1_000_000;

/**
 * Applies the events after `from` and checks each link of the chain.
 * @throws BrokenChain, UndecodableEvent, StoreUnavailable
 */
export const loadOnto = async <Event extends AnyEvent, State>(
  from: Loaded<State>,
  store: Pick<EventStore, 'read'>,
  stream: StreamName,
  fold: Fold<Event, State>,
  codec: EventCodec<Event>,
  onEvent?: (event: Event, id: EventId, revision: Revision) => void,
): Promise<Loaded<State>> => {
  let { state, last, eventCount } = from;
  const next = (last === 'no_stream' ? 0n : last.revision + 1n) as Revision;
  for await (const stored of store.read(stream, next)) {
    assertChained(stored, last);
    const event = codec.decode(stored);
    state = fold.evolve(state, event);
    last = lastOf(stored);
    eventCount += 1;
    if (eventCount > STREAM_EVENTS_MAX) throw new Error(`${stream}: more than ${STREAM_EVENTS_MAX} events`);
    onEvent?.(event, stored.id, stored.revision);
  }
  return eventCount === from.eventCount ? from : { state, last, eventCount };
};

export const load = <Event extends AnyEvent, State>(
  store: EventStore,
  stream: StreamName,
  fold: Fold<Event, State>,
  codec: EventCodec<Event>,
): Promise<Loaded<State>> => loadOnto({ state: fold.initial, last: 'no_stream', eventCount: 0 }, store, stream, fold, codec);

const STREAMS_MAX = 4_000;
/** A longer stream may have a large state, so it is not cached. */
const EVENTS_PER_STREAM_MAX = 64;

/**
 * Caches the state of streams that are loaded often. A load is never outdated: it reads the new events and checks the chain between them
 * and the cached state.
 */
export class FoldedStreams<Event extends AnyEvent, State> {
  readonly #known = new BoundedMap<StreamName, Loaded<State>>(STREAMS_MAX);

  constructor(
    private readonly store: EventStore,
    private readonly fold: Fold<Event, State>,
    private readonly codec: EventCodec<Event>,
  ) {}

  async load(stream: StreamName, deadline?: Deadline): Promise<Loaded<State>> {
    const known = this.#known.get(stream);
    const from = known ?? { state: this.fold.initial, last: 'no_stream', eventCount: 0 };
    const loaded = await loadOnto(from, storeWithin(this.store, deadline), stream, this.fold, this.codec);
    if (loaded.eventCount === known?.eventCount) return loaded;
    if (loaded.eventCount === 0 || loaded.eventCount > EVENTS_PER_STREAM_MAX) this.#known.delete(stream);
    else this.#known.set(stream, loaded);
    return loaded;
  }
}
