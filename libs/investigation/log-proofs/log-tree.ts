import { hash } from 'node:crypto';
import { assertInTime, type EventStore, lengthPrefixed, type Position, previousHashOf, type StoredEvent } from '@app/event-store';
import type { Deadline } from '@app/kernel';
import { EMPTY_ROOT, Frontier, HASH_BYTES, leafHash, peaksAt, rootAt } from './merkle';
import type { ProofFiles } from './proof-files';
import { beforeTile, GrowingPositions, GrowingTiles, hashAt, TILE_WIDTH, TileDamaged, TileReader } from './tiles';
import { type EventPlace, eventPlace } from './verify-report';

/** Event fields in a leaf. Excludes position and store time, so that a copied event keeps its leaf. */
type LeafHead = Pick<StoredEvent, 'stream' | 'revision' | 'id' | 'type' | 'metadata'>;

interface Leaf extends LeafHead {
  /** SHA-256 of the event's data as stored, hex. */
  readonly dataDigest: string;
}

const LEAF_VERSION = lengthPrefixed('log-leaf-1');
const MEMBERS = 7;

/** Lets readers without access to the data check the rest of the event. */
export const dataDigestOf = ({ data }: Pick<StoredEvent, 'data'>): string => hash('sha256', data, 'hex');

/** Version, stream, revision, id, type, data digest and metadata, each after its length in UTF-8 bytes and a colon. Hashed as a leaf by RFC 6962. */
const textOfLeaf = ({ stream, revision, id, type, dataDigest, metadata }: Leaf): string =>
  LEAF_VERSION +
  lengthPrefixed(stream) +
  lengthPrefixed(String(revision)) +
  lengthPrefixed(id) +
  lengthPrefixed(type) +
  lengthPrefixed(dataDigest) +
  lengthPrefixed(metadata);

export const leafText = (event: LeafHead & Pick<StoredEvent, 'data'>): string =>
  textOfLeaf({
    stream: event.stream,
    revision: event.revision,
    id: event.id,
    type: event.type,
    dataDigest: dataDigestOf(event),
    metadata: event.metadata,
  });

/** Events of other services on the same server have no hash chain and no leaf. Depends only on the event, so that all releases agree. */
export const hasLeaf = (event: Pick<StoredEvent, 'metadata'>): boolean => previousHashOf(event) !== undefined;

const REVISION = /^(0|[1-9]\d{0,15})$/;

/** Undefined if `leafText` would not write this text. */
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

export type ReadableLog = Pick<EventStore, 'subscribe' | 'head' | 'comparePositions' | 'read'>;

/**
 * Events in order of positions, up to the log's head at the start of the read.
 * @throws StoreUnavailable, also after the deadline; BrokenChain
 */
export async function* eventsAfter(
  log: ReadableLog,
  after: Position | 'start',
  deadline?: Deadline,
): AsyncGenerator<StoredEvent, undefined> {
  assertInTime(deadline);
  const subscription = log.subscribe('all', after);
  // An unavailable log yields nothing, so only cancelling the subscription ends the wait.
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

export interface TreeState {
  readonly size: number;
  readonly position: Position | 'start';
  readonly root: Buffer;
}

const STATE_PATH = 'state';
const VERSION = 1;
const EMPTY: TreeState = { size: 0, position: 'start', root: EMPTY_ROOT };

/** State of the stored tree, empty if there is none; undefined if the file is damaged. */
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

/** Merkle tree over the log in order of positions. Grows in memory; a crash loses changes since the last flush. */
export class LogTree {
  readonly #files: ProofFiles;
  readonly #frontier: Frontier;
  readonly #tiles: GrowingTiles;
  readonly #positions: GrowingPositions;
  #position: TreeState['position'];
  #flushed: TreeState;
  /** Superseded by the last flush, but concurrent readers may still use the state before it. */
  #superseded: readonly string[] = [];

  private constructor(files: ProofFiles, state: TreeState, peaks: readonly Buffer[], tiles: GrowingTiles, positions: GrowingPositions) {
    this.#files = files;
    this.#frontier = new Frontier((height, _index, hash) => tiles.add(height, hash), state.size, peaks);
    this.#tiles = tiles;
    this.#positions = positions;
    this.#position = state.position;
    this.#flushed = state;
  }

  /** The stored tree. @throws TileDamaged if the files are inconsistent: rebuild it */
  static async open(files: ProofFiles): Promise<LogTree> {
    const state = await readTreeState(files);
    if (state === undefined) throw new TileDamaged('the state of the tree cannot be read');
    const reader = new TileReader(files, state.size);
    if (!(await rootAt(reader, state.size)).equals(state.root)) throw new TileDamaged('the tiles do not have the root of the tree');
    const positions = await GrowingPositions.of(files, Math.floor(state.size / TILE_WIDTH));
    return new LogTree(files, state, await peaksAt(reader, state.size), await GrowingTiles.of(reader), positions);
  }

  /** A tree to be rebuilt; ignores the existing files. */
  static async anew(files: ProofFiles): Promise<LogTree> {
    await files.remove('state');
    return LogTree.open(files);
  }

  get size(): number {
    return this.#frontier.size;
  }

  get position(): TreeState['position'] {
    return this.#position;
  }

  get flushed(): TreeState {
    return this.#flushed;
  }

  get isFull(): boolean {
    return this.#tiles.waiting >= TILES_WAITING_MAX;
  }

  root(): Buffer {
    return this.#frontier.root();
  }

  add(event: StoredEvent): void {
    this.#position = event.position;
    if (!hasLeaf(event)) return;
    this.#frontier.push(leafHash(leafText(event)));
    if (this.size % TILE_WIDTH === 0) this.#positions.add(event.position);
  }

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

  reader(): TileReader {
    return new TileReader(this.#files, this.#flushed.size);
  }
}

/** Compares the tree's newest events, at most a tile, with the log before it grows. A log cut off or rolled back would get other events at these indexes. @throws TileDamaged, StoreUnavailable */
export const tailFault = async (tree: LogTree, log: ReadableLog, files: ProofFiles): Promise<TreeFault | undefined> => {
  const { size } = tree.flushed;
  if (size === 0) return undefined;
  const number = Math.floor((size - 1) / TILE_WIDTH);
  const tile = await tree.reader().tile(0, number);
  let index = number * TILE_WIDTH;
  for await (const event of eventsAfter(log, await beforeTile(files, number))) {
    if (!hasLeaf(event)) continue;
    if (!leafHash(leafText(event)).equals(hashAt(tile, index % TILE_WIDTH))) return { kind: 'event-differs', ...eventPlace(event, index) };
    index += 1;
    if (index === size) return undefined;
  }
  return { kind: 'log-shorter', treeSize: size };
};

export type TreeFault =
  | ({ readonly kind: 'event-differs' } & EventPlace)
  | ({ readonly kind: 'event-unreadable' } & Omit<EventPlace, 'index'>)
  | { readonly kind: 'log-shorter'; readonly treeSize: number }
  | { readonly kind: 'checkpoint-differs'; readonly place: string; readonly size: number }
  /** Our key signed another log's checkpoint in this log's place. */
  | { readonly kind: 'other-log'; readonly place: string; readonly origin: string; readonly size: number }
  /** A place has only checkpoints signed by another key. */
  | { readonly kind: 'other-key'; readonly place: string; readonly size: number }
  | { readonly kind: 'name-unreadable'; readonly file: string }
  | { readonly kind: 'checkpoint-ahead'; readonly place: string; readonly size: number; readonly treeSize: number };

export const faultText = (fault: TreeFault): string => {
  switch (fault.kind) {
    case 'event-differs':
      return `event ${fault.index} of the log (position ${fault.position}, ${fault.stream} revision ${fault.revision}) differs from the one in the Merkle tree`;
    case 'log-shorter':
      return `the log ends before its Merkle tree, which has ${fault.treeSize} events`;
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
