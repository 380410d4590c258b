import { spawn, type ChildProcess } from 'node:child_process';
import { createPrivateKey, generateKeyPairSync, sign } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { request } from 'undici';
import type { INestApplication } from '@nestjs/common';
import { packageRoot, type GroupRole, type Operator, type SignInSettings } from '@app/configuration';
import { CONFIGURATION, ENVIRONMENT } from '@app/configuration/configuration.module';
import { metadataOf } from '@app/event-store';
import { MemoryEventStore } from '@app/event-store/stores/memory';
import { OperatorAccess, OperatorSessions, SignInFailures } from '@app/investigation';
import { OperatorAudit, operatorAuditCodec, operatorStream } from '@app/investigation/record';
import { Secret, systemClock, systemIds, systemRandom, systemScheduler, type Clock, type Instant } from '@app/kernel';
import { settle } from '@app/testing';
import { HouseSignIn } from './house-sign-in';
import { OPERATOR_LISTENER } from './operator.guard';
import { SessionCookies } from './session-cookies';
import { openOperatorPort } from '../testing/operator-port';

const CLIENT = { id: 'orchestrator', secret: 'a-secret-of-the-house' };
const GROUPS: readonly GroupRole[] = [
  { group: 'payments-admins', role: 'admin' },
  { group: 'acme-support', role: 'investigator', merchants: ['acme' as never] },
];
const JANE: Operator = { name: 'jane', role: 'viewer', tokenSha256: 'ab'.repeat(32) };

let servers: Server[];
let app: INestApplication;
let own: string;
let log: MemoryEventStore;
let audit: OperatorAudit;
let sessions: OperatorSessions;
let configuration: { publicBaseUrl: string; signIn?: SignInSettings };
let skewMs: number;
let house: HouseSignIn;

const listen = async (handle: RequestListener): Promise<string> => {
  const server = createServer(handle).listen(0, '127.0.0.1');
  await once(server, 'listening');
  servers.push(server);
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
};

const startPort = async (): Promise<void> => {
  log = new MemoryEventStore(systemClock);
  skewMs = 0;
  const clock: Clock = { now: () => (systemClock.now() + skewMs) as Instant };
  audit = new OperatorAudit({
    store: log,
    clock,
    ids: systemIds,
    scheduler: systemScheduler,
    bootId: 'boot',
    onUnwritten: () => undefined,
  });
  const environment = {
    operatorHost: '127.0.0.1',
    operatorHosts: [],
    operatorUrl: undefined as string | undefined,
    operatorPort: 0,
    isProduction: false,
  };
  configuration = { publicBaseUrl: 'https://gateway.example' };
  const operators = () => [JANE];
  const vault = { keyStream: (_purpose: string, bytes: number) => Buffer.alloc(bytes, 1) };
  const groups = () => configuration.signIn?.groups ?? [];
  sessions = new OperatorSessions({
    operators,
    groups,
    vault,
    clock,
    ids: systemIds,
    random: systemRandom,
    store: log,
    scheduler: systemScheduler,
    onError: () => undefined,
  });
  await sessions.start();
  house = new HouseSignIn({
    configuration: {
      get signIn() {
        return configuration.signIn;
      },
    },
    operators,
    environment,
    clock,
  });
  const parts = new Map<unknown, unknown>([
    [OPERATOR_LISTENER, { served: () => undefined }],
    [OperatorAccess, new OperatorAccess(operators, audit)],
    [OperatorAudit, audit],
    [SessionCookies, new SessionCookies(sessions, environment)],
    [SignInFailures, new SignInFailures(clock)],
    [HouseSignIn, house],
    [CONFIGURATION, configuration],
    [ENVIRONMENT, environment],
  ]);
  const opened = await openOperatorPort(parts, audit, environment);
  app = opened.app;
  own = `http://127.0.0.1:${opened.port}`;
  environment.operatorUrl = own;
};

beforeEach(async () => {
  servers = [];
  await startPort();
});
afterEach(async () => {
  await app.close();
  sessions.stop();
  await audit.stop();
  for (const server of servers) {
    server.closeAllConnections();
    server.close();
  }
});

const settingsOf = (issuer: string, changes: Partial<SignInSettings> = {}): SignInSettings => ({
  issuer,
  clientId: CLIENT.id,
  clientSecret: new Secret(CLIENT.secret),
  scope: 'openid groups',
  nameClaim: 'preferred_username',
  groupsClaim: 'groups',
  groups: GROUPS,
  ...changes,
});

/** Unlike `fetch`, adds no Sec-Fetch headers, and follows no redirect. */
const send = async (url: string, headers: Readonly<Record<string, string>>): Promise<Response> => {
  const { statusCode, headers: received, body } = await request(url, { headers, reset: true });
  const shown = new Headers();
  for (const [name, value] of Object.entries(received)) for (const one of [value ?? []].flat()) shown.append(name, one);
  return new Response(await body.text(), { status: statusCode, headers: shown });
};

class Browser {
  readonly #jars = new Map<string, Map<string, string>>();

  async get(url: string, headers: Readonly<Record<string, string>> = {}): Promise<Response> {
    const { origin } = new URL(url);
    const jar = this.#jars.get(origin) ?? new Map<string, string>();
    this.#jars.set(origin, jar);
    const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ');
    const response = await send(url, { ...(cookie !== '' && { cookie }), ...headers });
    for (const set of response.headers.getSetCookie()) {
      const [pair = ''] = set.split(';');
      const at = pair.indexOf('=');
      if (/max-age=0|expires=thu, 01 jan 1970/i.test(set)) jar.delete(pair.slice(0, at));
      else jar.set(pair.slice(0, at), pair.slice(at + 1));
    }
    return response;
  }

  cookies(origin: string): string {
    return [...(this.#jars.get(origin) ?? [])].map(([name, value]) => `${name}=${value}`).join('; ');
  }

  /** @returns the address of the callback, not requested yet */
  async toCallback(): Promise<string> {
    let url = `${own}/session/oidc`;
    for (let step = 0; step < 12; step++) {
      const response = await this.get(url);
      const location = response.headers.get('location');
      if (location === null) throw new Error(`${url}: ${response.status} ${await response.text()}`);
      url = new URL(location, url).href;
      if (url.startsWith(`${own}/session/oidc/callback`)) return url;
    }
    throw new Error('no callback');
  }
}

/** As a browser requests the provider's redirect. */
const NAVIGATION = { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' };
const show = (browser: Browser) => browser.get(`${own}/session`, { 'sec-fetch-site': 'same-origin' });
const recorded = async () => {
  await settle(10);
  const events = [];
  for await (const stored of log.read(operatorStream('boot')))
    events.push({ actor: metadataOf(stored).actor, ...operatorAuditCodec.decode(stored) });
  return events;
};

describe('sign-in at a real provider of OpenID Connect', () => {
  let provider: ChildProcess;
  let issuer: string;

  /** In its own process, because Jest does not load its ES modules. */
  beforeAll(async () => {
    const asked = { redirectUri: 'http://127.0.0.1/session/oidc/callback', client: CLIENT };
    const script = join(packageRoot(), 'test', 'support', 'oidc', 'provider.mjs');
    const child = spawn(process.execPath, [script, JSON.stringify(asked)], { stdio: ['ignore', 'pipe', 'ignore'] });
    provider = child;
    const [printed] = (await once(child.stdout, 'data')) as [Buffer];
    [, issuer = ''] = /^issuer (\S+)$/m.exec(String(printed)) ?? [];
    if (issuer === '') throw new Error(`no provider: ${String(printed)}`);
  });
  afterAll(async () => {
    provider.kill();
    await once(provider, 'exit');
  });

  const configure = async (claims: object, changes: Partial<SignInSettings> = {}): Promise<SignInSettings> => {
    const { statusCode, body } = await request(`${issuer}/claims`, { method: 'PUT', body: JSON.stringify(claims), reset: true });
    await body.dump();
    expect(statusCode).toBe(200);
    return (configuration.signIn = settingsOf(issuer, changes));
  };

  it('begins a session with the role and the merchants of the first mapped group, until the mapping is removed', async () => {
    const settings = await configure({ preferred_username: 'kim', groups: ['staff', 'acme-support'] });
    const browser = new Browser();
    const callback = await browser.toCallback();
    const answer = await browser.get(callback, NAVIGATION);
    expect([answer.status, await answer.text()]).toStrictEqual([200, expect.stringContaining('url=/console')]);
    const shown = await show(browser);
    expect(await shown.json()).toMatchObject({ name: 'kim', role: 'investigator', merchants: ['acme'] });
    expect(await recorded()).toMatchObject([
      { actor: 'operator:kim', data: { action: 'sign-in', role: 'investigator' } },
      { actor: 'operator:kim', data: { outcome: 'done' } },
    ]);
    configuration.signIn = { ...settings, groups: [{ group: 'acme-support', role: 'viewer' }] };
    expect(await (await show(browser)).json()).toMatchObject({ role: 'viewer', merchants: null });
    configuration.signIn = { ...settings, groups: GROUPS.slice(0, 1) };
    expect((await show(browser)).status).toBe(401);
  });

  it('is refused with an event if the groups map to nothing, or the name is not one or is taken', async () => {
    const cases: readonly (readonly [object, Partial<SignInSettings>, string, string])[] = [
      [{ preferred_username: 'kim', groups: ['staff'] }, {}, 'none of your groups may use this service', 'operator:kim'],
      [{ preferred_username: 'kim' }, {}, 'none of your groups may use this service', 'operator:kim'],
      [{ preferred_username: 'jane', groups: ['acme-support'] }, {}, 'your name is that of an operator with a token', 'unauthenticated'],
      [
        { preferred_username: 'kim smith', groups: ['acme-support'] },
        {},
        'the claim preferred_username of the provider is no operator name',
        'unauthenticated',
      ],
      [
        { email: 'kim@house.example', groups: ['acme-support'] },
        { nameClaim: 'email' },
        'the claim email of the provider is no operator name',
        'unauthenticated',
      ],
    ];
    for (const [claims, changes, error, actor] of cases) {
      await configure(claims, changes);
      const browser = new Browser();
      const answer = await browser.get(await browser.toCallback(), NAVIGATION);
      expect([answer.status, await answer.json()]).toStrictEqual([403, { error }]);
      expect(browser.cookies(own)).toBe('');
      expect((await recorded()).map(({ type, actor: by }) => [type, by])).toContainEqual(['OperatorRequestsRefused', actor]);
      skewMs += 61_000;
    }
  });
});

describe('sign-in at a provider that issues any ID token', () => {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const encoded = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');

  /** A provider that answers any code with these claims. */
  const startForger = async (change: (claims: Record<string, unknown>) => object, key = privateKey): Promise<void> => {
    let nonce = '';
    const issuer: string = await listen((asking, response) => {
      const { pathname, searchParams } = new URL(asking.url ?? '', 'http://provider');
      const send = (body: object): void => void response.setHeader('content-type', 'application/json').end(JSON.stringify(body));
      if (pathname === '/.well-known/openid-configuration')
        send({
          issuer,
          authorization_endpoint: `${issuer}/authorize`,
          token_endpoint: `${issuer}/token`,
          jwks_uri: `${issuer}/jwks`,
          response_types_supported: ['code'],
          subject_types_supported: ['public'],
          id_token_signing_alg_values_supported: ['RS256'],
        });
      else if (pathname === '/jwks') send({ keys: [{ ...publicKey.export({ format: 'jwk' }), kid: 'k', alg: 'RS256', use: 'sig' }] });
      else if (pathname === '/authorize') {
        nonce = searchParams.get('nonce') ?? '';
        const to = new URL(searchParams.get('redirect_uri') ?? '');
        to.search = new URLSearchParams({ code: 'c', state: searchParams.get('state') ?? '' }).toString();
        response.writeHead(302, { location: to.href }).end();
      } else {
        const now = Math.floor(Date.now() / 1_000);
        const right = {
          iss: issuer,
          aud: CLIENT.id,
          sub: 'person-1',
          iat: now,
          exp: now + 60,
          nonce,
          preferred_username: 'kim',
          groups: ['acme-support'],
        };
        const signed = `${encoded({ alg: 'RS256', kid: 'k' })}.${encoded(change(right))}`;
        const signature = sign('sha256', Buffer.from(signed), createPrivateKey(key.export({ type: 'pkcs8', format: 'pem' }))).toString(
          'base64url',
        );
        send({ access_token: 'a', token_type: 'bearer', id_token: `${signed}.${signature}` });
      }
    });
    configuration.signIn = settingsOf(issuer);
  };
  const signIn = async (): Promise<number> => {
    const browser = new Browser();
    return (await browser.get(await browser.toCallback(), NAVIGATION)).status;
  };

  it.each<[string, (claims: Record<string, unknown>) => object, number]>([
    ['is accepted if nothing is wrong', (claims) => claims, 200],
    ['is refused for another issuer', (claims) => ({ ...claims, iss: 'https://other.example' }), 401],
    ['is refused for another audience', (claims) => ({ ...claims, aud: 'other' }), 401],
    ['is refused with another nonce', (claims) => ({ ...claims, nonce: 'other' }), 401],
    ['is refused without a nonce', ({ nonce: _nonce, ...claims }) => claims, 401],
    ['is refused after it expired', (claims) => ({ ...claims, exp: Number(claims['iat']) - 3_600 }), 401],
  ])('%s', async (_what, change, status) => {
    await startForger(change);
    expect(await signIn()).toBe(status);
  });

  it('is refused with another state, without its cookie, a second time, too late, and if the caller is no navigation', async () => {
    await startForger((claims) => claims);
    const attempt = async (run: (browser: Browser, callback: string) => Promise<Response>): Promise<number> => {
      const browser = new Browser();
      const { status } = await run(browser, await browser.toCallback());
      skewMs += 61_000;
      return status;
    };
    expect(await attempt((browser, callback) => browser.get(callback.replace(/state=[^&]+/, 'state=other'), NAVIGATION))).toBe(401);
    expect(await attempt((_browser, callback) => new Browser().get(callback, NAVIGATION))).toBe(401);
    expect(
      await attempt(async (browser, callback) => {
        const cookie = browser.cookies(own);
        expect((await browser.get(callback, NAVIGATION)).status).toBe(200);
        return send(callback, { cookie, ...NAVIGATION });
      }),
    ).toBe(401);
    expect(
      await attempt((browser, callback) => {
        skewMs += 600_000;
        return browser.get(callback, NAVIGATION);
      }),
    ).toBe(401);
    const browser = new Browser();
    const callback = await browser.toCallback();
    for (const changed of [{ 'sec-fetch-mode': 'no-cors' }, { 'sec-fetch-dest': 'iframe' }, { origin: 'https://evil.example' }])
      expect((await browser.get(callback, { ...NAVIGATION, ...changed })).status).toBe(403);
    for (const path of ['/session', '/session/oidc', '/session/oidc/callback/', '/orders/unknown'])
      expect((await send(own + path, NAVIGATION)).status).toBe(403);
  });

  it('calls only the host of the issuer', async () => {
    await startForger((claims) => claims);
    const asked: string[] = [];
    const elsewhere = await listen((asking, response) => {
      asked.push(asking.url ?? '');
      response.end('{}');
    });
    const { issuer } = configuration.signIn ?? { issuer: '' };
    const proxy: string = await listen((_request, response) => {
      response.setHeader('content-type', 'application/json').end(
        JSON.stringify({
          issuer: proxy,
          authorization_endpoint: `${issuer}/authorize`,
          token_endpoint: `${elsewhere}/token`,
          jwks_uri: `${elsewhere}/jwks`,
          response_types_supported: ['code'],
        }),
      );
    });
    configuration.signIn = settingsOf(proxy);
    expect(await signIn()).toBe(401);
    expect(asked).toStrictEqual([]);
  });
});

it('answers 404 without a provider, and 503 while it does not answer', async () => {
  expect((await fetch(`${own}/session/oidc`)).status).toBe(404);
  configuration.signIn = settingsOf('http://127.0.0.1:1');
  expect((await fetch(`${own}/session/oidc`)).status).toBe(503);
});
