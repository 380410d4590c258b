import { hash } from 'node:crypto';
import { assertInTime, type EventStore, lengthPrefixed, type Position, previousHashOf, type StoredEvent } from '@app/event-store';
import type { Deadline } from '@app/kernel';
import { EMPTY_ROOT, Frontier, HASH_BYTES, leafHash, peaksAt, rootAt } from './merkle';
import type { ProofFiles } from './proof-files';
import { EventPositions, GrowingPositions, GrowingTiles, hashAt, TILE_WIDTH, TileDamaged, TileReader } from './tiles';

/** What a leaf binds of an event in clear: never its position or the store's time, so that a copied event keeps its leaf. */
type LeafHead = Pick<StoredEvent, 'stream' | 'revision' | 'id' | 'type' | 'metadata'>;

/** All that a leaf binds of an event. */
interface Leaf extends LeafHead {
  /** SHA-256 of the event's data as stored, hex. */
  readonly dataDigest: string;
}

const LEAF_VERSION = lengthPrefixed('log-leaf-1');
const MEMBERS = 7;

/** The digest by which a leaf binds the data of its event: who may not see the data can still check the rest. */
export const dataDigestOf = ({ data }: Pick<StoredEvent, 'data'>): string => hash('sha256', data, 'hex');

/**
 * A leaf: a version, stream, revision, id, type, the digest of the data, and the metadata as stored, each after its length in UTF-8 bytes and a colon.
 * Its hash is that of a leaf by RFC 6962.
 */
const textOfLeaf = ({ stream, revision, id, type, dataDigest, metadata }: Leaf): string =>
  LEAF_VERSION +
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

/** How far the tree on the disk reaches. */
interface TreeState {
  /** Leaves. */
  readonly size: number;
  /** Of the last event that was read; an event without a leaf counts too. */
  readonly position: Position | 'start';
  readonly root: Buffer;
}

const STATE_PATH = 'state';
const VERSION = 1;
const EMPTY: TreeState = { size: 0, position: 'start', root: EMPTY_ROOT };

/** The state of the tree in these files, an empty one where there is none; undefined where the file is damaged. */
export const readTreeState = async (files: ProofFiles): Promise<TreeState | undefined> => {
  const bytes = await files.read(STATE_PATH);
  if (bytes === undefined) return EMPTY;
  try {
    const { version, size, position, root } = JSON.parse(bytes.toString('utf8')) as Record<string, unknown>;
    const hash = Buffer.from(String(root), 'base64');
    const isWhole = version === VERSION && Number.isSafeInteger(size) && Number(size) >= 0 && typeof position === 'string';
    return isWhole && hash.length === HASH_BYTES ? { size: Number(size), position: position as Position, root: hash } : undefined;
  } catch {
    return undefined;
  }
};

const writeTreeState = ({ size, position, root }: TreeState, files: ProofFiles): Promise<void> =>
  files.write(STATE_PATH, Buffer.from(`${JSON.stringify({ version: VERSION, size, position, root: root.toString('base64') })}\n`));

/** Full tiles that may wait in memory, 8 KiB each. */
const TILES_WAITING_MAX = 64;

/** The Merkle tree over the log, in the order of positions: grows in memory and is flushed to its files, which a crash leaves as the last flush did. */
export class LogTree {
  readonly #files: ProofFiles;
  readonly #frontier: Frontier;
  readonly #tiles: GrowingTiles;
  readonly #positions: GrowingPositions;
  #position: TreeState['position'];
  #flushed: TreeState;
  /** Superseded by the last flush: whoever reads beside us may still be at the state before it. */
  #superseded: readonly string[] = [];

  private constructor(files: ProofFiles, state: TreeState, peaks: readonly Buffer[], tiles: GrowingTiles, positions: GrowingPositions) {
    this.#files = files;
    this.#frontier = new Frontier((height, _index, hash) => tiles.add(height, hash), state.size, peaks);
    this.#tiles = tiles;
    this.#positions = positions;
    this.#position = state.position;
    this.#flushed = state;
  }

  /** The tree as its files have it. @throws TileDamaged where they do not belong together: it must be built again */
  static async open(files: ProofFiles): Promise<LogTree> {
    const state = await readTreeState(files);
    if (state === undefined) throw new TileDamaged('the state of the tree cannot be read');
    const reader = new TileReader(files, state.size);
    if (!(await rootAt(reader, state.size)).equals(state.root)) throw new TileDamaged('the tiles do not have the root of the tree');
    const positions = await GrowingPositions.of(files, Math.floor(state.size / TILE_WIDTH));
    return new LogTree(files, state, await peaksAt(reader, state.size), await GrowingTiles.of(reader), positions);
  }

  /** A tree to be built anew over whatever the files hold. */
  static async anew(files: ProofFiles): Promise<LogTree> {
    await files.remove('state');
    return LogTree.open(files);
  }

  /** Leaves, those in memory included. */
  get size(): number {
    return this.#frontier.size;
  }

  /** Of the last event that was added. */
  get position(): TreeState['position'] {
    return this.#position;
  }

  /** The tree as of the last flush. */
  get flushed(): TreeState {
    return this.#flushed;
  }

  /** Whether it must be flushed before more is added. */
  get isFull(): boolean {
    return this.#tiles.waiting >= TILES_WAITING_MAX;
  }

  root(): Buffer {
    return this.#frontier.root();
  }

  /** Adds the next event of the log. */
  add(event: StoredEvent): void {
    this.#position = event.position;
    if (!hasLeaf(event)) return;
    this.#frontier.push(leafHash(leafText(event)));
    if (this.size % TILE_WIDTH === 0) this.#positions.add(event.position);
  }

  /** Resolves when the disk has all of the tree. */
  async flush(): Promise<void> {
    if (this.#flushed.position === this.#position) return;
    const superseded = await this.#tiles.flush(this.#files);
    await this.#positions.flush(this.#files);
    const state = { size: this.size, position: this.#position, root: this.root() };
    await writeTreeState(state, this.#files);
    this.#flushed = state;
    for (const path of this.#superseded) await this.#files.remove(path);
    this.#superseded = superseded;
  }

  /** Reads the tree as of the last flush. */
  reader(): TileReader {
    return new TileReader(this.#files, this.#flushed.size);
  }
}

/**
 * Compares the newest events of the tree with the log, at most a tile of them, before the tree goes on: a log that was cut off or rolled back since would
 * get other events in their places. @throws TileDamaged, StoreUnavailable
 */
export const tailFault = async (tree: LogTree, log: ReadableLog, files: ProofFiles): Promise<TreeFault | undefined> => {
  const { size } = tree.flushed;
  if (size === 0) return undefined;
  const number = Math.floor((size - 1) / TILE_WIDTH);
  const tile = await tree.reader().tile(0, number);
  let index = number * TILE_WIDTH;
  for await (const event of eventsAfter(log, await new EventPositions(files).before(number))) {
    if (!hasLeaf(event)) continue;
    if (!leafHash(leafText(event)).equals(hashAt(tile, index % TILE_WIDTH))) {
      const { position, stream, revision } = event;
      return { kind: 'event-differs', index, position, stream, revision: Number(revision) };
    }
    index += 1;
    if (index === size) return undefined;
  }
  return { kind: 'log-shorter', treeSize: size };
};

/** Why a log does not fit the tree or the checkpoints that were made of it. */
export type TreeFault =
  /** An event is not the one that the tree holds in its place. */
  | {
      readonly kind: 'event-differs';
      readonly index: number;
      readonly position: string;
      readonly stream: string;
      readonly revision: number;
    }
  /** An event cannot be read: its row does not fit its checksum. */
  | { readonly kind: 'event-unreadable'; readonly position: string; readonly stream: string; readonly revision: number }
  /** The log ends before the tree does. */
  | { readonly kind: 'log-shorter'; readonly treeSize: number }
  /** A signed checkpoint has another root than the tree has at its size. */
  | { readonly kind: 'checkpoint-differs'; readonly place: string; readonly size: number }
  /** The key signed a log of another name at a place of this one's. */
  | { readonly kind: 'other-log'; readonly place: string; readonly origin: string; readonly size: number }
  /** A place of this log's checkpoints holds such as another key signed. */
  | { readonly kind: 'other-key'; readonly place: string; readonly size: number }
  /** The file with the name of the log is damaged. */
  | { readonly kind: 'name-unreadable'; readonly file: string }
  /** A signed checkpoint was made of more events than the log has. */
  | { readonly kind: 'checkpoint-ahead'; readonly place: string; readonly size: number; readonly treeSize: number };

/** One line for a log of the service or a terminal. */
export const faultText = (fault: TreeFault): string => {
  switch (fault.kind) {
    case 'event-differs':
      return `event ${fault.index} of the log (position ${fault.position}, ${fault.stream} revision ${fault.revision}) is not the one that the tree holds`;
    case 'log-shorter':
      return `the log ends before its tree, which has ${fault.treeSize} events`;
    case 'event-unreadable':
      return `the event at position ${fault.position} (${fault.stream} revision ${fault.revision}) cannot be read`;
    case 'checkpoint-differs':
      return `the checkpoint of ${fault.size} events at ${fault.place} has another root than the log`;
    case 'other-log':
      return `the key signed another log, ${fault.origin} with ${fault.size} events, at ${fault.place}`;
    case 'other-key':
      return `the checkpoint of ${fault.size} events at ${fault.place} was signed by another key`;
    case 'name-unreadable':
      return `the name of the log cannot be read: its file ${fault.file} is damaged`;
    case 'checkpoint-ahead':
      return `the checkpoint at ${fault.place} is of ${fault.size} events, and the log has ${fault.treeSize}`;
  }
};
