import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { userInfo } from 'node:os';
import {
  isOperatorToken,
  readOperatorToken,
  type EnvironmentVariables,
  type OrchestratorEnvironment,
  OPERATOR_NAME,
} from '@app/configuration';
import { ownEnvironment } from './stores';
import { CommandFailed, EXIT, type ExitCode, shortened } from './terminal';

export const isTokenGiven = (
  given: EnvironmentVariables,
  { operatorTokenPath }: Pick<OrchestratorEnvironment, 'operatorTokenPath'>,
): boolean => Boolean(given['ORCH_OPERATOR_TOKEN'] ?? given['ORCH_OPERATOR_TOKEN_FILE']) || existsSync(operatorTokenPath);

/**
 * Never an option, since every user of the machine can read a command line. Sources: ORCH_OPERATOR_TOKEN, the file in ORCH_OPERATOR_TOKEN_FILE, outside production the service's own file in DATA_DIR.
 * @throws CommandFailed if there is none; ConfigurationFault if its file cannot be used
 */
export const operatorToken = (
  given: EnvironmentVariables,
  { operatorTokenPath }: Pick<OrchestratorEnvironment, 'operatorTokenPath'>,
): string => {
  const token = given['ORCH_OPERATOR_TOKEN'];
  if (token) {
    if (isOperatorToken(token)) return token;
    throw new CommandFailed('ORCH_OPERATOR_TOKEN is not a token. A token has 1 to 256 characters and no blanks', EXIT.usage);
  }
  const path = given['ORCH_OPERATOR_TOKEN_FILE'];
  if (path) return readOperatorToken(resolve(path));
  if (existsSync(operatorTokenPath)) return readOperatorToken(operatorTokenPath);
  throw new CommandFailed(
    'no operator token. Set ORCH_OPERATOR_TOKEN or ORCH_OPERATOR_TOKEN_FILE; orch operator new makes a token',
    EXIT.refused,
  );
};

const TIMEOUT_MS = 15_000;
const ANSWER_SHOWN_MAX = 2_000;

const EVERYWHERE: Readonly<Record<string, string>> = { '0.0.0.0': '127.0.0.1', '::': '::1' };

const addressOf = ({ operatorHost, operatorPort }: Pick<OrchestratorEnvironment, 'operatorHost' | 'operatorPort'>): string => {
  const host = EVERYWHERE[operatorHost] ?? operatorHost;
  return `http://${host.includes(':') ? `[${host}]` : host}:${operatorPort}`;
};

/** The system's user; undefined if that is no valid operator name. */
const userOfThisTerminal = (): string | undefined => {
  try {
    const { username } = userInfo();
    return OPERATOR_NAME.test(username) ? username : undefined;
  } catch {
    return undefined;
  }
};

export const claimOf = (actor = userOfThisTerminal()): { readonly actor?: string } => (actor === undefined ? {} : { actor });

const EXIT_CODES: Readonly<Record<number, ExitCode>> = { 400: EXIT.usage, 404: EXIT.notFound, 503: EXIT.failed, 504: EXIT.failed };
const exitCodeOf = (status: number): ExitCode => EXIT_CODES[status] ?? (status >= 500 ? EXIT.failed : EXIT.refused);

interface Answered {
  readonly status: number;
  readonly bytes: Buffer;
  readonly text: string;
  readonly headers: Headers;
}

export class OperatorPort {
  constructor(
    private readonly at: Pick<OrchestratorEnvironment, 'operatorHost' | 'operatorPort'>,
    private readonly token: string,
  ) {}

  /** @throws CommandFailed if there is no token */
  static of(environment: OrchestratorEnvironment = ownEnvironment()): OperatorPort {
    return new OperatorPort(environment, operatorToken(process.env, environment));
  }

  read<Answer>(path: string, question: Readonly<Record<string, string | undefined>> = {}): Promise<Answer> {
    return this.ask(pathWith(path, question));
  }

  /**
   * Sends a request to the running service, the only writer of the log (architecture, "Stores").
   * @throws CommandFailed with the service's message if it refuses, or if it is not running
   */
  async ask<Answer>(path: string, action?: object, timeoutMs = TIMEOUT_MS): Promise<Answer> {
    const answered = await this.#answered(path, action, timeoutMs, 'this request');
    const answer = asObject(answered.text);
    if (answer === undefined) throw refusalOf(answered);
    return answer as Answer;
  }

  askAudited(path: string, question?: object, timeoutMs = TIMEOUT_MS): Promise<Answered> {
    return this.#answered(path, question, timeoutMs, 'a recorded query');
  }

  async #answered(path: string, action: object | undefined, timeoutMs: number, wants: string): Promise<Answered> {
    const address = addressOf(this.at);
    let answered: Answered;
    try {
      const response = await fetch(address + path, {
        ...(action === undefined ? { method: 'GET' } : { method: 'POST', body: JSON.stringify(action) }),
        headers: { 'content-type': 'application/json', authorization: `Bearer ${this.token}` },
        redirect: 'error',
        signal: AbortSignal.timeout(timeoutMs),
      });
      const bytes = Buffer.from(await response.arrayBuffer());
      answered = { status: response.status, bytes, text: bytes.toString('utf8'), headers: response.headers };
    } catch (error) {
      // The service may have executed the request, and some of these requests decide about money.
      if ((error as Error).name === 'TimeoutError')
        throw new CommandFailed(`no answer from ${address} within ${timeoutMs} ms, so the outcome is unknown. Check it with orch show`);
      throw new CommandFailed(
        `no service answers at ${address}, and ${wants} needs a running service. Check OPERATOR_HOST and OPERATOR_PORT`,
      );
    }
    if (answered.status < 200 || answered.status >= 300) throw refusalOf(answered);
    return answered;
  }
}

export const pathWith = (path: string, question: Readonly<Record<string, string | undefined>>): string => {
  const given = Object.entries(question).filter((one): one is [string, string] => one[1] !== undefined);
  return given.length === 0 ? path : `${path}?${new URLSearchParams(given).toString()}`;
};

const refusalOf = ({ status, text }: Answered): CommandFailed => {
  const { error } = (asObject(text) ?? {}) as { readonly error?: unknown };
  const reason = shortened(typeof error === 'string' ? error : text.trim(), ANSWER_SHOWN_MAX);
  return new CommandFailed(`refused (${status}): ${reason}`, exitCodeOf(status));
};

const asObject = (text: string): object | undefined => {
  try {
    const value = JSON.parse(text) as unknown;
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
};
