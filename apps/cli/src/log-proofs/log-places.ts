import { readFileSync, statSync } from 'node:fs';
import {
  CosignedPlace,
  cosignedPath,
  DirectoryWitness,
  FilesPlace,
  FolderFiles,
  IdentityDamaged,
  parseCheckpoint,
  readIdentity,
  readWitnessKey,
  type CheckpointPlace,
  type LogIdentity,
  type ProofFiles,
  type SignedCheckpoint,
} from '@app/audit';
import type { OrchestratorEnvironment } from '@app/configuration';
import { CommandFailed, EXIT } from '../command-failed';
import { orKeyFailed } from './verify-key';

/** Where the tree of a log and its checkpoints lie. */
export interface LogPlaces {
  readonly files: ProofFiles;
  readonly places: readonly CheckpointPlace[];
  /** Empty where the log has no name yet: nothing was signed. */
  readonly origin: string;
  /** The logs that this one says it goes on from. */
  readonly ancestors: readonly string[];
}

/** What the log in this folder is called. @throws CommandFailed where that cannot be read */
export const readLogName = async (files: ProofFiles, folder: string): Promise<LogIdentity | undefined> => {
  try {
    return await readIdentity(files);
  } catch (error) {
    if (!(error instanceof IdentityDamaged)) throw error;
    throw new CommandFailed(`${folder}: ${error.message}. Section 6 of docs/operations.md says how it is made again`);
  }
};

/** @throws CommandFailed for a key of a witness that cannot be used, or where the name of the log cannot be read */
export const openLogPlaces = async ({ logProofsDir, logWitnesses, logWitnessKeys }: OrchestratorEnvironment): Promise<LogPlaces> => {
  const files = new FolderFiles(logProofsDir);
  const identity = await readLogName(files, logProofsDir);
  const keys = orKeyFailed('LOG_WITNESS_KEYS', () => logWitnessKeys.map(readWitnessKey));
  const witnesses = logWitnesses.flatMap((one, index): readonly CheckpointPlace[] => {
    if (one.kind === 'directory') return [new DirectoryWitness(one.path)];
    return keys.length === 0 ? [] : [new CosignedPlace(`signed by ${one.url}`, files, cosignedPath(index), keys)];
  });
  return {
    files,
    places: [new FilesPlace(logProofsDir, files), ...witnesses],
    origin: identity?.origin ?? '',
    ancestors: identity?.ancestors.map(({ origin }) => origin) ?? [],
  };
};

/** A small text file. @throws CommandFailed where there is none, or it is too large */
export const readTextFile = (path: string, bytesMax: number): string => {
  let text: string;
  try {
    const stat = statSync(path);
    if (!stat.isFile() || stat.size > bytesMax)
      throw new CommandFailed(`${path}: a file of at most ${bytesMax} bytes is expected`, EXIT.usage);
    text = readFileSync(path, 'utf8');
  } catch (error) {
    if (error instanceof CommandFailed) throw error;
    throw new CommandFailed(`${path}: it cannot be read (${(error as NodeJS.ErrnoException).code ?? 'unreadable'})`, EXIT.usage);
  }
  return text;
};

const CHECKPOINT_BYTES_MAX = 65_536;

/** @throws CommandFailed where the file is no checkpoint */
export const readCheckpointFile = (path: string): SignedCheckpoint => {
  const checkpoint = parseCheckpoint(readTextFile(path, CHECKPOINT_BYTES_MAX));
  if (checkpoint === undefined) throw new CommandFailed(`${path}: no checkpoint of a log (C2SP tlog-checkpoint)`, EXIT.usage);
  return checkpoint;
};
