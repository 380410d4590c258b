import type { Instant, NonEmpty } from '@app/kernel';
import { hashOf } from '../core/chain';
import { metadataWriter, type Last } from '../core/envelope';
import { eventId } from '../core/names-and-ids';
import { APPEND_EVENTS_MAX, type EventStore, type NewEvent, type Revision, type StreamName } from '../core/port';

export interface Chained {
  readonly events: NonEmpty<NewEvent>;
  readonly last: Exclude<Last, 'no_stream'>;
}

export const chainedEvents = (stream: StreamName, from: Last, count: number, correlation: string, content: string): Chained => {
  const envelope = {
    correlation,
    causation: correlation,
    actor: 'test',
    merchant: 'acme',
    commandId: correlation,
    recordedAt: 1_704_067_200_000 as Instant,
  };
  const metadata = metadataWriter(envelope, stream);
  const next = (last: Last): Chained & { readonly events: readonly [NewEvent] } => {
    const revision = (last === 'no_stream' ? 0n : last.revision + 1n) as Revision;
    const event: NewEvent = {
      id: eventId(stream, `at ${revision}`, 0),
      type: 'Tested',
      data: JSON.stringify({ content }),
      metadata: metadata(last === 'no_stream' ? null : last.hash, 1),
    };
    return { events: [event], last: { revision, hash: hashOf(event) } };
  };
  let made: Chained = next(from);
  while (made.events.length < count) {
    const { events, last } = next(made.last);
    made = { events: [...made.events, ...events], last };
  }
  return made;
};

export class ChainedWriter {
  readonly #store: EventStore;
  readonly #ends = new Map<StreamName, Last>();

  constructor(store: EventStore) {
    this.#store = store;
  }

  async write(stream: StreamName, count = 1, correlation = 'request', content = 'content'): Promise<void> {
    for (let left = count; left > 0; left -= APPEND_EVENTS_MAX) {
      await this.#append(stream, Math.min(left, APPEND_EVENTS_MAX), correlation, content);
    }
  }

  async #append(stream: StreamName, count: number, correlation: string, content: string): Promise<void> {
    const end = this.#ends.get(stream) ?? 'no_stream';
    const { events, last } = chainedEvents(stream, end, count, correlation, content);
    const answer = await this.#store.append(stream, end === 'no_stream' ? end : end.revision, events);
    if (answer.kind === 'conflict') throw new Error(`${stream}: somebody else writes it`);
    this.#ends.set(stream, last);
  }
}
