import { KeyObject, createHash } from 'node:crypto';
import { type Instant, Secret, type Clock, type Ids } from '@app/kernel';
import {
  eventCodec,
  f,
  streamName,
  type EventCodec,
  type StreamName,
  appendKnown,
  hashOf,
  looksLikeCardNumber,
  readChained,
  StoreUnavailable,
  type EventStore,
  type Last,
  metadataOf,
} from '@app/event-store';
import type { ServiceDigests } from '@app/card-vault';
import { type Configuration, parseIpRange } from '@app/configuration';

/** Why an event has a configuration's digest but no copy. */
const OMISSIONS = ['too-large', 'looks-like-card-number'] as const;
type Omission = (typeof OMISSIONS)[number];

/** A process started with another configuration than the recorded one, or took one. Identical processes and restarts record nothing. */
export type ConfigurationTookEffect = {
  readonly type: 'ConfigurationTookEffect';
  readonly data: {
    /** SHA-256 over the redacted copy and the names of the keys, hex. */
    readonly digest: string;
    /** Redacted copy as RFC 8785 text in parts; empty if it was left out. */
    readonly copy: readonly string[];
    readonly omitted?: Omission;
    readonly keys: readonly string[];
    readonly tookEffectAt: Instant;
  };
};

type ConfigurationRecordEvent = ConfigurationTookEffect;

const CONFIGURATION_CATEGORY = 'configuration';

export const configurationStream = (): StreamName => streamName(CONFIGURATION_CATEGORY, 'orchestrator');

export const configurationRecordCodec: EventCodec<ConfigurationRecordEvent> = eventCodec<ConfigurationRecordEvent>(CONFIGURATION_CATEGORY, {
  ConfigurationTookEffect: {
    version: 1,
    meaning:
      'A process started with a configuration that differs from the last recorded one, or took one: its digest, and a copy with key ids in place of secrets.',
    schema: f.object<ConfigurationTookEffect['data']>({
      digest: f.hash(),
      copy: f.list<ConfigurationTookEffect['data']['copy']>(f.text()),
      omitted: f.optional(f.oneOf(...OMISSIONS)),
      keys: f.list<ConfigurationTookEffect['data']['keys']>(f.id()),
      tookEffectAt: f.instant(),
    }),
  },
});

type Plain = null | boolean | number | string | readonly Plain[] | { readonly [name: string]: Plain };

/** Distinguishes keys, but is far too short to recover one. */
const KEY_ID_LENGTH = 16;
/** Letters only: twelve hexadecimal digits could be decimal, and resemble a card number. */
const idOf = (hex: string): string =>
  hex.slice(0, KEY_ID_LENGTH).replaceAll(/[0-9a-f]/g, (digit) => String.fromCharCode(FIRST_LETTER + parseInt(digit, 16)));
const FIRST_LETTER = 97;
/** Credentials without a secret type. */
const PROOFS: ReadonlySet<string> = new Set(['tokenSha256']);
/** An address may contain user and password before the host. */
const USER_IN_ADDRESS = /^([a-z][a-z0-9+.-]*:\/\/)[^/@\s]*@/i;

/** RFC 8785: members in the order of their UTF-16 code units, numbers as ECMAScript writes them. */
export const canonicalText = (value: Plain): string => {
  if (Array.isArray(value)) return `[${value.map(canonicalText).join(',')}]`;
  if (value === null || typeof value !== 'object') return JSON.stringify(value);
  const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${canonicalText(member)}`).join(',')}}`;
};

/** Unknown values are reduced to their type, so that later additions to the configuration cannot leak. */
const redacted = (value: unknown, name: string, keyId: (text: string) => string): Plain | undefined => {
  if (value === undefined || typeof value === 'function') return undefined;
  if (value instanceof Secret) return { keyId: keyId(String(value.reveal())) };
  if (value instanceof KeyObject)
    return value.type === 'public'
      ? {
          keyId: idOf(
            createHash('sha256')
              .update(value.export({ type: 'spki', format: 'der' }))
              .digest('hex'),
          ),
        }
      : { keyId: '[key]' };
  if (typeof value === 'string') return PROOFS.has(name) ? { keyId: keyId(value) } : value.replace(USER_IN_ADDRESS, '$1[redacted]@');
  if (typeof value === 'bigint') return value.toString();
  if (value === null || typeof value === 'boolean' || typeof value === 'number') return value;
  if (Array.isArray(value) || value instanceof Set)
    return [...(value as Iterable<unknown>)].map((item) => redacted(item, name, keyId) ?? null);
  if (value instanceof Map) return members(value as ReadonlyMap<unknown, unknown>, keyId);
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null ? members(Object.entries(value), keyId) : '[other]';
};

const members = (entries: Iterable<readonly [unknown, unknown]>, keyId: (text: string) => string): Plain => {
  const shown: Record<string, Plain> = {};
  for (const [name, value] of entries) {
    const member = redacted(value, String(name), keyId);
    if (member !== undefined) shown[String(name)] = member;
  }
  return shown;
};

/** Id of a key in redacted copies and logs: equal keys have equal ids, and an id reveals nothing. */
export const keyIdOf = (key: Secret<string>, digests: Pick<ServiceDigests, 'onceKey'>): string =>
  idOf(digests.onceKey('key id', [key.reveal()]));

/** Names a redacted copy. */
export const digestOfCopy = (copy: string): string => createHash('sha256').update(copy).digest('hex');

/** RFC 8785 text of the configuration without warnings. Secrets become keyed ids: equal secrets have equal ids, and an id reveals nothing. */
export const redactedConfiguration = (
  { warnings: _warnings, ...configuration }: Configuration,
  digests: Pick<ServiceDigests, 'onceKey'>,
): string => {
  const keyId = (text: string): string => idOf(digests.onceKey('key id', [text]));
  return canonicalText(redacted(configuration, '', keyId) ?? null);
};

export interface RecordConfigurationPorts {
  readonly store: EventStore;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly bootId: string;
}

const COPY_BYTES_MAX = 800_000;
const PART_LENGTH = 250_000;
const ROUNDS_MAX = 20;

const partsOf = (text: string): readonly string[] => {
  const parts: string[] = [];
  for (let from = 0; from < text.length;) {
    // Keeps surrogate pairs whole.
    const end = from + PART_LENGTH - (/[\uD800-\uDBFF]/.test(text.charAt(from + PART_LENGTH - 1)) ? 1 : 0);
    parts.push(text.slice(from, end));
    from = end;
  }
  return parts;
};

/** Checks names and values separately: adjacent list items could resemble a card number, as does one in ten addresses with twelve digits. */
const holdsCardNumber = (value: unknown): boolean => {
  if (typeof value === 'string') return looksLikeCardNumber(value) && parseIpRange(value) === undefined;
  if (typeof value === 'number') return looksLikeCardNumber(String(value));
  if (typeof value !== 'object' || value === null) return false;
  return Object.entries(value).some(([name, member]) => looksLikeCardNumber(name) || holdsCardNumber(member));
};

/** The append checks each part for card numbers, so adjacent values that resemble one are put in different parts. */
const apart = (part: string): readonly string[] => {
  if (!looksLikeCardNumber(part)) return [part];
  const middle = part.length >> 1;
  const end = middle + (/[\uD800-\uDBFF]/.test(part.charAt(middle - 1)) ? 1 : 0);
  return [...apart(part.slice(0, end)), ...apart(part.slice(end))];
};

/** The copy, or why it is omitted; the digest still distinguishes configurations. */
const copyOf = (text: string): Pick<ConfigurationTookEffect['data'], 'copy' | 'omitted'> => {
  if (Buffer.byteLength(JSON.stringify(text)) > COPY_BYTES_MAX) return { copy: [], omitted: 'too-large' };
  if (holdsCardNumber(JSON.parse(text))) return { copy: [], omitted: 'looks-like-card-number' };
  return { copy: partsOf(text).flatMap(apart) };
};

/**
 * Records a configuration, unless the newest recorded one is identical.
 * @param copy result of `redactedConfiguration`
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

interface ConfigurationInForce {
  readonly data: ConfigurationTookEffect['data'];
  /** The boot id of the process that started with it or took it. */
  readonly bootId: string;
  /** When another one was recorded; undefined for the newest. */
  readonly replacedAt: Instant | undefined;
}

/** The newest configuration recorded until a moment, or undefined. If processes differ, this is the one of the last change. @throws StoreUnavailable, BrokenChain */
export const configurationInForce = async (log: Pick<EventStore, 'read'>, at: Instant): Promise<ConfigurationInForce | undefined> => {
  let found: Omit<ConfigurationInForce, 'replacedAt'> | undefined;
  for await (const stored of readChained(log, configurationStream())) {
    const { data } = configurationRecordCodec.decode(stored);
    if (data.tookEffectAt > at) return found && { ...found, replacedAt: data.tookEffectAt };
    found = { data, bootId: metadataOf(stored).correlation };
  }
  return found && { ...found, replacedAt: undefined };
};
