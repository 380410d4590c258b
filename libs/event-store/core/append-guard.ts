import type { NonEmpty } from '@app/kernel';
import {
  APPEND_DATA_BYTES_MAX,
  APPEND_EVENTS_MAX,
  EVENT_DATA_BYTES_MAX,
  EVENT_METADATA_BYTES_MAX,
  EventRefused,
  type NewEvent,
  type Revision,
  type StreamName,
} from './port';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const NIL_UUID = '00000000-0000-0000-0000-000000000000';
const NAME_LENGTH_MAX = 1_024;
/** UTF-8 takes at most three bytes per UTF-16 code unit, so short texts need no counting. */
const BYTES_PER_UNIT_MAX = 3;

const isWithin = (bytesMax: number, ...texts: readonly string[]): boolean => {
  const units = texts.reduce((sum, { length }) => sum + length, 0);
  if (units * BYTES_PER_UNIT_MAX <= bytesMax) return true;
  return units <= bytesMax && texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0) <= bytesMax;
};

const assertName = (what: string, name: string): void => {
  if (name === '') throw new EventRefused(`${what} is empty`);
  if (name.length > NAME_LENGTH_MAX) throw new EventRefused(`${what} is longer than ${NAME_LENGTH_MAX} characters`);
  if (name.includes('\0')) throw new EventRefused(`${what} holds a NUL`);
  if (!name.isWellFormed()) throw new EventRefused(`${what} is no UTF-16`);
};

/**
 * Checks limits that all stores share. EventStoreDB itself would accept, change or hang on some violations.
 * @throws EventRefused
 */
export const assertAppendable = (stream: StreamName, expected: 'no_stream' | Revision, events: NonEmpty<NewEvent>): void => {
  assertName('the stream name', stream);
  if (stream.startsWith('$')) throw new EventRefused(`${stream}: names that begin with $ are the store's own`);
  if (expected !== 'no_stream' && (typeof expected !== 'bigint' || expected < 0n || expected > BigInt(Number.MAX_SAFE_INTEGER))) {
    throw new EventRefused(`${stream}: an exact revision or no_stream is expected`);
  }
  // A cast can make an empty append, which EventStoreDB would report as successful.
  if ((events as readonly NewEvent[]).length === 0) throw new EventRefused(`${stream}: an append holds at least one event`);
  if (events.length > APPEND_EVENTS_MAX) throw new EventRefused(`${stream}: more than ${APPEND_EVENTS_MAX} events in one append`);
  const ids = new Set<string>();
  for (const { id, type, data, metadata } of events) {
    if (!UUID.test(id) || id === NIL_UUID) throw new EventRefused(`${stream}: an event id is a UUID in lower case, not all zero`);
    ids.add(id);
    assertName(`${stream}: an event's type`, type);
    if (!data.isWellFormed() || !metadata.isWellFormed()) throw new EventRefused(`${stream} ${type}: not UTF-16`);
    if (!isWithin(EVENT_DATA_BYTES_MAX, data)) throw new EventRefused(`${stream} ${type}: more than ${EVENT_DATA_BYTES_MAX} bytes of data`);
    if (!isWithin(EVENT_METADATA_BYTES_MAX, metadata)) {
      throw new EventRefused(`${stream} ${type}: more than ${EVENT_METADATA_BYTES_MAX} bytes of metadata`);
    }
  }
  if (ids.size !== events.length) throw new EventRefused(`${stream}: an event id stands twice in one append`);
  if (!isWithin(APPEND_DATA_BYTES_MAX, ...events.map(({ data }) => data))) {
    throw new EventRefused(`${stream}: more than ${APPEND_DATA_BYTES_MAX} bytes of data in one append`);
  }
};
