import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import type { CheckpointPlace, LogProofs, ProofFiles, ReadableLog, SigningKey } from '@app/audit';
import { built } from '../harness/built';

const {
  FilesPlace,
  FolderFiles,
  LogProofs: Keeper,
  makeSigningKeyFile,
  readIdentity,
} = built<typeof import('@app/audit')>('libs/audit/index.js');
const { systemClock, systemScheduler } = built<typeof import('@app/kernel')>('libs/kernel/index.js');

export interface KeptLog {
  readonly keeper: LogProofs;
  readonly files: ProofFiles;
  readonly places: readonly CheckpointPlace[];
  readonly key: SigningKey;
}

const failed = (problem: unknown): never => {
  throw problem instanceof Error ? problem : new Error(JSON.stringify(problem));
};

/** The tree of a log in a folder, kept and signed as the service does. */
export const keptLog = (log: ReadableLog, folder: string): KeptLog => {
  const files = new FolderFiles(join(folder, 'log-proofs'));
  const key = makeSigningKeyFile(join(folder, 'log-signing-key.pem'));
  const keeper = new Keeper({
    log,
    files,
    key,
    directories: [],
    receivers: [],
    isKeeper: () => true,
    clock: systemClock,
    scheduler: systemScheduler,
    random: { bytes: randomBytes },
    watch: { unsigned: () => undefined, inconsistent: failed, rebuilding: failed, retrying: failed, witnessFailed: failed },
  });
  return { keeper, files, places: [new FilesPlace('log-proofs', files)], key };
};
keptLog.originOf = async (files: ProofFiles): Promise<string> => (await readIdentity(files))?.origin ?? '';
