import type { CheckpointPlace } from '../building/checkpoint-place';
import type { SignedCheckpoint } from '../checkpoints/checkpoint';
import { CheckpointHistory, type Unreadable } from '../checkpoints/checkpoint-history';
import type { WitnessKey } from '../checkpoints/witness-key';
import type { ProofFiles } from '../files/proof-files';

/** The file of what the witness at the n-th address of the environment signed: two witnesses must not write to one. */
export const cosignedPath = (index: number): string => `cosigned-${index + 1}`;

/** Whether a witness signed it with one of the keys. */
export const isCosigned = (checkpoint: SignedCheckpoint, keys: readonly WitnessKey[]): boolean =>
  keys.some((key) => key.cosignedAtMs(checkpoint) !== undefined);

/** What a witness at an HTTP address signed, as it was kept here: read again for a verification, where its key is known. */
export class CosignedPlace implements CheckpointPlace {
  readonly #history: CheckpointHistory;

  constructor(
    readonly name: string,
    files: ProofFiles,
    path: string,
    private readonly keys: readonly WitnessKey[],
  ) {
    this.#history = new CheckpointHistory(files, path);
  }

  newest(isWanted: (checkpoint: SignedCheckpoint) => boolean): Promise<SignedCheckpoint | undefined> {
    return this.#history.newest((one) => isCosigned(one, this.keys) && isWanted(one));
  }

  async newestFirst(): Promise<Iterable<SignedCheckpoint>> {
    return [...(await this.#history.newestFirst())].filter((one) => isCosigned(one, this.keys));
  }

  add(): Promise<void> {
    return Promise.reject(new Error(`${this.name}: the witness alone adds to it`));
  }

  async *all(): AsyncGenerator<SignedCheckpoint | Unreadable, undefined> {
    for await (const one of this.#history.all()) yield 'unreadable' in one || isCosigned(one, this.keys) ? one : { unreadable: one.note };
    return undefined;
  }
}
