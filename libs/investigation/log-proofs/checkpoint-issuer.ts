import type { Clock } from '@app/kernel';
import { isCheckpointOf, isKeyName, signCheckpoint, type SignedCheckpoint, timeLine, type SigningKey } from './checkpoint';
import type { CheckpointPlace } from './checkpoint-places';
import type { LogTree, TreeFault } from './log-tree';
import { rootAt } from './merkle';
import type { ProofFiles } from './proof-files';

/** The file with the name of the log cannot be read. The log gets no other name: that would be another log. */
export class OriginDamaged extends Error {
  override readonly name = 'OriginDamaged';

  constructor(readonly file: string) {
    super(`${file}: the name of the log cannot be read`);
  }
}

const PATH = 'origin';

/** The name of the log in its checkpoints; undefined if nothing was signed yet. Members beside the name are ignored. @throws OriginDamaged */
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

/** A name that no other log has. @param random 16 bytes */
export const newOrigin = (random: Uint8Array): string => `payment-orchestrator/log/${Buffer.from(random).toString('hex')}`;

interface CheckpointIssuerSettings {
  readonly key: SigningKey;
  readonly origin: string;
  /** Resolves when the log's name is stored: nothing is signed under a name that may be lost, and none is stored if nothing may be signed. */
  readonly keepOrigin: () => Promise<void>;
  /** Beside the tree: a checkpoint that it does not have is not sent anywhere. */
  readonly neighbour: CheckpointPlace;
  readonly directories: readonly CheckpointPlace[];
  readonly clock: Clock;
  /** A witness cannot be read or written; it gets the next checkpoint. */
  readonly onWitnessFailed: (witness: string, error: unknown) => void;
}

type Issued =
  | { readonly kind: 'signed'; readonly checkpoint: SignedCheckpoint }
  | { readonly kind: 'inconsistent'; readonly fault: TreeFault }
  /** The newest checkpoint has this size already. */
  | { readonly kind: 'nothing-new'; readonly checkpoint: SignedCheckpoint };

/** The one in `checkpoint`, and the last of the file of all, which a crash between the two writes leaves apart. */
const NEWEST_NOTES = 2;

/** What a place holds. */
interface Holding {
  readonly place: CheckpointPlace;
  /** The newest that our key signed of this log. */
  readonly own: SignedCheckpoint | undefined;
  /** One that our key signed of a log of another name. */
  readonly ofOtherLog: SignedCheckpoint | undefined;
  /** One of the newest, that our key did not sign. */
  readonly ofOtherKey: SignedCheckpoint | undefined;
}

/** Signs the tree's head, once it is shown to continue the newest checkpoint that can be found anywhere. */
export class CheckpointIssuer {
  readonly #settings: CheckpointIssuerSettings;
  /** Places that were looked through once, beyond the newest notes. */
  readonly #known = new Set<CheckpointPlace>();

  constructor(settings: CheckpointIssuerSettings) {
    this.#settings = settings;
  }

  /** Signs the tree as of its last flush. @throws Error where tree or neighbour cannot be read or written */
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
      // A place that was emptied, or is new, gets the newest also where nothing is to be signed.
      if (own?.size === checkpoint.size) continue;
      if (place === neighbour) await place.add(checkpoint);
      else if (ofOtherKey === undefined) await this.#withWitness(place, () => place.add(checkpoint));
    }
    return { kind: isNew ? 'signed' : 'nothing-new', checkpoint };
  }

  /** The neighbour first: a checkpoint that it does not have is sent nowhere. Without the witnesses that cannot be read. */
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

  /** Looks through the end of its file once, and from then on at what is newer than our newest. */
  async #holdingOf(place: CheckpointPlace): Promise<Holding> {
    const { key, origin } = this.#settings;
    let own: SignedCheckpoint | undefined;
    let ofOtherLog: SignedCheckpoint | undefined;
    let ofOtherKey: SignedCheckpoint | undefined;
    let looked = 0;
    for (const one of await place.newestFirst()) {
      if (looked >= NEWEST_NOTES && own !== undefined && this.#known.has(place)) break;
      looked += 1;
      const isOurs = one.origin === origin;
      // What is older than our newest was looked at when that was signed: a signature takes longer to verify than a note to read.
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
   * Whoever removes the name of a log, or its key, would get a new one for whatever he left of it. One note among ours that another key signed is no reason
   * to stop, for it says nothing of what we signed; a place with such notes alone is another log's.
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

  async #withWitness({ name }: CheckpointPlace, work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      this.#settings.onWitnessFailed(name, error);
    }
  }
}
