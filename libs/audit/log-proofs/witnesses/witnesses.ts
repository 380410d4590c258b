import type { Egress } from '@app/egress';
import type { Scheduler } from '@app/kernel';
import { type CheckpointPlace, DirectoryWitness } from '../building/checkpoint-place';
import type { CheckpointReceiver, LogProofsWatch } from '../building/log-proofs';
import { CheckpointHistory } from '../checkpoints/checkpoint-history';
import type { WitnessKey } from '../checkpoints/witness-key';
import type { ProofFiles } from '../files/proof-files';
import { cosignedPath } from './cosigned-place';
import { HttpWitness } from './http-witness';

/** A witness as the environment names it: a directory, or the prefix of an HTTP address. */
export type WitnessAddress = { readonly kind: 'directory'; readonly path: string } | { readonly kind: 'http'; readonly url: string };

export interface WitnessPorts {
  readonly files: ProofFiles;
  readonly egress: Pick<Egress, 'send'>;
  readonly scheduler: Scheduler;
  /** Of witnesses at HTTP addresses; empty: their signatures are kept unverified. */
  readonly keys: readonly WitnessKey[];
  readonly watch: Pick<LogProofsWatch, 'witnessFailed' | 'inconsistent'>;
}

/** The witnesses of a log: those that are read again, and those that are sent to. */
export const witnessesOf = (
  addresses: readonly WitnessAddress[],
  { files, egress, scheduler, keys, watch }: WitnessPorts,
): { readonly directories: readonly CheckpointPlace[]; readonly receivers: readonly CheckpointReceiver[] } => ({
  directories: addresses.flatMap((one) => (one.kind === 'directory' ? [new DirectoryWitness(one.path)] : [])),
  receivers: addresses.flatMap((one, index) => {
    if (one.kind !== 'http') return [];
    return [
      new HttpWitness({
        url: one.url,
        egress,
        scheduler,
        cosigned: new CheckpointHistory(files, cosignedPath(index)),
        keys,
        onFailed: (witness, error) => watch.witnessFailed(witness, error),
        onContradicted: (witness, what) => watch.inconsistent({ kind: 'witness-contradicts', witness, what }),
      }),
    ];
  }),
});
