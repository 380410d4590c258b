import { assertInTime, type Position, type StoredEvent } from '@app/event-store';
import type { Deadline } from '@app/kernel';
import { isCheckpointOf, parseCheckpoint, type SignedCheckpoint, type VerifyKey } from './checkpoint';
import { CheckpointHistory, type CheckpointStore, type FoundCheckpoint } from './checkpoint-stores';
import { eventsAfter, hasLeaf, leafText, parseLeaf, type ReadableLog, readTreeState } from './log-tree';
import { consistencyPath, HASH_BYTES, inclusionPath, isConsistent, isIncluded, leafHash, rootAt } from './merkle';
import type { ProofFiles } from './proof-files';
import { beforeTile, hashAt, TILE_WIDTH, tileAt, TileDamaged, TileReader } from './tiles';

/** Proof that an event is in the log under a signed checkpoint. Plain data; `eventProofProblem` verifies it offline. */
export interface EventProof {
  readonly leaf: string;
  /** Index of the event in the tree, from 0. */
  readonly index: number;
  /** Hashes in base 64, from the leaf's sibling upwards (RFC 6962, section 2.1.1). */
  readonly path: readonly string[];
  /** The signed note (C2SP tlog-checkpoint). */
  readonly checkpoint: string;
}

export type ProofResult =
  | { readonly kind: 'proof'; readonly proof: EventProof }
  | { readonly kind: 'not-covered' }
  | { readonly kind: 'event-differs'; readonly index: number }
  /** The event belongs to another service, or has lost its hash chain. */
  | { readonly kind: 'no-leaf' };

export interface EventPlace {
  readonly index: number;
  readonly path: readonly Buffer[];
}

type EventPlacesResult =
  | { readonly kind: 'places'; readonly checkpoint: SignedCheckpoint; readonly places: readonly EventPlace[] }
  | Exclude<ProofResult, { readonly kind: 'proof' }>;

interface ProofSource {
  readonly log: ReadableLog;
  readonly files: ProofFiles;
  readonly places: readonly CheckpointStore[];
  /** Undefined: signatures are not checked. */
  readonly key: VerifyKey | undefined;
  readonly origin: string;
  /** Deadline of the caller; no proof is made after it. */
  readonly deadline?: Deadline | undefined;
}

/** Creates proofs under the newest checkpoint that matches the stored tree. */
export class EventProofs {
  private constructor(
    private readonly source: ProofSource,
    private readonly tiles: TileReader,
    readonly checkpoint: SignedCheckpoint | undefined,
    /** Unreadable places; the others may suffice. */
    readonly unread: readonly { readonly place: string; readonly problem: string }[],
  ) {}

  /** @throws TileDamaged if the tree is unreadable or does not match the newest checkpoint; StoreUnavailable after the deadline */
  static async open(source: ProofSource): Promise<EventProofs> {
    assertInTime(source.deadline);
    const state = await readTreeState(source.files);
    if (state === undefined) throw new TileDamaged('the state of the tree cannot be read');
    const tiles = new TileReader(source.files, state.size);
    let newest: SignedCheckpoint | undefined;
    const unread: { place: string; problem: string }[] = [];
    for (const place of source.places) {
      const found = await place
        .newest((one) => one.origin === source.origin && one.size <= state.size && isOfKey(one, source))
        .catch((error: unknown) => {
          unread.push({ place: place.name, problem: error instanceof Error ? error.message : String(error) });
          return undefined;
        });
      if (found !== undefined && (newest === undefined || found.size > newest.size)) newest = found;
    }
    if (newest !== undefined && !(await rootAt(tiles, newest.size)).equals(newest.root))
      throw new TileDamaged(`the tree has another root than the checkpoint of ${newest.size} events`);
    return new EventProofs(source, tiles, newest, unread);
  }

  /** A checkpoint larger than the stored tree, or of another log; undefined if there is none. If it exists, an uncovered event is not simply new. */
  async beyond(): Promise<FoundCheckpoint | undefined> {
    const { files, places, origin } = this.source;
    for (const place of places.filter(({ name }) => !this.unread.some((one) => one.place === name))) {
      const isOfOther = (one: SignedCheckpoint): boolean => one.origin !== origin;
      const isAhead = (one: SignedCheckpoint): boolean => one.origin === origin && one.size > this.tiles.treeSize;
      const checkpoint = await place.newest((one) => (isOfOther(one) || isAhead(one)) && isOfKey(one, this.source));
      if (checkpoint === undefined) continue;
      // Read again: a running service flushes its tree before it signs newer checkpoints.
      const size = (await readTreeState(files))?.size ?? 0;
      if (isOfOther(checkpoint) || checkpoint.size > size) return { checkpoint, place: place.name };
    }
    return undefined;
  }

  /** @param event as stored in the log @throws StoreUnavailable, also after the deadline; TileDamaged */
  async of(event: StoredEvent): Promise<ProofResult> {
    const found = await this.#find(event);
    if (typeof found !== 'number') return found;
    if (this.checkpoint === undefined || found >= this.checkpoint.size) return { kind: 'not-covered' };
    const path = (await inclusionPath(this.tiles, found, this.checkpoint.size)).map((hash) => hash.toString('base64'));
    return { kind: 'proof', proof: { leaf: leafText(event), index: found, path, checkpoint: this.checkpoint.note } };
  }

  /**
   * Indexes of all events under one checkpoint: the neighbour's oldest that covers them, which never changes.
   * @throws StoreUnavailable, also after the deadline; TileDamaged, also if the tree does not match that checkpoint
   */
  async together(events: readonly StoredEvent[]): Promise<EventPlacesResult> {
    const indexes: number[] = [];
    for (const event of events) {
      const found = await this.#find(event);
      if (typeof found !== 'number') return found;
      indexes.push(found);
    }
    const { files, key, origin, deadline } = this.source;
    assertInTime(deadline);
    const size = Math.max(0, ...indexes) + 1;
    const checkpoint = await new CheckpointHistory(files).oldest(
      size,
      (one) => one.origin === origin && (key === undefined || isCheckpointOf(one, key)),
    );
    if (checkpoint === undefined || checkpoint.size > this.tiles.treeSize) return { kind: 'not-covered' };
    if (!(await rootAt(this.tiles, checkpoint.size)).equals(checkpoint.root))
      throw new TileDamaged(`the tree has another root than the checkpoint of ${checkpoint.size} events`);
    const places: EventPlace[] = [];
    for (const index of indexes) {
      assertInTime(deadline);
      places.push({ index, path: await inclusionPath(this.tiles, index, checkpoint.size) });
    }
    return { kind: 'places', checkpoint, places };
  }

  async #find(event: StoredEvent): Promise<number | Exclude<ProofResult, { readonly kind: 'proof' }>> {
    assertInTime(this.source.deadline);
    if (!hasLeaf(event)) return { kind: 'no-leaf' };
    const index = await this.#indexOf(event);
    if (index === undefined) return { kind: 'not-covered' };
    const tile = await this.tiles.tile(0, Math.floor(index / TILE_WIDTH));
    return leafHash(leafText(event)).equals(hashAt(tile, index % TILE_WIDTH)) ? index : { kind: 'event-differs', index };
  }

  /** The event at a position of the tree, as the log has it now. @throws StoreUnavailable, also after the deadline; TileDamaged */
  async eventAt(position: Position): Promise<StoredEvent | undefined> {
    return (await this.#placeOf(position))?.event;
  }

  async #indexOf({ position }: StoredEvent): Promise<number | undefined> {
    return (await this.#placeOf(position))?.index;
  }

  async #placeOf(position: Position): Promise<{ readonly event: StoredEvent; readonly index: number } | undefined> {
    const { log, files, deadline } = this.source;
    const fullTiles = Math.floor(this.tiles.treeSize / TILE_WIDTH);
    const tile = await tileAt(files, position, fullTiles, (a, b) => log.comparePositions(a, b));
    let index = tile * TILE_WIDTH;
    for await (const event of eventsAfter(log, await beforeTile(files, tile), deadline)) {
      if (index >= this.tiles.treeSize) return undefined;
      if (event.position === position) return { event, index };
      if (hasLeaf(event)) index += 1;
    }
    return undefined;
  }
}

const isOfKey = (checkpoint: SignedCheckpoint, { key }: ProofSource): boolean => key === undefined || isCheckpointOf(checkpoint, key);

const hashesIn = (texts: readonly string[]): readonly Buffer[] | undefined => {
  const hashes = texts.map((text) => Buffer.from(text, 'base64'));
  return texts.every((text, at) => hashes[at]?.length === HASH_BYTES && hashes[at].toString('base64') === text) ? hashes : undefined;
};

/** Why the proof is invalid; undefined if the event's leaf is in the checkpoint's tree and the key signed it. Needs no log. */
export const eventProofProblem = ({ leaf, index, path, checkpoint: note }: EventProof, key: VerifyKey): string | undefined => {
  const checkpoint = parseCheckpoint(note);
  if (checkpoint === undefined) return 'what it holds is no checkpoint';
  if (!isCheckpointOf(checkpoint, key)) return 'the key did not sign its checkpoint';
  if (parseLeaf(leaf) === undefined) return 'what it holds is no event';
  const hashes = hashesIn(path);
  const isHeld = hashes !== undefined && isIncluded({ leaf: leafHash(leaf), index, size: checkpoint.size, root: checkpoint.root }, hashes);
  return isHeld ? undefined : `the event is not number ${index} of the tree of its checkpoint`;
};

/** Proof that a later checkpoint's log begins with an older one's. Plain data; `consistencyProblem` verifies it offline. */
export interface ConsistencyProof {
  readonly older: string;
  readonly later: string;
  readonly path: readonly string[];
}

/** @throws TileDamaged if the tree does not reach the later checkpoint @throws RangeError if the older one is larger */
export const consistencyProofOf = async (
  files: ProofFiles,
  older: SignedCheckpoint,
  later: SignedCheckpoint,
): Promise<ConsistencyProof> => {
  const state = await readTreeState(files);
  if (state === undefined || state.size < later.size)
    throw new TileDamaged(`the tree has ${state?.size ?? 0} events, and the checkpoint ${later.size}`);
  const path = await consistencyPath(new TileReader(files, state.size), older.size, later.size);
  return { older: older.note, later: later.note, path: path.map((hash) => hash.toString('base64')) };
};

/** Why the proof is invalid; undefined if the key signed both checkpoints of one log and the later tree extends the older one. Needs no log. */
export const consistencyProblem = ({ older, later, path }: ConsistencyProof, key: VerifyKey): string | undefined => {
  const [first, second, hashes] = [parseCheckpoint(older), parseCheckpoint(later), hashesIn(path)];
  if (first === undefined || second === undefined) return 'what it holds are no two checkpoints';
  if (first.origin !== second.origin) return 'its checkpoints are of two logs';
  if (!isCheckpointOf(first, key) || !isCheckpointOf(second, key)) return 'the key did not sign both checkpoints';
  const isHeld = hashes !== undefined && isConsistent(first, second, hashes);
  return isHeld ? undefined : `the tree of ${second.size} events does not begin with that of ${first.size}`;
};

/** The first line of a proof of an event (C2SP tlog-proof). */
const EVENT_PROOF = 'c2sp.org/tlog-proof@v1';
/** First line of a consistency proof, modelled on C2SP tlog-proof. */
const CONSISTENCY_PROOF = 'payment-orchestrator/consistency-proof@v1';

/** Larger proof files are refused. An event has at most a million bytes, and base 64 adds a third. */
export const PROOF_CHARACTERS_MAX = 2_000_000;
const INDEX = /^index (0|[1-9]\d{0,15})$/;
const HASH = /^[A-Za-z0-9+/]{43}=$/;
const PATH_HASHES_MAX = 64;

/** The proof as a file (C2SP tlog-proof); the event's leaf is its `extra`. */
export const eventProofText = ({ leaf, index, path, checkpoint }: EventProof): string =>
  [EVENT_PROOF, `extra ${Buffer.from(leaf).toString('base64')}`, `index ${index}`, ...path, '', checkpoint].join('\n');

/** The proof as a file: type line, hashes, an empty line, and both checkpoints with an empty line between them. */
export const consistencyProofText = ({ older, later, path }: ConsistencyProof): string =>
  [CONSISTENCY_PROOF, ...path, '', older, later].join('\n');

type ReadProof =
  { readonly kind: 'event'; readonly proof: EventProof } | { readonly kind: 'consistency'; readonly proof: ConsistencyProof };

/** Reads a proof of either kind; undefined if the text is none. Does not verify it. */
export const readProof = (text: string): ReadProof | undefined => {
  if (text.length > PROOF_CHARACTERS_MAX) return undefined;
  const end = text.indexOf('\n\n');
  const [kind, ...lines] = text.slice(0, Math.max(end, 0)).split('\n');
  const rest = text.slice(end + 2);
  if (kind === EVENT_PROOF) {
    const [extra = '', index = '', ...path] = lines;
    const [, number] = INDEX.exec(index) ?? [];
    if (!extra.startsWith('extra ') || number === undefined || !isPath(path)) return undefined;
    const leaf = Buffer.from(extra.slice('extra '.length), 'base64').toString('utf8');
    // Only the canonical base 64 is accepted, so that no two files are the same proof.
    if (`extra ${Buffer.from(leaf).toString('base64')}` !== extra) return undefined;
    return { kind: 'event', proof: { leaf, index: Number(number), path, checkpoint: rest } };
  }
  if (kind !== CONSISTENCY_PROOF || !isPath(lines)) return undefined;
  // A checkpoint contains one empty line, before its signatures.
  const between = rest.indexOf('\n\n', rest.indexOf('\n\n') + 1);
  if (between < 0) return undefined;
  return { kind: 'consistency', proof: { older: rest.slice(0, between + 1), later: rest.slice(between + 2), path: lines } };
};

const isPath = (lines: readonly string[]): boolean => lines.length <= PATH_HASHES_MAX && lines.every((line) => HASH.test(line));
