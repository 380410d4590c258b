import { readFileSync, statSync, existsSync, writeFileSync } from 'node:fs';
import {
  FolderFiles,
  OriginDamaged,
  parseCheckpoint,
  readOrigin,
  CheckpointStore,
  witnessAt,
  type ProofFiles,
  type SignedCheckpoint,
  KeyRefused,
  makeSigningKeyFile,
  readSigningKeyFile,
  readVerifyKeyFile,
  type SigningKey,
  TileDamaged,
  type VerifyKey,
} from '@app/investigation';
import type { OrchestratorEnvironment } from '@app/configuration';
import { CommandFailed, EXIT, type Output, writeResult } from '../terminal';
import { ownEnvironment } from '../stores';

interface KeysAndCheckpoints {
  readonly files: ProofFiles;
  readonly places: readonly CheckpointStore[];
  /** Empty if the log has no name yet, because nothing was signed. */
  readonly origin: string;
}

const readLogName = async (files: ProofFiles, folder: string): Promise<string | undefined> => {
  try {
    return await readOrigin(files);
  } catch (error) {
    if (!(error instanceof OriginDamaged)) throw error;
    throw new CommandFailed(`${folder}: ${error.message}. To make it again: docs/recover.md, "Lost LOG_PROOFS"`);
  }
};

export const openCheckpointStores = async ({ logProofsDir, logWitnesses }: OrchestratorEnvironment): Promise<KeysAndCheckpoints> => {
  const files = new FolderFiles(logProofsDir);
  return {
    files,
    places: [new CheckpointStore(logProofsDir, files), ...logWitnesses.map(witnessAt)],
    origin: (await readLogName(files, logProofsDir)) ?? '',
  };
};

/** @throws CommandFailed if the tree is damaged */
export const orTileFailed = async <Result>(
  { logProofsDir }: Pick<OrchestratorEnvironment, 'logProofsDir'>,
  work: () => Promise<Result>,
): Promise<Result> => {
  try {
    return await work();
  } catch (error) {
    throw error instanceof TileDamaged ? new CommandFailed(`${logProofsDir}: ${error.message}`) : error;
  }
};

/** A small text file. @throws CommandFailed if it is missing or too large */
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

export const readCheckpointFile = (path: string): SignedCheckpoint => {
  const checkpoint = parseCheckpoint(readTextFile(path, CHECKPOINT_BYTES_MAX));
  if (checkpoint === undefined) throw new CommandFailed(`${path}: not a checkpoint of a log (C2SP tlog-checkpoint)`, EXIT.usage);
  return checkpoint;
};

/** Runs work on a key's file. @throws CommandFailed if the key cannot be used */
const orKeyFailed = <Result>(what: string, work: () => Result): Result => {
  try {
    return work();
  } catch (error) {
    throw error instanceof KeyRefused ? new CommandFailed(`${what}: ${error.message}`, EXIT.usage) : error;
  }
};

/** Key for verifying checkpoints: the given one, else that of LOG_VERIFY_KEY, else the public half of the service's own; else undefined. @throws CommandFailed if it cannot be used */
export const verifyKey = (
  given: string | undefined,
  { logVerifyKeyPath, logSigningKeyPath, mayMakeLogSigningKey }: OrchestratorEnvironment,
): VerifyKey | undefined => {
  if (given !== undefined) return orKeyFailed('--key', () => readVerifyKeyFile(given));
  if (logVerifyKeyPath !== undefined) return orKeyFailed('LOG_VERIFY_KEY', () => readVerifyKeyFile(logVerifyKeyPath));
  if (logSigningKeyPath === undefined || (mayMakeLogSigningKey && !existsSync(logSigningKeyPath))) return undefined;
  return orKeyFailed('LOG_SIGNING_KEY', () => readSigningKeyFile(logSigningKeyPath)).verifier;
};

/** As `verifyKey`, for verbs that cannot work without a key. @throws CommandFailed */
export const requiredVerifyKey = (given: string | undefined, environment: OrchestratorEnvironment): VerifyKey => {
  const key = verifyKey(given, environment);
  if (key === undefined) throw new CommandFailed('no public key of the log. Give --key, or set LOG_VERIFY_KEY', EXIT.usage);
  return key;
};

const PUBLIC_MODE = 0o644;
const UNNAMED = 'payment-orchestrator/log';

const publicText = (key: SigningKey, origin: string): string => `${key.textFor(origin)}\n`;

export const newLogKey = (path: string, output: Output): void => {
  if (existsSync(`${path}.pub`)) throw new CommandFailed(`${path}.pub: the file exists already and is not replaced`, EXIT.refused);
  const key = orKeyFailed('the key', () => makeSigningKeyFile(path));
  writeFileSync(`${path}.pub`, publicText(key, UNNAMED), { flag: 'wx', mode: PUBLIC_MODE });
  writeResult(output, { signingKey: path, verifyKey: `${path}.pub`, publicKey: key.textFor(UNNAMED) }, () => [
    `${path}: the key, for the service alone (LOG_SIGNING_KEY); keep a copy apart from the log and its back-ups`,
    `${path}.pub: its public half, for whoever verifies (--key, LOG_VERIFY_KEY); give it to people outside now, not in a dispute`,
  ]);
};

export const showLogKey = async (output: Output): Promise<void> => {
  const { logSigningKeyPath, logProofsDir } = ownEnvironment();
  if (logSigningKeyPath === undefined)
    throw new CommandFailed('LOG_SIGNING_KEY is not set, so nothing is signed. Run orch log key new <path> to make a key', EXIT.notFound);
  const key = orKeyFailed('LOG_SIGNING_KEY', () => readSigningKeyFile(logSigningKeyPath));
  const origin = (await readLogName(new FolderFiles(logProofsDir), logProofsDir)) ?? UNNAMED;
  const publicKey = key.textFor(origin);
  writeResult(output, { origin, publicKey }, () => publicKey);
};
