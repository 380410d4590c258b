import { readFileSync, statSync } from 'node:fs';
import {
  DirectoryWitness,
  FilesPlace,
  FolderFiles,
  OriginDamaged,
  parseCheckpoint,
  readOrigin,
  type CheckpointPlace,
  type ProofFiles,
  type SignedCheckpoint,
} from '@app/investigation';
import type { OrchestratorEnvironment } from '@app/configuration';
import { CommandFailed, EXIT } from '../command-failed';

/** Where the tree of a log and its checkpoints lie. */
export interface LogPlaces {
  readonly files: ProofFiles;
  readonly places: readonly CheckpointPlace[];
  /** Empty where the log has no name yet: nothing was signed. */
  readonly origin: string;
}

/** The name of the log in this folder. @throws CommandFailed where it cannot be read */
export const readLogName = async (files: ProofFiles, folder: string): Promise<string | undefined> => {
  try {
    return await readOrigin(files);
  } catch (error) {
    if (!(error instanceof OriginDamaged)) throw error;
    throw new CommandFailed(`${folder}: ${error.message}. Section 6 of docs/operations.md says how it is made again`);
  }
};

/** @throws CommandFailed where the name of the log cannot be read */
export const openLogPlaces = async ({ logProofsDir, logWitnesses }: OrchestratorEnvironment): Promise<LogPlaces> => {
  const files = new FolderFiles(logProofsDir);
  return {
    files,
    places: [new FilesPlace(logProofsDir, files), ...logWitnesses.map((path) => new DirectoryWitness(path))],
    origin: (await readLogName(files, logProofsDir)) ?? '',
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
