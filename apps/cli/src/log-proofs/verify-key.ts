import { existsSync } from 'node:fs';
import { KeyRefused, readSigningKeyFile, readVerifyKeyFile, type VerifyKey } from '@app/audit';
import type { OrchestratorEnvironment } from '@app/configuration';
import { CommandFailed, EXIT } from '../command-failed';

/** Runs work on a key's file. @throws CommandFailed where the key cannot be used */
export const orKeyFailed = <Result>(what: string, work: () => Result): Result => {
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
