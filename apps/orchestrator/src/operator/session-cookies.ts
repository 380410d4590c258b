import type { Request, Response } from 'express';
import type { OrchestratorEnvironment } from '@app/configuration';
import { SESSION_IDLE_MS, type OpenSession, type OperatorSession, type OperatorSessions } from '@app/investigation';
import { SIGN_IN_MS_MAX } from './house-sign-in';

const SESSION = 'operator-session';
const SIGN_IN = 'operator-sign-in';

type Kind = 'session' | 'sign-in';

/** The value of a cookie. None if the name occurs twice: a page of a sibling host may have added one. */
const valueOf = (header: string | undefined, name: string): string | undefined => {
  const values = (header ?? '').split(';').flatMap((pair) => {
    const at = pair.indexOf('=');
    return at > 0 && pair.slice(0, at).trim() === name ? [pair.slice(at + 1).trim()] : [];
  });
  return values.length === 1 ? values[0] : undefined;
};

/** True if the browser says that a page of this port caused the request. A request without these headers is from a program. */
const isFromOwnPage = ({ headers }: Pick<Request, 'headers'>, ownUrl: string | undefined): boolean => {
  const { origin, host = '' } = headers;
  const site = headers['sec-fetch-site'];
  if (site !== undefined && site !== 'same-origin') return false;
  if (origin === undefined) return site !== undefined;
  if (ownUrl !== undefined && new URL(ownUrl).host === host) return origin === ownUrl;
  return origin === `http://${host}` || origin === `https://${host}`;
};

/** The cookies of the operator port. With https they have the prefix __Host-, which no other host can set. */
export class SessionCookies {
  readonly #isHttps: boolean;

  constructor(
    readonly sessions: OperatorSessions,
    private readonly environment: Pick<OrchestratorEnvironment, 'operatorUrl'>,
  ) {
    this.#isHttps = environment.operatorUrl?.startsWith('https:') === true;
  }

  open({ headers }: Pick<Request, 'headers'>): OpenSession | undefined {
    const text = valueOf(headers.cookie, this.#nameOf('session'));
    return text === undefined ? undefined : this.sessions.open(text);
  }

  isFromOwnPage(request: Pick<Request, 'headers'>): boolean {
    return isFromOwnPage(request, this.environment.operatorUrl);
  }

  setSession(response: Response, session: OperatorSession): void {
    this.renew(response, this.sessions.textOf(session));
  }

  renew(response: Response, text: string): void {
    this.#set(response, 'session', text, SESSION_IDLE_MS);
  }

  clearSession(response: Response): void {
    this.#set(response, 'session', '', 0);
  }

  /** Returned by the browser with the redirect of the provider, which is another site. */
  setSignIn(response: Response, content: object): void {
    this.#set(response, 'sign-in', this.sessions.seal('sign-in', content), SIGN_IN_MS_MAX);
  }

  signInOf<Content>({ headers }: Pick<Request, 'headers'>): Content | undefined {
    const text = valueOf(headers.cookie, this.#nameOf('sign-in'));
    return text === undefined ? undefined : this.sessions.unseal<Content>('sign-in', text);
  }

  clearSignIn(response: Response): void {
    this.#set(response, 'sign-in', '', 0);
  }

  #set(response: Response, kind: Kind, value: string, ms: number): void {
    const site = kind === 'session' ? 'Strict' : 'Lax';
    const secure = this.#isHttps ? '; Secure' : '';
    response.append('Set-Cookie', `${this.#nameOf(kind)}=${value}; HttpOnly; SameSite=${site}; Path=/; Max-Age=${ms / 1_000}${secure}`);
  }

  #nameOf(kind: Kind): string {
    const name = kind === 'session' ? SESSION : SIGN_IN;
    return this.#isHttps ? `__Host-${name}` : name;
  }
}
