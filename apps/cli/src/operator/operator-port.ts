import { userInfo } from 'node:os';
import { OPERATOR_NAME, type OrchestratorEnvironment } from '@app/configuration';
import { CommandFailed, EXIT, type ExitCode } from '../command-failed';
import { shortened } from '../terminal/printable';

const TIMEOUT_MS = 15_000;
const ANSWER_SHOWN_MAX = 300;

/** The address at which this machine reaches a service that listens on every address. */
const EVERYWHERE: Readonly<Record<string, string>> = { '0.0.0.0': '127.0.0.1', '::': '::1' };

const addressOf = ({ operatorHost, operatorPort }: Pick<OrchestratorEnvironment, 'operatorHost' | 'operatorPort'>): string => {
  const host = EVERYWHERE[operatorHost] ?? operatorHost;
  return `http://${host.includes(':') ? `[${host}]` : host}:${operatorPort}`;
};

/** The system's user, in place of an option for the actor; undefined where the system has no valid name. */
const userOfThisTerminal = (): string | undefined => {
  try {
    const { username } = userInfo();
    return OPERATOR_NAME.test(username) ? username : undefined;
  } catch {
    return undefined;
  }
};

/** The claim of a request beside its token. */
export const claimOf = (actor = userOfThisTerminal()): { readonly actor?: string } => (actor === undefined ? {} : { actor });

/** The exit code for a refusal. */
const EXIT_CODES: Readonly<Record<number, ExitCode>> = { 400: EXIT.usage, 404: EXIT.notFound, 503: EXIT.failed, 504: EXIT.failed };
const exitCodeOf = (status: number): ExitCode => EXIT_CODES[status] ?? (status >= 500 ? EXIT.failed : EXIT.refused);

/** Asks the running service a question that has no body. @throws CommandFailed as `askOperatorPort` */
export const readOperatorPort = (
  environment: Pick<OrchestratorEnvironment, 'operatorHost' | 'operatorPort'>,
  token: string,
  path: string,
): Promise<unknown> => askOperatorPort(environment, token, path, undefined);

/**
 * Sends a request to the running service, the only writer of the log (architecture, "Stores"). @returns its answer where it succeeded
 * @throws CommandFailed with the service's message where it did not, or does not run
 */
export const askOperatorPort = async (
  environment: Pick<OrchestratorEnvironment, 'operatorHost' | 'operatorPort'>,
  token: string,
  path: string,
  action: object | undefined,
  timeoutMs = TIMEOUT_MS,
): Promise<unknown> => {
  const address = addressOf(environment);
  let status: number;
  let text: string;
  try {
    const response = await fetch(address + path, {
      ...(action === undefined ? { method: 'GET' } : { method: 'POST', body: JSON.stringify(action) }),
      headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
      redirect: 'error',
      signal: AbortSignal.timeout(timeoutMs),
    });
    status = response.status;
    text = await response.text();
  } catch (error) {
    // The service may have done it nevertheless, and some of these requests decide about money.
    if ((error as Error).name === 'TimeoutError')
      throw new CommandFailed(`no answer from ${address} within ${timeoutMs} ms: not known whether it was done, orch show tells`);
    throw new CommandFailed(`no service answers at ${address}: what writes goes through a running one (OPERATOR_HOST, OPERATOR_PORT)`);
  }
  const answer = asObject(text);
  if (status >= 200 && status < 300 && answer !== undefined) return answer;
  const { error } = (answer ?? {}) as { readonly error?: unknown };
  const reason = shortened(typeof error === 'string' ? error : text.trim(), ANSWER_SHOWN_MAX);
  throw new CommandFailed(`refused (${status}): ${reason}`, exitCodeOf(status));
};

const asObject = (text: string): object | undefined => {
  try {
    const value = JSON.parse(text) as unknown;
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
};
