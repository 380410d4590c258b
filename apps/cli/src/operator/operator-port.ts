import { userInfo } from 'node:os';
import type { OrchestratorEnvironment } from '@app/merchant-accounts';
import { CommandFailed } from '../command-failed';
import { shortened } from '../terminal/printable';

const TIMEOUT_MS = 15_000;
const ANSWER_SHOWN_MAX = 300;

/** Where a service that listens on every address is reached from this machine. */
const EVERYWHERE: Readonly<Record<string, string>> = { '0.0.0.0': '127.0.0.1', '::': '::1' };

const addressOf = ({ operatorHost, operatorPort }: Pick<OrchestratorEnvironment, 'operatorHost' | 'operatorPort'>): string => {
  const host = EVERYWHERE[operatorHost] ?? operatorHost;
  return `http://${host.includes(':') ? `[${host}]` : host}:${operatorPort}`;
};

/** Who acts, where the command line does not say it. */
export const actorOfThisTerminal = (): string => {
  try {
    return userInfo().username;
  } catch {
    throw new CommandFailed('who acts is not known here: --actor says it');
  }
};

/**
 * Has the running service do something: it holds the pen of the log (architecture, "Stores"). @returns its answer where it did it
 * @throws CommandFailed with its own words where it did not, or is not there
 */
export const askOperatorPort = async (
  environment: Pick<OrchestratorEnvironment, 'operatorHost' | 'operatorPort'>,
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
      headers: { 'content-type': 'application/json' },
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
  throw new CommandFailed(`refused (${status}): ${shortened(typeof error === 'string' ? error : text.trim(), ANSWER_SHOWN_MAX)}`);
};

const asObject = (text: string): object | undefined => {
  try {
    const value = JSON.parse(text) as unknown;
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
};
