import type { Clock } from '@app/kernel';
import { ancestorLine, isCheckpointOf, signCheckpoint, timeLine, type SignedCheckpoint } from '../checkpoints/checkpoint';
import type { SigningKey } from '../checkpoints/log-key';
import { rootAt } from '../merkle/tree-reader';
import type { CheckpointPlace } from './checkpoint-place';
import type { LogIdentity } from './log-identity';
import type { LogTree } from './log-tree';
import type { TreeFault } from './tree-fault';

export interface CheckpointIssuerSettings {
  readonly key: SigningKey;
  readonly identity: LogIdentity;
  /** Beside the tree: a checkpoint that it does not have is not sent anywhere. */
  readonly neighbour: CheckpointPlace;
  readonly directories: readonly CheckpointPlace[];
  readonly clock: Clock;
  /** A witness cannot be read or written; it gets the next checkpoint. */
  readonly onWitnessFailed: (witness: string, error: unknown) => void;
}

export type Issued =
  | { readonly kind: 'signed'; readonly checkpoint: SignedCheckpoint }
  | { readonly kind: 'inconsistent'; readonly fault: TreeFault }
  /** The newest checkpoint has this size already. */
  | { readonly kind: 'nothing-new'; readonly checkpoint: SignedCheckpoint };

/** Signs the tree's head, once it is shown to continue the newest checkpoint that can be found anywhere. */
export class CheckpointIssuer {
  readonly #settings: CheckpointIssuerSettings;

  constructor(settings: CheckpointIssuerSettings) {
    this.#settings = settings;
  }

  /** Signs the tree as of its last flush. @throws Error where tree or neighbour cannot be read or written */
  async issue(tree: LogTree): Promise<Issued> {
    const { key, identity, neighbour, clock } = this.#settings;
    const { size, root } = tree.flushed;
    let newest: SignedCheckpoint | undefined;
    for (const { place, checkpoint } of await this.#newestOfAll()) {
      const fault = await this.#faultOf(checkpoint, place, tree);
      if (fault !== undefined) return { kind: 'inconsistent', fault };
      if (newest === undefined || checkpoint.size > newest.size) newest = checkpoint;
    }
    if (newest?.size === size) return { kind: 'nothing-new', checkpoint: newest };
    const extensions = [timeLine(clock.now()), ...identity.ancestors.map(ancestorLine)];
    const checkpoint = signCheckpoint({ origin: identity.origin, size, root, extensions }, key);
    await neighbour.add(checkpoint);
    for (const directory of this.#settings.directories) await this.#withWitness(directory, () => directory.add(checkpoint));
    return { kind: 'signed', checkpoint };
  }

  async #newestOfAll(): Promise<readonly { place: string; checkpoint: SignedCheckpoint }[]> {
    const { neighbour, directories } = this.#settings;
    const found: { place: string; checkpoint: SignedCheckpoint }[] = [];
    const look = async (place: CheckpointPlace): Promise<void> => {
      const checkpoint = await place.newest((one) => this.#isOwn(one));
      if (checkpoint !== undefined) found.push({ place: place.name, checkpoint });
    };
    await look(neighbour);
    for (const directory of directories) await this.#withWitness(directory, () => look(directory));
    return found;
  }

  /** What somebody else put there is no reason to stop: only our key can say what we signed. */
  #isOwn(checkpoint: SignedCheckpoint): boolean {
    const { key, identity } = this.#settings;
    return checkpoint.origin === identity.origin && isCheckpointOf(checkpoint, key.verifier);
  }

  async #faultOf({ size, root }: SignedCheckpoint, place: string, tree: LogTree): Promise<TreeFault | undefined> {
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
