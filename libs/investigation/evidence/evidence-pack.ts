import { unzipSync, zipSync, type ZipOptions } from 'fflate';
import { hash } from 'node:crypto';
import type { StoredEvent, StreamName } from '@app/event-store';
import type { ClientOrderId, Instant, MerchantLogin, OrderId, OrderKind } from '@app/kernel';
import { isCheckpointOf, signNote, type SignedCheckpoint, type SigningKey } from '../log-proofs/checkpoint';
import { dataDigestOf } from '../log-proofs/log-tree';
import { openPage, type Json, type OpenPage, type TimelineEntry } from './open-page';

export type { Json, TimelineEntry };

/** An event, its index in the log's tree, and its path to the checkpoint's root. */
export interface ProvenEvent {
  readonly event: StoredEvent;
  readonly index: number;
  readonly path: readonly Uint8Array[];
}

export interface EvidenceStream {
  readonly name: StreamName;
  /** True if the pack has all events of the stream at that time, so that a missing one is detectable. */
  readonly isWhole: boolean;
}

export interface Evidence {
  readonly order: {
    readonly merchant: MerchantLogin;
    readonly orderId: OrderId;
    readonly clientOrderId: ClientOrderId;
    readonly kind: OrderKind;
  };
  /** Events recorded later are not in the pack. */
  readonly at: Instant;
  readonly streams: readonly EvidenceStream[];
  readonly events: readonly ProvenEvent[];
  readonly checkpoint: SignedCheckpoint;
  readonly facts: { readonly [name: string]: Json };
  readonly page: Omit<OpenPage, 'at' | 'log'>;
}

/** Members that could be used to charge a card (`docs/event-catalogue.md`). */
const CHARGES_CARD: ReadonlySet<string> = new Set(['token', 'cardToken', 'networkTransactionId']);

export const WITHHELD = '[withheld]';

const isRecord = (value: Json): value is { readonly [name: string]: Json } =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const conceal = (value: Json): Json => {
  if (Array.isArray(value)) return value.map((item: Json) => conceal(item));
  if (!isRecord(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name, CHARGES_CARD.has(name) && member !== null ? WITHHELD : conceal(member)]),
  );
};

/**
 * Removes data that could be used to charge a card; undefined if there are none. Packs go to third parties.
 * Such an event is included with its data's digest, which its leaf binds.
 */
export const withheldData = (data: string): Json | undefined => {
  const whole = JSON.parse(data) as Json;
  const concealed = conceal(whole);
  return JSON.stringify(concealed) === JSON.stringify(whole) ? undefined : concealed;
};

const sorted = (value: Json): Json => {
  if (Array.isArray(value)) return value.map((item: Json) => sorted(item));
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value as { readonly [name: string]: Json });
  return Object.fromEntries(members.sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, member]) => [name, sorted(member)]));
};

/**
 * RFC 8785 text of the members; `JSON.stringify` already formats numbers and strings as the standard requires.
 * Names must not be integers, whose order an object does not keep.
 */
export const canonical = (value: Json): string => JSON.stringify(sorted(value));

/** Version of the pack's format: its files, their members and its signature. */
const PACK_VERSION = 2;

interface PackFile {
  readonly name: string;
  readonly text: string;
}

const README = `An evidence pack of one order.

  python3 verify.py pack.zip --key KEY

checks it offline, with nothing but Python's standard library. Neither verify.py nor KEY may come from this pack alone: whoever
forges a pack puts a program into it that says what they like, and a key of their own.

verify.py  is the file libs/investigation/evidence/verify.py of the project, and is taken from there; or the one in here, once its
           SHA-256 is the one that the service told you by another way. Compare before you run it
KEY        is the public key of the service's log, one line NAME+ID+BASE64, which the service publishes; log-key.txt holds
           the one that signed this pack, to be compared with that

The zip has its files stored, in one form: one that was zipped anew does not hold.

manifest.json   what is in the pack: each file with its SHA-256, each stream with its number of events
manifest.sig    the manifest's digest and the time of signing, signed by the log's key (a C2SP signed note, Ed25519)
events.ndjson   the order's events as they lie in the log, one a line, in the order of the log. Personal data are sealed
                in them. Where an event has what a card could be charged by, its data stand there without that, beside the
                digest of the whole. Questions of operators about the order are left out, where nothing sealed was shown
                to them
proofs.json     for each event its place in the log's Merkle tree and the path to its root (RFC 6962)
checkpoint.txt  the head of that tree, signed by the log's key (a C2SP tlog checkpoint)
open.html       the order to read, print and step through; its page checks this zip too. It loads nothing and sends nothing
evidence.json   what the service says of the order: states, consumer, authentication, fees, deliveries, earlier orders.
                It is signed with the pack, and not proven by the tree
`;

const eventLine = ({ event }: ProvenEvent): string => {
  const { stream, revision, id, type, metadata, data } = event;
  const concealed = withheldData(data);
  return canonical({
    stream,
    revision: Number(revision),
    id,
    type,
    metadata,
    ...(concealed === undefined ? { data } : { dataDigest: dataDigestOf(event), concealed }),
  });
};

const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64');

const proofs = ({ checkpoint: { origin, size, root }, events }: Evidence): Json => ({
  tree: { origin, size, root: base64(root) },
  events: events.map(({ index, path }) => ({ index, path: path.map(base64) })),
});

const headOf = ({ order, at }: Evidence): { readonly [name: string]: Json } => ({
  version: PACK_VERSION,
  order: { ...order },
  at: new Date(at).toISOString(),
});

export interface PackPrograms {
  /** The text of `verify.py`. */
  readonly verifier: string;
  /** The script of `open.html`; empty if this checkout was not built. */
  readonly script: string;
}

/** All files except the manifest and its signature; byte-identical for the same evidence. */
const packFiles = (evidence: Evidence, { verifier, script }: PackPrograms, publicKey: string): readonly PackFile[] => [
  { name: 'README.txt', text: README },
  { name: 'checkpoint.txt', text: evidence.checkpoint.note },
  { name: 'events.ndjson', text: evidence.events.map((event) => `${eventLine(event)}\n`).join('') },
  { name: 'evidence.json', text: canonical({ ...headOf(evidence), ...evidence.facts }) },
  { name: 'log-key.txt', text: `${publicKey}\n` },
  { name: 'open.html', text: openPage({ ...evidence.page, at: evidence.at, log: evidence.checkpoint }, script) },
  { name: 'proofs.json', text: canonical(proofs(evidence)) },
  { name: 'verify.py', text: verifier },
];

const manifestOf = (evidence: Evidence, files: readonly PackFile[]): string => {
  const { checkpoint, events, streams } = evidence;
  return canonical({
    ...headOf(evidence),
    files: files.map(({ name, text }) => ({ name, bytes: Buffer.byteLength(text), sha256: hash('sha256', text, 'hex') })),
    log: { origin: checkpoint.origin, size: checkpoint.size, root: base64(checkpoint.root) },
    streams: streams.map(({ name, isWhole }) => ({
      name,
      isWhole,
      events: events.filter(({ event }) => event.stream === name).length,
    })),
  });
};

interface PackSettings extends PackPrograms {
  readonly key: SigningKey;
  /** Signing time, ms since the epoch: the only difference between two packs of the same evidence. */
  readonly signedAtMs: number;
}

/** Uncompressed, so that the zip's bytes follow from its files and `verify.py` can check them. Zip stores local times, so the earliest possible one is used. */
const ONE_WAY: ZipOptions = { level: 0, mtime: new Date(1980, 0, 1) };

/**
 * One order's evidence as a zip that can be verified offline: events with proofs, facts, a signed manifest and the verifier.
 * @throws Error if the checkpoint is not signed by the key, or does not cover an event
 */
export const packEvidence = (evidence: Evidence, { key, signedAtMs, ...programs }: PackSettings): Uint8Array => {
  const { checkpoint, events } = evidence;
  if (!isCheckpointOf(checkpoint, key.verifier)) throw new Error('the checkpoint was signed by another key');
  if (events.some(({ index }) => index >= checkpoint.size)) throw new Error('an event lies behind the checkpoint');
  const files = packFiles(evidence, programs, key.textFor(checkpoint.origin));
  const manifest = manifestOf(evidence, files);
  const signed = [`evidence-pack-${PACK_VERSION}`, hash('sha256', manifest, 'hex'), `time ${new Date(signedAtMs).toISOString()}`].map(
    (line) => `${line}\n`,
  );
  const whole = [
    ...files,
    { name: 'manifest.json', text: manifest },
    { name: 'manifest.sig', text: signNote(signed.join(''), checkpoint.origin, key) },
  ];
  return zipSync(Object.fromEntries(whole.map(({ name, text }) => [name, Buffer.from(text)])), ONE_WAY);
};

export const fileInPack = (pack: Uint8Array, name: string): Uint8Array | undefined =>
  unzipSync(pack, { filter: (file) => file.name === name })[name];
