import { lengthPrefixed, previousHashOf, type StoredEvent } from '@app/event-store';

/** All of an event that its leaf binds: never its position or the store's time, so that a copied event keeps its leaf. */
export type LeafEvent = Pick<StoredEvent, 'stream' | 'revision' | 'id' | 'type' | 'data' | 'metadata'>;

const VERSION = lengthPrefixed('log-leaf-1');
const MEMBERS = 7;

/**
 * The leaf of an event: a version, stream, revision, id, type, data and metadata as stored, each after its length in UTF-8 bytes and a colon. Its hash is
 * that of a leaf by RFC 6962.
 */
export const leafText = ({ stream, revision, id, type, data, metadata }: LeafEvent): string =>
  VERSION +
  lengthPrefixed(stream) +
  lengthPrefixed(String(revision)) +
  lengthPrefixed(id) +
  lengthPrefixed(type) +
  lengthPrefixed(data) +
  lengthPrefixed(metadata);

/**
 * Whether the event has a leaf: events of other services on the same server have no hash chain, and are not in the tree. The event alone decides, so that
 * every release decides alike.
 */
export const hasLeaf = (event: Pick<StoredEvent, 'metadata'>): boolean => previousHashOf(event) !== undefined;

const REVISION = /^(0|[1-9]\d{0,15})$/;

/** Reads a leaf back; undefined where the text is none that `leafText` writes. */
export const parseLeaf = (leaf: string): LeafEvent | undefined => {
  const bytes = Buffer.from(leaf);
  const texts: string[] = [];
  for (let at = 0; at < bytes.length && texts.length < MEMBERS;) {
    const colon = bytes.indexOf(':', at);
    const length = Number(bytes.toString('utf8', at, Math.max(at, colon)));
    if (colon < 0 || !Number.isSafeInteger(length) || length < 0 || colon + 1 + length > bytes.length) return undefined;
    texts.push(bytes.toString('utf8', colon + 1, colon + 1 + length));
    at = colon + 1 + length;
  }
  const [, stream = '', revision = '', id = '', type = '', data = '', metadata = ''] = texts;
  if (!REVISION.test(revision)) return undefined;
  const event = { stream, revision: BigInt(revision), id, type, data, metadata } as LeafEvent;
  return leafText(event) === leaf ? event : undefined;
};
