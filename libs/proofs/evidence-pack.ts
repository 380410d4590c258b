import { fromBase64, hex, sha256, utf8 } from './bytes';
import { isIncluded, type TreeHead } from './merkle';
import { readLogKey, type LogKey } from './signed-notes';
import { leafOf, linkOf, type StoredEventText } from './stored-events';

/**
 * Checks an evidence pack by the rules of `libs/investigation/evidence/verify.py`, in the same order and words.
 * `evidence-pack.spec.ts` there gives the same packs and forgeries to both.
 */

export const PACK_BYTES_MAX = 256 * 1024 * 1024;
/** After so many the check ends: a forged zip can hold millions, which no reader needs and no page can show. */
const FAULTS_MAX = 500;
const LISTED = [
  'README.txt',
  'checkpoint.txt',
  'events.ndjson',
  'evidence.json',
  'log-key.txt',
  'open.html',
  'proofs.json',
  'verify.py',
] as const;
const NAMES = [...LISTED, 'manifest.json', 'manifest.sig'] as const;
type Name = (typeof NAMES)[number];
type Files = ReadonlyMap<string, Uint8Array>;

/** What a fault concerns: the container, the signatures, a listed file, or an event. */
export type PackPart = 'zip' | 'signature' | 'file' | 'event';

interface PackFault {
  readonly part: PackPart;
  /** In ASCII: texts of others may otherwise mislead the reader. */
  readonly text: string;
}

interface PackContents {
  /** Name of the log that signed it. */
  readonly origin: string;
  readonly signedAt: string;
  readonly orderId: string;
  readonly clientOrderId: string;
  readonly merchant: string;
  /** Events recorded later are not in the pack. */
  readonly at: string;
  readonly events: number;
  readonly streams: number;
}

export type PackVerdict =
  | { readonly kind: 'held'; readonly contents: PackContents }
  /** Anybody can make such a pack: compare the key with the published one. */
  | { readonly kind: 'held-under-own-key'; readonly contents: PackContents; readonly key: string }
  | { readonly kind: 'wrong'; readonly faults: readonly PackFault[] }
  | { readonly kind: 'no-pack'; readonly reason: string };

/** A fault that ends the check. */
class Wrong extends Error {
  constructor(readonly faults: readonly PackFault[]) {
    super('wrong');
  }
}
type OnFault = (part: PackPart, text: string) => void;
const wrong = (part: PackPart, text: string): Wrong => new Wrong([{ part, text }]);

const inAscii = (text: string): string =>
  Array.from(text, (one) => (one >= ' ' && one <= '~' ? one : `\\u{${(one.codePointAt(0) ?? 0).toString(16)}}`)).join('');

const textOf = (bytes: Uint8Array | undefined): string => new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);

type Form = 'text' | 'count' | 'flag' | readonly [Form] | { readonly [name: string]: Form };
const isList = (form: Form): form is readonly [Form] => Array.isArray(form);

const isLike = (value: unknown, form: Form): boolean => {
  if (form === 'text') return typeof value === 'string';
  if (form === 'count') return Number.isSafeInteger(value);
  if (form === 'flag') return typeof value === 'boolean';
  if (isList(form)) return Array.isArray(value) && value.every((item) => isLike(item, form[0]));
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  return Object.entries(form).every(([name, member]) => isLike((value as Readonly<Record<string, unknown>>)[name], member));
};

interface Manifest {
  readonly at: string;
  readonly files: readonly { readonly name: string; readonly sha256: string }[];
  readonly log: { readonly origin: string; readonly size: number; readonly root: string };
  readonly order: { readonly clientOrderId: string; readonly merchant: string; readonly orderId: string };
  readonly streams: readonly { readonly name: string; readonly isWhole: boolean; readonly events: number }[];
}
const MANIFEST: Form = {
  at: 'text',
  files: [{ name: 'text', sha256: 'text' }],
  log: { origin: 'text', size: 'count', root: 'text' },
  order: { clientOrderId: 'text', merchant: 'text', orderId: 'text' },
  streams: [{ name: 'text', isWhole: 'flag', events: 'count' }],
};
const EVENT: Form = { stream: 'text', revision: 'count', id: 'text', type: 'text', metadata: 'text' };
interface Proof {
  readonly index: number;
  readonly path: readonly string[];
}
const PROOFS: Form = { events: [{ index: 'count', path: ['text'] }] };

const STRINGS = /"(?:[^"\\]+|\\.)*"/g;
const FRACTION = /\d[.eE]/;

/** JSON in UTF-8. All its numbers are whole, as in every event. */
const jsonOf = <Value>(part: PackPart, what: string, text: string | Uint8Array | undefined, form: Form): Value => {
  let value: unknown;
  try {
    const json = typeof text === 'string' ? text : new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(text);
    value = JSON.parse(json);
    // Only valid JSON is searched, in which each string ends.
    if (FRACTION.test(json.replace(STRINGS, ''))) value = undefined;
  } catch {
    value = undefined;
  }
  if (!isLike(value, form)) throw wrong(part, `${what}: not JSON of the form that it has in a pack`);
  return value as Value;
};

const CRC_TABLE = Uint32Array.from({ length: 256 }, (_, at) => {
  let value = at;
  for (let bit = 0; bit < 8; bit += 1) value = value & 1 ? (value >>> 1) ^ 0xedb88320 : value >>> 1;
  return value;
});
const crc32 = (bytes: Uint8Array): number => {
  let value = 0xffffffff;
  for (const byte of bytes) value = (value >>> 8) ^ (CRC_TABLE[(value ^ byte) & 0xff] ?? 0);
  return (value ^ 0xffffffff) >>> 0;
};

const ENTRY_BYTES = 30;
const LOCAL = 0x04034b50;
const CENTRAL = 0x02014b50;
const END = 0x06054b50;
/** 1 January 1980, the earliest day of a zip. */
const NO_DATE = 33;
const VERSION = 20;

/** The one zip that the service makes of these files: stored and of no time, so that no byte can be changed unseen. */
const zipOf = (files: readonly (readonly [name: string, data: Uint8Array])[]): Uint8Array => {
  const bytes: number[] = [];
  const short = (...values: readonly number[]) => values.forEach((value) => bytes.push(value & 0xff, (value >>> 8) & 0xff));
  const long = (...values: readonly number[]) => values.forEach((value) => short(value & 0xffff, value >>> 16));
  const parts: Uint8Array[] = [];
  const flush = () => parts.push(Uint8Array.from(bytes.splice(0)));
  let size = 0;
  const offsets: number[] = [];
  const heads = files.map(([name, data]) => ({ name: utf8(name), data, crc: crc32(data) }));
  const head = ({ name, data, crc }: (typeof heads)[number]) => {
    short(VERSION, 0, 0, 0, NO_DATE);
    long(crc, data.length, data.length);
    short(name.length, 0);
  };
  for (const file of heads) {
    offsets.push(size);
    long(LOCAL);
    head(file);
    bytes.push(...file.name);
    size += bytes.length + file.data.length;
    flush();
    parts.push(file.data);
  }
  for (const [at, file] of heads.entries()) {
    long(CENTRAL);
    short(VERSION);
    head(file);
    short(0, 0, 0);
    long(0, offsets[at] ?? 0);
    bytes.push(...file.name);
  }
  const directory = bytes.length;
  long(END);
  short(0, 0, files.length, files.length);
  long(directory, size);
  short(0);
  flush();
  const whole = new Uint8Array(size + (parts.at(-1)?.length ?? 0));
  parts.reduce((at, part) => {
    whole.set(part, at);
    return at + part.length;
  }, 0);
  return whole;
};

const readFiles = (pack: Uint8Array, fault: OnFault): Files => {
  const view = new DataView(pack.buffer, pack.byteOffset, pack.byteLength);
  const files = new Map<string, Uint8Array>();
  for (let at = 0; at + ENTRY_BYTES <= pack.length && view.getUint32(at, true) === LOCAL;) {
    const [flags, method] = [view.getUint16(at + 6, true), view.getUint16(at + 8, true)];
    const [size, nameBytes, moreBytes] = [view.getUint32(at + 18, true), view.getUint16(at + 26, true), view.getUint16(at + 28, true)];
    const start = at + ENTRY_BYTES;
    const name = textOf(pack.subarray(start, start + nameBytes));
    const from = start + nameBytes + moreBytes;
    const data = pack.subarray(from, from + size);
    at = from + size;
    if (flags !== 0 || method !== 0 || data.length < size)
      throw wrong('zip', `${name}: compressed, encrypted or cut off: the service stores each file whole`);
    const isKnown = (NAMES as readonly string[]).includes(name);
    if (!isKnown || files.has(name)) fault('zip', `${name}: ${files.has(name) ? 'stands twice in it' : 'does not belong to a pack'}`);
    if (!files.has(name)) files.set(name, data);
  }
  const missing = NAMES.filter((name) => !files.has(name));
  if (missing.length > 0)
    throw new Wrong(missing.map((name) => ({ part: 'zip' as const, text: `${name}: missing, or not where it can be read` })));
  const sound = zipOf(NAMES.map((name) => [name, files.get(name) ?? new Uint8Array()]));
  const shorter = Math.min(pack.length, sound.length);
  let first = 0;
  while (first < shorter && pack[first] === sound[first]) first += 1;
  if (first < shorter || pack.length !== sound.length)
    fault('zip', `the zip: from its byte ${first} on not as the service makes it of these files`);
  return files;
};

const SIGNED = /^evidence-pack-2\n([0-9a-f]{64})\n(time [^\n]+)\n\n[^\n]+\n$/;

/** Manifest and head of the tree are signed, and each file is the one that the manifest names. Returns the time of signing. */
const checkFiles = (file: (name: Name) => Uint8Array, { files, log }: Manifest, key: LogKey, fault: OnFault): string => {
  const notes = { 'manifest.sig': textOf(file('manifest.sig')), 'checkpoint.txt': textOf(file('checkpoint.txt')) };
  for (const [name, note] of Object.entries(notes))
    if (!key.hasSigned(note, log.origin)) fault('signature', `${name}: not signed by this key`);
  const [, digest, signedAt = ''] = SIGNED.exec(notes['manifest.sig']) ?? [];
  if (digest === undefined) fault('signature', 'manifest.sig: not the digest of a manifest and a time under one signature');
  else if (digest !== hex(sha256(file('manifest.json')))) fault('signature', 'manifest.json: not the one that was signed');
  const head = notes['checkpoint.txt'].split('\n', 3);
  if (head[0] !== log.origin || head[1] !== String(log.size) || head[2] !== log.root)
    fault('signature', 'checkpoint.txt: not the tree that the manifest names');
  const listed = new Map(files.map((entry) => [entry.name, entry.sha256]));
  for (const name of LISTED)
    if (listed.get(name) !== hex(sha256(file(name)))) fault('file', `${name}: not the one that the manifest names`);
  return signedAt;
};

type RawEvent = Omit<StoredEventText, 'data'> & { readonly data?: unknown };

const isProven = (event: StoredEventText, { index, path }: Proof, tree: TreeHead | undefined): boolean => {
  const nodes = path.map(fromBase64).filter((node) => node !== undefined);
  const leaf = leafOf(event);
  return tree !== undefined && nodes.length === path.length && isIncluded(leaf, index, tree, nodes);
};

const checkEvents = (file: (name: Name) => Uint8Array, manifest: Manifest, fault: OnFault): number => {
  const root = fromBase64(manifest.log.root);
  const tree = root === undefined ? undefined : { size: manifest.log.size, root };
  const lines = textOf(file('events.ndjson'))
    .split('\n')
    .filter((line) => line !== '');
  const events = lines.map((line, at) => jsonOf<RawEvent>('event', `event ${at + 1}`, line, EVENT));
  const { events: proofs } = jsonOf<{ readonly events: readonly Proof[] }>('event', 'proofs.json', file('proofs.json'), PROOFS);
  if (events.length !== proofs.length) fault('event', `${events.length} events and ${proofs.length} proofs`);
  const streams = new Map(manifest.streams.map((stream) => [stream.name, stream]));
  const before = new Map<string, { readonly revision: number; readonly link: string | undefined }>();
  const counts = new Map<string, number>();
  let last = -1;
  for (const [at, raw] of events.slice(0, proofs.length).entries()) {
    const proof = proofs[at] as Proof;
    const { stream, revision, type, metadata } = raw;
    const where = `event ${at + 1} (${type}, ${stream} revision ${revision})`;
    counts.set(stream, (counts.get(stream) ?? 0) + 1);
    if (!streams.has(stream)) fault('event', `${where}: of a stream that is not in the manifest: spliced from elsewhere`);
    if (proof.index <= last) fault('event', `${where}: stands behind one that came later: reordered`);
    last = Math.max(last, proof.index);
    const event: StoredEventText = {
      ...raw,
      data: typeof raw.data === 'string' ? raw.data : undefined,
      dataDigest: String(raw.dataDigest),
    };
    if (!isProven(event, proof, tree)) fault('event', `${where}: not in the log as it stands here: changed, or of another place`);
    const known = before.get(stream) ?? { revision: -1, link: undefined };
    if (streams.get(stream)?.isWhole === true && revision !== known.revision + 1)
      fault('event', `${where}: revision ${known.revision + 1} is expected: an event is missing, or stands twice`);
    else if (revision === known.revision + 1 && known.link !== undefined) {
      const { previousHash } = jsonOf<{ readonly previousHash?: unknown }>('event', where, metadata, {});
      if (previousHash !== known.link) fault('event', `${where}: does not follow the event before it`);
    }
    before.set(stream, { revision, link: linkOf(event) });
  }
  for (const [name, { events: expected }] of streams) {
    const count = counts.get(name) ?? 0;
    if (count !== expected) fault('event', `${name}: ${count} events, and the manifest names ${expected}: one is missing, or too many`);
  }
  return events.length;
};

/** @param trusted the published key, which never comes from the pack; without it the pack is checked against its own key, which proves no signer */
export const verifyPack = (pack: Uint8Array, trusted: LogKey | undefined): PackVerdict => {
  if (pack.length > PACK_BYTES_MAX || pack.length < 4 || new DataView(pack.buffer, pack.byteOffset).getUint32(0, true) !== LOCAL)
    return { kind: 'no-pack', reason: `it does not begin as a pack does, or is larger than ${PACK_BYTES_MAX} bytes` };
  const faults: PackFault[] = [];
  const fault: OnFault = (part, text) => {
    if (faults.length === FAULTS_MAX) throw new Wrong([]);
    faults.push({ part, text: inAscii(text) });
  };
  try {
    const files = readFiles(pack, fault);
    const file = (name: Name): Uint8Array => files.get(name) ?? new Uint8Array();
    const key = trusted ?? readLogKey(textOf(file('log-key.txt')));
    if (key === undefined) throw wrong('signature', 'log-key.txt: not a key of the form NAME+ID+BASE64');
    const manifest = jsonOf<Manifest>('signature', 'manifest.json', file('manifest.json'), MANIFEST);
    const signedAt = checkFiles(file, manifest, key, fault);
    const events = checkEvents(file, manifest, fault);
    if (faults.length > 0) return { kind: 'wrong', faults };
    const { order, at, log, streams } = manifest;
    const { orderId, clientOrderId, merchant } = order;
    const contents = { origin: log.origin, signedAt, orderId, clientOrderId, merchant, at, events, streams: streams.length };
    return trusted === undefined ? { kind: 'held-under-own-key', contents, key: key.publicKey } : { kind: 'held', contents };
  } catch (error) {
    const more = error instanceof Wrong ? error.faults : [];
    faults.push(...more.map(({ part, text }) => ({ part, text: inAscii(text) })));
    if (!(error instanceof Wrong)) faults.push({ part: 'file', text: `the pack: not of the form that it has (${inAscii(String(error))})` });
    return { kind: 'wrong', faults };
  }
};
