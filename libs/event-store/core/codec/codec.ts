import type { NonEmpty } from '@app/kernel';
import { hashOf } from '../chain';
import { metadataWriter, schemaVersionOf, type Envelope, type Last } from '../envelope';
import { eventId, assertCategory } from '../names-and-ids';
import { EventRefused, type NewEvent, type StoredEvent, type StreamName } from '../port';
import { SchemaViolation, type FieldEntry, type ObjectSchema } from './schema';

export interface AnyEvent {
  readonly type: string;
  readonly data: object;
}

export type DataOf<Event extends AnyEvent, Type extends Event['type']> = Extract<Event, { readonly type: Type }>['data'];

/** Parsed data as stored: bigints are texts, money is `{ currency, minor }` of texts. */
type StoredData = Readonly<Record<string, unknown>>;

export interface EventType<Data> {
  /** From 1. Increases with each change of shape. */
  readonly version: number;
  readonly schema: ObjectSchema<Data>;
  /** The event in business terms, printed into the event catalogue. */
  readonly meaning: string;
  /** `upcasts[n]` converts stored data of version n to version n + 1. Pure; one for each earlier version (architecture, rule 8). */
  readonly upcasts?: Readonly<Record<number, (stored: StoredData) => StoredData>>;
}

export interface CatalogueEntry {
  readonly category: string;
  readonly type: string;
  readonly version: number;
  readonly meaning: string;
  readonly fields: readonly FieldEntry[];
}

type Decodable = Pick<StoredEvent, 'type' | 'data' | 'metadata' | 'stream' | 'revision'>;

export interface EventCodec<Event extends AnyEvent> {
  readonly category: string;
  /**
   * Chains the events to the stream's newest.
   * @throws EventRefused with type and field, never the value
   */
  encode(events: NonEmpty<Event>, stream: StreamName, last: Last, envelope: Envelope): NonEmpty<NewEvent>;
  decode(stored: Decodable): Event;
  describe(): readonly CatalogueEntry[];
}

/** Unknown type or version, or data that do not fit the schema. The stream stays parked until a release can read it (safety, F40). */
export class UndecodableEvent extends Error {
  override readonly name = 'UndecodableEvent';
}

interface Entry {
  readonly version: number;
  readonly schema: ObjectSchema<unknown>;
  readonly meaning: string;
  readonly upcasts: Readonly<Record<number, (stored: StoredData) => StoredData>>;
}

const entryOf = (category: string, type: string, given: EventType<never>): Entry => {
  const { version, schema, meaning, upcasts = {} } = given as unknown as EventType<unknown>;
  if (!Number.isSafeInteger(version) || version < 1) throw new Error(`${category}.${type}: a version is a whole number from 1`);
  if (meaning.trim() === '') throw new Error(`${category}.${type}: has no meaning`);
  for (let old = 1; old < version; old++) {
    if (upcasts[old] === undefined) throw new Error(`${category}.${type}: no upcast from version ${old}`);
  }
  return { version, schema, meaning, upcasts };
};

const encodeOne = (
  category: string,
  entries: ReadonlyMap<string, Entry>,
  event: AnyEvent,
  id: NewEvent['id'],
  metadata: (version: number) => string,
): NewEvent => {
  const entry = entries.get(event.type);
  if (entry === undefined) throw new EventRefused(`${category}: no event type of this name`);
  if (Object.keys(event).length !== 2) throw new EventRefused(`${category}.${event.type}: an event has type and data, no more`);
  try {
    return { id, type: event.type, data: entry.schema.write(event.data), metadata: metadata(entry.version) };
  } catch (error) {
    throw error instanceof SchemaViolation ? new EventRefused(`${category}.${event.type}: ${error.below('data').message}`) : error;
  }
};

const decodeOne = (category: string, entries: ReadonlyMap<string, Entry>, stored: Decodable): AnyEvent => {
  const undecodable = (fault: string): never => {
    throw new UndecodableEvent(`${stored.stream} revision ${stored.revision}: ${fault}`);
  };
  const entry = entries.get(stored.type);
  if (entry === undefined) return undecodable(`no type of category ${category}`);
  const version = schemaVersionOf(stored);
  if (version === undefined) return undecodable('its metadata name no version');
  if (version > entry.version) return undecodable(`version ${version} of ${stored.type}, this release knows ${entry.version}`);
  try {
    let data = JSON.parse(stored.data) as StoredData;
    for (let old = version; old < entry.version; old++) data = entry.upcasts[old]?.(data) ?? data;
    return { type: stored.type, data: entry.schema.read?.(data) ?? data };
  } catch (error) {
    // The parser's own message would repeat stored data.
    return undecodable(
      error instanceof SchemaViolation ? `${stored.type}: ${error.message}` : `${stored.type} version ${version} cannot be read`,
    );
  }
};

/**
 * A codec from one closed schema per event type. Pass `Event` explicitly, so that a missing type or member does not compile:
 * `eventCodec<RecurringEvent>('recurring', { OrderAccepted: { version: 1, meaning: '...', schema: f.object({ ... }) }, ... })`.
 */
export const eventCodec = <Event extends AnyEvent>(
  category: string,
  types: NoInfer<{ readonly [Type in Event['type']]: EventType<DataOf<Event, Type>> }>,
): EventCodec<Event> => {
  assertCategory(category);
  const entries = new Map<string, Entry>(
    Object.entries(types as unknown as Readonly<Record<string, EventType<never>>>).map(([type, given]) => [
      type,
      entryOf(category, type, given),
    ]),
  );

  return {
    category,

    encode: (events, stream, last, envelope) => {
      const metadata = metadataWriter(envelope, stream);
      let previousHash = last === 'no_stream' ? null : last.hash;
      const encoded: NewEvent[] = [];
      for (const [index, event] of events.entries()) {
        const previous = encoded.at(-1);
        if (previous !== undefined) previousHash = hashOf(previous);
        const link = previousHash;
        encoded.push(encodeOne(category, entries, event, eventId(stream, envelope.commandId, index), (version) => metadata(link, version)));
      }
      const [first, ...rest] = encoded;
      if (first === undefined) throw new EventRefused(`${stream}: an append holds at least one event`);
      return [first, ...rest];
    },

    decode: (stored) => decodeOne(category, entries, stored) as Event,

    describe: () =>
      [...entries]
        .map(([type, { version, meaning, schema }]) => ({ category, type, version, meaning, fields: schema.below }))
        .sort((a, b) => (a.type < b.type ? -1 : 1)),
  };
};
