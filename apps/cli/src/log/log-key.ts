import { existsSync, writeFileSync } from 'node:fs';
import {
  FolderFiles,
  KeyRefused,
  makeSigningKeyFile,
  readSigningKeyFile,
  readVerifyKeyFile,
  type SigningKey,
  type VerifyKey,
} from '@app/investigation';
import { packageRoot, readEnvironment, type OrchestratorEnvironment } from '@app/configuration';
import { CommandFailed, EXIT } from '../command-failed';
import { asJson, type Output } from '../terminal/output';
import { readLogName } from './log-places';

/** Runs work on a key's file. @throws CommandFailed where the key cannot be used */
const orKeyFailed = <Result>(what: string, work: () => Result): Result => {
  try {
    return work();
  } catch (error) {
    throw error instanceof KeyRefused ? new CommandFailed(`${what}: ${error.message}`, EXIT.usage) : error;
  }
};

/**
 * The key that checkpoints must be signed with: the one given, else that of LOG_VERIFY_KEY, else the public half of the service's own. Undefined where
 * there is none. @throws CommandFailed for one that cannot be used
 */
export const verifyKey = (
  given: string | undefined,
  { logVerifyKeyPath, logSigningKeyPath, mayMakeLogSigningKey }: OrchestratorEnvironment,
): VerifyKey | undefined => {
  if (given !== undefined) return orKeyFailed('--key', () => readVerifyKeyFile(given));
  if (logVerifyKeyPath !== undefined) return orKeyFailed('LOG_VERIFY_KEY', () => readVerifyKeyFile(logVerifyKeyPath));
  if (logSigningKeyPath === undefined || (mayMakeLogSigningKey && !existsSync(logSigningKeyPath))) return undefined;
  return orKeyFailed('LOG_SIGNING_KEY', () => readSigningKeyFile(logSigningKeyPath)).verifier;
};

/** As `verifyKey`, for a verb that proves nothing without one. @throws CommandFailed */
export const requiredVerifyKey = (given: string | undefined, environment: OrchestratorEnvironment): VerifyKey => {
  const key = verifyKey(given, environment);
  if (key === undefined) throw new CommandFailed('--key names the public key of the log, or LOG_VERIFY_KEY does', EXIT.usage);
  return key;
};

const PUBLIC_MODE = 0o644;
/** Where the log has no name yet; the key is the same under any. */
const UNNAMED = 'payment-orchestrator/log';

const publicText = (key: SigningKey, origin: string): string => `${key.textFor(origin)}\n`;

/** `orch log key new <file>`: a new key that signs checkpoints, and its public half beside it in `<file>.pub`. @throws CommandFailed */
export const newLogKey = (path: string, output: Output): void => {
  if (existsSync(`${path}.pub`)) throw new CommandFailed(`${path}.pub: there is a file already, which is left as it is`, EXIT.refused);
  const key = orKeyFailed('the key', () => makeSigningKeyFile(path));
  writeFileSync(`${path}.pub`, publicText(key, UNNAMED), { flag: 'wx', mode: PUBLIC_MODE });
  if (output.isJson) {
    output.line(asJson({ signingKey: path, verifyKey: `${path}.pub`, publicKey: key.textFor(UNNAMED) }));
    return;
  }
  output.line(`${path}: the key, for the service alone (LOG_SIGNING_KEY); keep a copy apart from the log and its back-ups`);
  output.line(
    `${path}.pub: its public half, for whoever verifies (--key, LOG_VERIFY_KEY); give it to people outside now, not in a dispute`,
  );
};

/** `orch log key show`: the public half of the service's key, under the log's name. @throws CommandFailed */
export const showLogKey = async (output: Output): Promise<void> => {
  const { logSigningKeyPath, logProofsDir } = readEnvironment(process.env, packageRoot());
  if (logSigningKeyPath === undefined)
    throw new CommandFailed('LOG_SIGNING_KEY names no key, so that nothing is signed: orch log key new <path> makes one', EXIT.notFound);
  const key = orKeyFailed('LOG_SIGNING_KEY', () => readSigningKeyFile(logSigningKeyPath));
  const origin = (await readLogName(new FolderFiles(logProofsDir), logProofsDir)) ?? UNNAMED;
  output.line(output.isJson ? asJson({ origin, publicKey: key.textFor(origin) }) : key.textFor(origin));
};
