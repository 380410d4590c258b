import * as oidc from 'openid-client';
import {
  OPERATOR_NAME,
  type Configuration,
  type GroupRole,
  type Operator,
  type OrchestratorEnvironment,
  type SignInSettings,
} from '@app/configuration';
import { houseOperator } from '@app/investigation';
import type { Clock, Instant } from '@app/kernel';

export const CALLBACK_PATH = '/session/oidc/callback';

const PROVIDER_SECONDS = 10;
const ANSWER_BYTES_MAX = 1_048_576;
export const SIGN_IN_MS_MAX = 600_000;
const DISCOVERED_FOR_MS = 3_600_000;

/** In a sealed cookie between the redirect to the provider and the callback. */
export interface StartedSignIn {
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
  readonly startedAt: Instant;
}

export const signInEndOf = ({ startedAt }: StartedSignIn): Instant => (startedAt + SIGN_IN_MS_MAX) as Instant;

export type HouseAnswer =
  | { readonly reason: 'signed-in'; readonly operator: Operator; readonly role: GroupRole }
  /** The provider identified the person, who may not sign in. */
  | { readonly reason: 'refused'; readonly name?: string; readonly error: string }
  | { readonly reason: 'failed' };

interface HouseSignInPorts {
  readonly configuration: Pick<Configuration, 'signIn'>;
  readonly operators: () => readonly Operator[];
  readonly environment: Pick<OrchestratorEnvironment, 'operatorUrl' | 'operatorPort'>;
  readonly clock: Clock;
}

/** Reads at most a limit, follows no redirect, and calls no other host than the issuer's. */
const fetchFrom =
  (issuer: string): oidc.CustomFetch =>
  async (url, options) => {
    if (new URL(url).origin !== new URL(issuer).origin) throw new Error('the provider named an address of another host');
    const response = await fetch(url, {
      ...(options as RequestInit),
      redirect: 'error',
      signal: AbortSignal.timeout(PROVIDER_SECONDS * 1_000),
    });
    const parts: Uint8Array[] = [];
    let bytes = 0;
    for await (const part of response.body ?? []) {
      bytes += (part as Uint8Array).length;
      if (bytes > ANSWER_BYTES_MAX) throw new Error('the provider answered too much');
      parts.push(part as Uint8Array);
    }
    return new Response(bytes === 0 ? null : Buffer.concat(parts), { status: response.status, headers: response.headers });
  };

const textsOf = (claim: unknown): readonly string[] =>
  (Array.isArray(claim) ? claim : [claim]).filter((text): text is string => typeof text === 'string');

/** Sign-in at the house's provider: OpenID Connect, code flow with PKCE, state and nonce. */
export class HouseSignIn {
  #discovered: { readonly of: SignInSettings; readonly until: Instant; readonly client: Promise<oidc.Configuration> } | undefined;

  constructor(private readonly ports: HouseSignInPorts) {}

  /** Undefined if no provider is configured. @throws Error if it does not answer */
  async start(): Promise<{ readonly location: string; readonly started: StartedSignIn } | undefined> {
    const { signIn } = this.ports.configuration;
    if (signIn === undefined) return undefined;
    const client = await this.#client(signIn);
    const started: StartedSignIn = {
      state: oidc.randomState(),
      nonce: oidc.randomNonce(),
      verifier: oidc.randomPKCECodeVerifier(),
      startedAt: this.ports.clock.now(),
    };
    const location = oidc.buildAuthorizationUrl(client, {
      redirect_uri: this.#redirectUri,
      scope: signIn.scope,
      state: started.state,
      nonce: started.nonce,
      code_challenge: await oidc.calculatePKCECodeChallenge(started.verifier),
      code_challenge_method: 'S256',
    });
    return { location: location.href, started };
  }

  /** @param query of the callback */
  async finish(query: string, { state, nonce, verifier, startedAt }: StartedSignIn): Promise<HouseAnswer> {
    const { signIn } = this.ports.configuration;
    if (signIn === undefined || this.ports.clock.now() - startedAt >= SIGN_IN_MS_MAX) return { reason: 'failed' };
    try {
      const tokens = await oidc.authorizationCodeGrant(await this.#client(signIn), new URL(this.#redirectUri + query), {
        expectedState: state,
        expectedNonce: nonce,
        pkceCodeVerifier: verifier,
        idTokenExpected: true,
      });
      return this.#answerFor(signIn, tokens.claims() ?? {});
    } catch {
      return { reason: 'failed' };
    }
  }

  #answerFor({ nameClaim, groupsClaim, groups }: SignInSettings, claims: Readonly<Record<string, unknown>>): HouseAnswer {
    const name = claims[nameClaim];
    // Otherwise a person could enter another's address at the provider.
    const isProven = nameClaim !== 'email' || claims['email_verified'] === true;
    if (typeof name !== 'string' || !OPERATOR_NAME.test(name) || !isProven)
      return { reason: 'refused', error: `the claim ${nameClaim} of the provider is no operator name` };
    const held = new Set(textsOf(claims[groupsClaim]));
    const role = groups.find(({ group }) => held.has(group));
    if (role === undefined) return { reason: 'refused', name, error: 'none of your groups may use this service' };
    const operator = houseOperator(name, role, this.ports.operators());
    return operator === undefined
      ? { reason: 'refused', error: 'your name is that of an operator with a token' }
      : { reason: 'signed-in', operator, role };
  }

  get #redirectUri(): string {
    const { operatorUrl, operatorPort } = this.ports.environment;
    return `${operatorUrl ?? `http://localhost:${operatorPort}`}${CALLBACK_PATH}`;
  }

  #client(settings: SignInSettings): Promise<oidc.Configuration> {
    const now = this.ports.clock.now();
    if (this.#discovered?.of === settings && now < this.#discovered.until) return this.#discovered.client;
    const client = this.#discover(settings);
    this.#discovered = { of: settings, until: (now + DISCOVERED_FOR_MS) as Instant, client };
    client.catch(() => (this.#discovered = undefined));
    return client;
  }

  async #discover({ issuer, clientId, clientSecret }: SignInSettings): Promise<oidc.Configuration> {
    const isPlain = issuer.startsWith('http:');
    // Deprecated as a warning only: the configuration permits http outside production.
    const execute = isPlain ? [oidc.allowInsecureRequests] : [];
    const authentication = oidc.ClientSecretBasic(clientSecret.reveal());
    return oidc.discovery(new URL(issuer), clientId, undefined, authentication, {
      execute,
      timeout: PROVIDER_SECONDS,
      [oidc.customFetch]: fetchFrom(issuer),
    });
  }
}
