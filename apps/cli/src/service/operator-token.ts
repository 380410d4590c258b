import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { isOperatorToken, readOperatorToken, type EnvironmentVariables, type OrchestratorEnvironment } from '@app/configuration';
import { CommandFailed, EXIT } from '../command-failed';

/** Whether there is a token to ask with, valid or not. */
export const isTokenGiven = (
  given: EnvironmentVariables,
  { operatorTokenPath }: Pick<OrchestratorEnvironment, 'operatorTokenPath'>,
): boolean => Boolean(given['ORCH_OPERATOR_TOKEN'] ?? given['ORCH_OPERATOR_TOKEN_FILE']) || existsSync(operatorTokenPath);

/**
 * Comes from the environment or from a file, since every user of the machine can read a command line: ORCH_OPERATOR_TOKEN, else the file that
 * ORCH_OPERATOR_TOKEN_FILE names, else the one that a service outside production creates in DATA_DIR.
 * @throws CommandFailed where there is none; ConfigurationFault where its file cannot be used
 */
export const operatorToken = (
  given: EnvironmentVariables,
  { operatorTokenPath }: Pick<OrchestratorEnvironment, 'operatorTokenPath'>,
): string => {
  const token = given['ORCH_OPERATOR_TOKEN'];
  if (token) {
    if (isOperatorToken(token)) return token;
    throw new CommandFailed('ORCH_OPERATOR_TOKEN holds no token: at most 256 characters, without blanks', EXIT.usage);
  }
  const path = given['ORCH_OPERATOR_TOKEN_FILE'];
  if (path) return readOperatorToken(resolve(path));
  if (existsSync(operatorTokenPath)) return readOperatorToken(operatorTokenPath);
  throw new CommandFailed(
    'a token of an operator is needed: ORCH_OPERATOR_TOKEN holds it, or ORCH_OPERATOR_TOKEN_FILE names a file with it (orch operator new makes one)',
    EXIT.refused,
  );
};
