import { BoundedMap, type Deadline } from '@app/kernel';
import type { AnyEvent, EventCodec } from '../core/codec/codec';
import { loadOnto, type Fold, type Loaded } from './load';
import type { EventStore, StreamName } from '../core/port';
import { storeWithin } from '../core/store-within';

const STREAMS_MAX = 4_000;
/** A longer stream may have a large state, so it is folded again each time. */
const EVENTS_PER_STREAM_MAX = 64;

/**
 * Caches the last fold of streams that are loaded often. A load is never outdated: it reads the new events from the store and folds them onto the cached
 * state, with the chain checked across the two.
 */
export class FoldedStreams<Event extends AnyEvent, State> {
  readonly #known = new BoundedMap<StreamName, Loaded<State>>(STREAMS_MAX);

  constructor(
    private readonly store: EventStore,
    private readonly fold: Fold<Event, State>,
    private readonly codec: EventCodec<Event>,
  ) {}

  /** As `load`. @throws BrokenChain, UndecodableEvent, StoreUnavailable */
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
