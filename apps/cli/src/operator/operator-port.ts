import { userInfo } from 'node:os';
import { OPERATOR_NAME, type OrchestratorEnvironment } from '@app/configuration';
import { CommandFailed, EXIT, type ExitCode } from '../command-failed';
import { shortened } from '../terminal/printable';

const TIMEOUT_MS = 15_000;
const ANSWER_SHOWN_MAX = 300;

/** Where a service that listens on every address is reached from this machine. */
const EVERYWHERE: Readonly<Record<string, string>> = { '0.0.0.0': '127.0.0.1', '::': '::1' };

const addressOf = ({ operatorHost, operatorPort }: Pick<OrchestratorEnvironment, 'operatorHost' | 'operatorPort'>): string => {
  const host = EVERYWHERE[operatorHost] ?? operatorHost;
  return `http://${host.includes(':') ? `[${host}]` : host}:${operatorPort}`;
};

/** Whose terminal this is, where the command line does not say for whom it acts; undefined where the system does not tell a name that can stand there. */
const userOfThisTerminal = (): string | undefined => {
  try {
    const { username } = userInfo();
    return OPERATOR_NAME.test(username) ? username : undefined;
  } catch {
    return undefined;
  }
};

/** What a request claims beside its token. */
export const claimOf = (actor = userOfThisTerminal()): { readonly actor?: string } => (actor === undefined ? {} : { actor });

/** What the shell is told of a refusal. */
const EXIT_CODES: Readonly<Record<number, ExitCode>> = { 400: EXIT.usage, 404: EXIT.notFound, 503: EXIT.failed, 504: EXIT.failed };
const exitCodeOf = (status: number): ExitCode => EXIT_CODES[status] ?? (status >= 500 ? EXIT.failed : EXIT.refused);

/**
 * Has the running service do something: it holds the pen of the log (architecture, "Stores"). @returns its answer where it did it
 * @throws CommandFailed with its own words where it did not, or is not there
 */
export const askOperatorPort = async (
  environment: Pick<OrchestratorEnvironment, 'operatorHost' | 'operatorPort'>,
  token: string,
  path: string,
  action: object,
  timeoutMs = TIMEOUT_MS,
): Promise<unknown> => {
  const address = addressOf(environment);
  let status: number;
  let text: string;
  try {
    const response = await fetch(address + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
      body: JSON.stringify(action),
      redirect: 'error',
      signal: AbortSignal.timeout(timeoutMs),
    });
    status = response.status;
    text = await response.text();
  } catch (error) {
    // It may have been done all the same: money is settled by some of these.
    if ((error as Error).name === 'TimeoutError')
      throw new CommandFailed(`no answer from ${address} within ${timeoutMs} ms: not known whether it was done, orch show tells`);
    throw new CommandFailed(`no service answers at ${address}: what writes goes through a running one (OPERATOR_HOST, OPERATOR_PORT)`);
  }
  const answer = asObject(text);
  if (status >= 200 && status < 300 && answer !== undefined) return answer;
  const { error } = (answer ?? {}) as { readonly error?: unknown };
  const told = shortened(typeof error === 'string' ? error : text.trim(), ANSWER_SHOWN_MAX);
  throw new CommandFailed(`refused (${status}): ${told}`, exitCodeOf(status));
};

const asObject = (text: string): object | undefined => {
  try {
    const value = JSON.parse(text) as unknown;
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
};
