import type { Clock } from '@app/kernel';
import { isCheckpointOf, isKeyName, signCheckpoint, type SignedCheckpoint, timeLine, type SigningKey } from './checkpoint';
import type { CheckpointStore } from './checkpoint-stores';
import type { LogTree, TreeFault } from './log-tree';
import { rootAt } from './merkle';
import type { ProofFiles } from './proof-files';

/** The file with the log's name is unreadable. A new name would make it another log, so none is assigned. */
export class OriginDamaged extends Error {
  override readonly name = 'OriginDamaged';

  constructor(readonly file: string) {
    super(`${file}: the name of the log cannot be read`);
  }
}

const PATH = 'origin';

/** The log's name in its checkpoints; undefined if nothing was signed yet. Unknown members are ignored. @throws OriginDamaged */
export const readOrigin = async (files: ProofFiles): Promise<string | undefined> => {
  const bytes = await files.read(PATH);
  if (bytes === undefined) return undefined;
  try {
    const { origin } = JSON.parse(bytes.toString('utf8')) as { origin?: unknown };
    if (typeof origin === 'string' && isKeyName(origin)) return origin;
  } catch {
    // Refused below.
  }
  throw new OriginDamaged(PATH);
};

export const writeOrigin = (origin: string, files: ProofFiles): Promise<void> =>
  files.write(PATH, Buffer.from(`${JSON.stringify({ origin }, undefined, 2)}\n`));

export const newOrigin = (random: Uint8Array): string => `payment-orchestrator/log/${Buffer.from(random).toString('hex')}`;

interface CheckpointIssuerSettings {
  readonly key: SigningKey;
  readonly origin: string;
  /** Resolves when the log's name is stored. Never sign under a name that may be lost, and store none without permission to sign. */
  readonly keepOrigin: () => Promise<void>;
  /** Stored with the tree. Every checkpoint is written here before it is sent to witnesses. */
  readonly neighbour: CheckpointStore;
  readonly directories: readonly CheckpointStore[];
  readonly clock: Clock;
  readonly onWitnessFailed: (witness: string, error: unknown) => void;
}

type Issued =
  | { readonly kind: 'signed'; readonly checkpoint: SignedCheckpoint }
  | { readonly kind: 'inconsistent'; readonly fault: TreeFault }
  | { readonly kind: 'nothing-new'; readonly checkpoint: SignedCheckpoint };

/** Newest notes: the `checkpoint` file, and the end of the history. They may differ after a crash between the two writes. */
const NEWEST_NOTES = 2;

interface Holding {
  readonly place: CheckpointStore;
  readonly own: SignedCheckpoint | undefined;
  readonly ofOtherLog: SignedCheckpoint | undefined;
  readonly ofOtherKey: SignedCheckpoint | undefined;
}

/** Signs the tree's head after proving that it continues the newest known checkpoint. */
export class CheckpointIssuer {
  readonly #settings: CheckpointIssuerSettings;
  /** Places whose complete history was checked once. */
  readonly #known = new Set<CheckpointStore>();

  constructor(settings: CheckpointIssuerSettings) {
    this.#settings = settings;
  }

  /** Signs the tree as of its last flush. @throws Error if tree or neighbour cannot be read or written */
  async issue(tree: LogTree): Promise<Issued> {
    const { key, origin, keepOrigin, neighbour, clock } = this.#settings;
    const { size, root } = tree.flushed;
    const holdings = await this.#holdings();
    let newest: SignedCheckpoint | undefined;
    for (const holding of holdings) {
      const fault = this.#strangerIn(holding) ?? (await this.#faultOf(holding, tree));
      if (fault !== undefined) return { kind: 'inconsistent', fault };
      if (holding.own !== undefined && (newest === undefined || holding.own.size > newest.size)) newest = holding.own;
    }
    const isNew = newest?.size !== size;
    if (newest === undefined || isNew) {
      await keepOrigin();
      newest = signCheckpoint({ origin, size, root, extensions: [timeLine(clock.now())] }, key);
    }
    const checkpoint = newest;
    for (const { place, own, ofOtherKey } of holdings) {
      // An emptied or new place gets the newest checkpoint even if nothing is to be signed.
      if (own?.size === checkpoint.size) continue;
      if (place === neighbour) await place.add(checkpoint);
      else if (ofOtherKey === undefined) await this.#withWitness(place, () => place.add(checkpoint));
    }
    return { kind: isNew ? 'signed' : 'nothing-new', checkpoint };
  }

  /** The neighbour comes first, since it must have a checkpoint before others get it. Unreadable witnesses are skipped. */
  async #holdings(): Promise<readonly Holding[]> {
    const { neighbour, directories, onWitnessFailed } = this.#settings;
    const found = [await this.#holdingOf(neighbour)];
    for (const directory of directories) {
      await this.#withWitness(directory, async () => {
        const holding = await this.#holdingOf(directory);
        found.push(holding);
        const { own, ofOtherKey } = holding;
        if (own !== undefined && ofOtherKey !== undefined)
          onWitnessFailed(
            directory.name,
            new Error(`it holds a checkpoint that another key signed, of ${ofOtherKey.size} events: it is left as it is`),
          );
      });
    }
    return found;
  }

  /** Reads the end of its history once; later only notes newer than our newest. */
  async #holdingOf(place: CheckpointStore): Promise<Holding> {
    const { key, origin } = this.#settings;
    let own: SignedCheckpoint | undefined;
    let ofOtherLog: SignedCheckpoint | undefined;
    let ofOtherKey: SignedCheckpoint | undefined;
    let looked = 0;
    for (const one of await place.newestFirst()) {
      if (looked >= NEWEST_NOTES && own !== undefined && this.#known.has(place)) break;
      looked += 1;
      const isOurs = one.origin === origin;
      // Notes older than our newest were checked when it was signed. Verifying a signature takes longer than reading a note.
      if (isOurs && own !== undefined && one.size <= own.size) continue;
      if (!isCheckpointOf(one, key.verifier)) {
        if (own === undefined || looked <= NEWEST_NOTES) ofOtherKey ??= one;
      } else if (isOurs) own = one;
      else ofOtherLog ??= one;
    }
    this.#known.add(place);
    return { place, own, ofOtherLog, ofOtherKey };
  }

  /**
   * Detects that this log's name or key was replaced, which would let someone sign a new history.
   * A foreign note among ours is no reason to stop; a place with only foreign notes belongs to another log.
   */
  #strangerIn({ place, own, ofOtherLog, ofOtherKey }: Holding): TreeFault | undefined {
    if (ofOtherLog !== undefined) return { kind: 'other-log', place: place.name, origin: ofOtherLog.origin, size: ofOtherLog.size };
    if (ofOtherKey === undefined || (own !== undefined && place !== this.#settings.neighbour)) return undefined;
    return { kind: 'other-key', place: place.name, size: ofOtherKey.size };
  }

  async #faultOf({ own, place: { name: place } }: Holding, tree: LogTree): Promise<TreeFault | undefined> {
    if (own === undefined) return undefined;
    const { size, root } = own;
    if (size > tree.flushed.size) return { kind: 'checkpoint-ahead', place, size, treeSize: tree.flushed.size };
    const isSame = root.equals(await rootAt(tree.reader(), size));
    return isSame ? undefined : { kind: 'checkpoint-differs', place, size };
  }

  async #withWitness({ name }: CheckpointStore, work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      this.#settings.onWitnessFailed(name, error);
    }
  }
}
