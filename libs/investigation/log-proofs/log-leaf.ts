import { assertInTime, type EventStore, lengthPrefixed, type Position, previousHashOf, type StoredEvent } from '@app/event-store';
import type { Deadline } from '@app/kernel';
import { hash } from 'node:crypto';

/** What a leaf binds of an event in clear: never its position or the store's time, so that a copied event keeps its leaf. */
type LeafHead = Pick<StoredEvent, 'stream' | 'revision' | 'id' | 'type' | 'metadata'>;

/** All that a leaf binds of an event. */
interface Leaf extends LeafHead {
  /** SHA-256 of the event's data as stored, hex. */
  readonly dataDigest: string;
}

const VERSION = lengthPrefixed('log-leaf-1');
const MEMBERS = 7;

/** The digest by which a leaf binds the data of its event: who may not see the data can still check the rest. */
export const dataDigestOf = ({ data }: Pick<StoredEvent, 'data'>): string => hash('sha256', data, 'hex');

/**
 * A leaf: a version, stream, revision, id, type, the digest of the data, and the metadata as stored, each after its length in UTF-8 bytes and a colon.
 * Its hash is that of a leaf by RFC 6962.
 */
const textOfLeaf = ({ stream, revision, id, type, dataDigest, metadata }: Leaf): string =>
  VERSION +
  lengthPrefixed(stream) +
  lengthPrefixed(String(revision)) +
  lengthPrefixed(id) +
  lengthPrefixed(type) +
  lengthPrefixed(dataDigest) +
  lengthPrefixed(metadata);

/** The leaf of an event as stored. */
export const leafText = (event: LeafHead & Pick<StoredEvent, 'data'>): string =>
  textOfLeaf({
    stream: event.stream,
    revision: event.revision,
    id: event.id,
    type: event.type,
    dataDigest: dataDigestOf(event),
    metadata: event.metadata,
  });

/**
 * Whether the event has a leaf: events of other services on the same server have no hash chain, and are not in the tree. The event alone decides, so that
 * every release decides alike.
 */
export const hasLeaf = (event: Pick<StoredEvent, 'metadata'>): boolean => previousHashOf(event) !== undefined;

const REVISION = /^(0|[1-9]\d{0,15})$/;

/** Reads a leaf back; undefined where the text is none that `leafText` writes. */
export const parseLeaf = (leaf: string): Leaf | undefined => {
  const bytes = Buffer.from(leaf);
  const texts: string[] = [];
  for (let at = 0; at < bytes.length && texts.length < MEMBERS;) {
    const colon = bytes.indexOf(':', at);
    const length = Number(bytes.toString('utf8', at, Math.max(at, colon)));
    if (colon < 0 || !Number.isSafeInteger(length) || length < 0 || colon + 1 + length > bytes.length) return undefined;
    texts.push(bytes.toString('utf8', colon + 1, colon + 1 + length));
    at = colon + 1 + length;
  }
  const [, stream = '', revision = '', id = '', type = '', dataDigest = '', metadata = ''] = texts;
  if (!REVISION.test(revision)) return undefined;
  const read = { stream, revision: BigInt(revision), id, type, dataDigest, metadata } as Leaf;
  return textOfLeaf(read) === leaf ? read : undefined;
};

/** A log for reading. */
export type ReadableLog = Pick<EventStore, 'subscribe' | 'head' | 'comparePositions' | 'read'>;

/**
 * Events of one log in the order of positions, up to those that were there when the read began.
 * @throws StoreUnavailable also where the deadline is over; BrokenChain
 */
export async function* eventsAfter(
  log: ReadableLog,
  after: Position | 'start',
  deadline?: Deadline,
): AsyncGenerator<StoredEvent, undefined> {
  assertInTime(deadline);
  const subscription = log.subscribe('all', after);
  // A log that is away yields nothing, so that only the end of the subscription ends the wait.
  const forget = deadline?.whenOver(() => void subscription.cancel());
  try {
    for await (const item of subscription) {
      assertInTime(deadline);
      if (item.kind === 'caught-up') return undefined;
      if (item.kind === 'event') yield item.event;
    }
  } finally {
    forget?.();
    await subscription.cancel();
  }
  assertInTime(deadline);
  return undefined;
}
