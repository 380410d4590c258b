import { createHash } from 'node:crypto';
import { appendKnown, hashOf, looksLikeCardNumber, readChained, StoreUnavailable, type EventStore, type Last } from '@app/event-store';
import { parseIpRange } from '@app/configuration';
import type { Clock, Ids } from '@app/kernel';
import { configurationRecordCodec, configurationStream } from './configuration-record.codec';
import type { ConfigurationTookEffect } from './configuration-record.events';

export interface RecordConfigurationPorts {
  readonly store: EventStore;
  readonly clock: Clock;
  readonly ids: Ids;
  /** Of this process. */
  readonly bootId: string;
}

/** Below what one event may hold, with quotes and other characters that JSON writes as two or more. */
const COPY_BYTES_MAX = 800_000;
/** Below what a text of an event may hold. */
const PART_LENGTH = 250_000;
/** Processes that start at the same time meet each other here. */
const ROUNDS_MAX = 20;

const partsOf = (text: string): readonly string[] => {
  const parts: string[] = [];
  for (let from = 0; from < text.length;) {
    // A pair of surrogates stays whole.
    const end = from + PART_LENGTH - (/[\uD800-\uDBFF]/.test(text.charAt(from + PART_LENGTH - 1)) ? 1 : 0);
    parts.push(text.slice(from, end));
    from = end;
  }
  return parts;
};

/** A name or value by itself: side by side, those of a list may look like a card number, and so does one address in ten that has twelve digits. */
const holdsCardNumber = (value: unknown): boolean => {
  if (typeof value === 'string') return looksLikeCardNumber(value) && parseIpRange(value) === undefined;
  if (typeof value === 'number') return looksLikeCardNumber(String(value));
  if (typeof value !== 'object' || value === null) return false;
  return Object.entries(value).some(([name, member]) => looksLikeCardNumber(name) || holdsCardNumber(member));
};

/** The append searches each part, so that values which stand side by side, and are no card number, go into different ones. */
const apart = (part: string): readonly string[] => {
  if (!looksLikeCardNumber(part)) return [part];
  const middle = part.length >> 1;
  const end = middle + (/[\uD800-\uDBFF]/.test(part.charAt(middle - 1)) ? 1 : 0);
  return [...apart(part.slice(0, end)), ...apart(part.slice(end))];
};

/** The copy, or why it is left out: the digest alone then tells one configuration from another. */
const copyOf = (text: string): Pick<ConfigurationTookEffect['data'], 'copy' | 'omitted'> => {
  if (Buffer.byteLength(JSON.stringify(text)) > COPY_BYTES_MAX) return { copy: [], omitted: 'too-large' };
  if (holdsCardNumber(JSON.parse(text))) return { copy: [], omitted: 'looks-like-card-number' };
  return { copy: partsOf(text).flatMap(apart) };
};

/**
 * Puts a configuration on record, unless the newest on record is the same.
 * @param copy as `redactedConfiguration` made it
 * @param keys the names of the vault's keys
 * @throws StoreUnavailable, BrokenChain
 */
export const recordConfiguration = async (
  { store, clock, ids, bootId }: RecordConfigurationPorts,
  copy: string,
  keys: readonly string[],
): Promise<'recorded' | 'known'> => {
  const digest = createHash('sha256').update(copy).update('\n').update(keys.join('\n')).digest('hex');
  const stream = configurationStream();
  for (let round = 0; round < ROUNDS_MAX; round++) {
    let last: Last = 'no_stream';
    let newest: ConfigurationTookEffect | undefined;
    for await (const stored of readChained(store, stream)) {
      newest = configurationRecordCodec.decode(stored);
      last = { revision: stored.revision, hash: hashOf(stored) };
    }
    if (newest?.data.digest === digest) return 'known';
    const now = clock.now();
    const event: ConfigurationTookEffect = { type: 'ConfigurationTookEffect', data: { digest, ...copyOf(copy), keys, tookEffectAt: now } };
    const envelope = {
      correlation: bootId,
      causation: bootId,
      actor: 'orchestrator',
      merchant: '',
      commandId: ids.next(),
      recordedAt: now,
    };
    const encoded = configurationRecordCodec.encode([event], stream, last, envelope);
    const answer = await appendKnown(store, stream, last === 'no_stream' ? 'no_stream' : last.revision, encoded);
    if (answer.kind === 'appended') return 'recorded';
  }
  throw new StoreUnavailable(`${stream}: others write to it all the time`);
};
