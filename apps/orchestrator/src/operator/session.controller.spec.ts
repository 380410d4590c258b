import { mkdtempSync, rmSync } from 'node:fs';
import { request as httpRequest } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { INestApplication } from '@nestjs/common';
import { makeSignInCode, newOperatorToken, sha256OfToken, type Operator } from '@app/configuration';
import { CONFIGURATION, ENVIRONMENT } from '@app/configuration/configuration.module';
import { FOLLOWED_EVERY_MS, metadataOf, StoreUnavailable } from '@app/event-store';
import { CARD_VAULT } from '@app/card-vault/card-vault.tokens';
import { MemoryEventStore } from '@app/event-store/stores/memory';
import { OperatorAccess, OperatorSessions, SignInFailures } from '@app/investigation';
import { OperatorAudit, operatorAuditCodec, operatorStream } from '@app/investigation/record';
import { systemIds, systemRandom } from '@app/kernel';
import { settle, VirtualClock } from '@app/testing';
import { OPERATOR_LISTENER } from './operator.guard';
import { SandboxLink } from './session.controller';
import { SessionCookies } from './session-cookies';
import { openOperatorPort } from '../testing/operator-port';

const TOKEN = newOperatorToken();
const JANE: Operator = { name: 'jane', role: 'investigator', tokenSha256: sha256OfToken(TOKEN) };
const ADMIN_TOKEN = newOperatorToken();
const KIM: Operator = { name: 'kim', role: 'admin', tokenSha256: sha256OfToken(ADMIN_TOKEN) };
const MINUTE_MS = 60_000;
const keyStream = (byte: number) => ({ keyStream: (_purpose: string, bytes: number) => Buffer.alloc(bytes, byte) });

let app: INestApplication;
let port: number;
let clock: VirtualClock;
let log: MemoryEventStore;
let operators: readonly Operator[];
let isAway: boolean;
let sessions: OperatorSessions;
let sandbox: ConstructorParameters<typeof SandboxLink>[0]['environment'];

/** Of a process with this key. */
const sessionsWith = (key: number, store = log): OperatorSessions =>
  new OperatorSessions({
    operators: () => operators,
    groups: () => [],
    vault: keyStream(key),
    clock,
    ids: systemIds,
    random: systemRandom,
    store,
    scheduler: clock,
    onError: (error) => {
      throw error;
    },
  });

const start = async (operatorUrl?: string): Promise<void> => {
  clock = new VirtualClock();
  log = new MemoryEventStore(clock);
  operators = [JANE, KIM];
  isAway = false;
  const store = Object.assign(Object.create(log) as MemoryEventStore, {
    append: async (...appended: Parameters<MemoryEventStore['append']>) => {
      if (isAway) throw new StoreUnavailable('away');
      return log.append(...appended);
    },
    read: (...asked: Parameters<MemoryEventStore['read']>) => log.read(...asked),
  });
  const audit = new OperatorAudit({ store, clock, ids: systemIds, scheduler: clock, bootId: 'boot', onUnwritten: () => undefined });
  const environment = { operatorHost: '127.0.0.1', operatorHosts: ['ops.example'], operatorUrl, isProduction: false };
  sandbox = { ...environment, operatorTokenPath: join(tmpdir(), 'no-such-folder', 'operator-token') };
  sessions = sessionsWith(1, store);
  await sessions.start();
  const parts = new Map<unknown, unknown>([
    [OPERATOR_LISTENER, { served: () => undefined }],
    [OperatorAccess, new OperatorAccess(() => operators, audit)],
    [OperatorAudit, audit],
    [OperatorSessions, sessions],
    [CARD_VAULT, { takeKey: async () => ({ seal: (merchant: string, name: string) => `sealed ${name} of ${merchant}` }) }],
    [SessionCookies, new SessionCookies(sessions, environment)],
    [SignInFailures, new SignInFailures(clock)],
    [
      SandboxLink,
      new SandboxLink({
        operators: () => operators,
        clock,
        get environment() {
          return sandbox;
        },
      }),
    ],
    [CONFIGURATION, { publicBaseUrl: 'https://gateway.example' }],
    [ENVIRONMENT, environment],
  ]);
  ({ app, port } = await openOperatorPort(parts, audit, environment));
};
beforeEach(() => start());
afterEach(() => app.close());

interface Answer {
  readonly status: number;
  readonly cookies: readonly string[];
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: string;
}
const ask = (method: string, path: string, headers: Readonly<Record<string, string>> = {}, body?: object): Promise<Answer> =>
  new Promise((resolve, reject) => {
    const text = body === undefined ? undefined : JSON.stringify(body);
    const content = text === undefined ? {} : { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(text)) };
    const sent = httpRequest({ port, host: '127.0.0.1', method, path, headers: { ...content, ...headers }, agent: false }, (response) => {
      let answer = '';
      response.setEncoding('utf8').on('data', (part: string) => (answer += part));
      const cookies = response.headers['set-cookie'] ?? [];
      response.on('end', () => resolve({ status: response.statusCode ?? 0, cookies, headers: response.headers, body: answer }));
    });
    sent.on('error', reject);
    sent.end(text);
  });
const own = () => ({ origin: `http://127.0.0.1:${port}`, 'sec-fetch-site': 'same-origin' });
const signIn = (token = TOKEN, headers: Readonly<Record<string, string>> = own()) => ask('POST', '/session', headers, { token });
const cookieOf = ({ cookies }: Answer): string => cookies[0]?.split(';')[0] ?? '';
const show = (cookie: string) => ask('GET', '/session', { cookie });
const signedIn = async (): Promise<string> => cookieOf(await signIn());
const recorded = async () => {
  await settle(10);
  const events = [];
  for await (const stored of log.read(operatorStream('boot')))
    events.push({ actor: metadataOf(stored).actor, ...operatorAuditCodec.decode(stored) });
  return events;
};

it('POST /session exchanges a token for a cookie that scripts and other sites cannot use', async () => {
  const answer = await signIn();
  expect([answer.status, JSON.parse(answer.body)]).toStrictEqual([
    200,
    {
      name: 'jane',
      role: 'investigator',
      merchants: null,
      environment: 'test',
      instance: 'https://gateway.example',
      release: expect.any(String),
      expiresAt: '2024-01-01T00:30:00.000Z',
    },
  ]);
  expect(answer.cookies).toStrictEqual([
    expect.stringMatching(/^operator-session=[\w-]+; HttpOnly; SameSite=Strict; Path=\/; Max-Age=1800$/),
  ]);
  expect(Buffer.from(cookieOf(answer).split('=')[1] ?? '', 'base64url').toString('latin1')).not.toMatch(/jane|token|[0-9a-f]{64}/);
  const { status, body } = await show(cookieOf(answer));
  expect([status, JSON.parse(body)]).toStrictEqual([200, JSON.parse(answer.body)]);
  expect(await recorded()).toMatchObject([
    { actor: 'operator:jane', type: 'OperatorActionBegun', data: { action: 'sign-in', role: 'investigator' } },
    { actor: 'operator:jane', type: 'OperatorActionEnded', data: { outcome: 'done' } },
  ]);
  expect(JSON.stringify(await recorded())).not.toContain(TOKEN);
});

it('GET /session/installation names the installation to anybody, and no more', async () => {
  const { status, body } = await ask('GET', '/session/installation');
  expect([status, JSON.parse(body)]).toStrictEqual([
    200,
    { environment: 'test', instance: 'https://gateway.example', release: expect.any(String), hasProvider: false },
  ]);
});

it('a token authenticates a program as before, and counts before a cookie', async () => {
  const answer = await ask('GET', '/session', { cookie: await signedIn(), authorization: `Bearer ${ADMIN_TOKEN}` });
  expect(JSON.parse(answer.body)).toMatchObject({ name: 'kim', expiresAt: null });
  expect((await ask('GET', '/session', { cookie: await signedIn(), authorization: 'Bearer nobodys' })).status).toBe(401);
});

describe('behind https', () => {
  beforeEach(async () => {
    await app.close();
    await start('https://ops.example');
  });
  const browser = { host: 'ops.example', origin: 'https://ops.example', 'sec-fetch-site': 'same-origin' };

  it('the cookie is Secure and has the prefix __Host-, and no cookie without it is accepted', async () => {
    const answer = await signIn(TOKEN, browser);
    expect(answer.cookies).toStrictEqual([expect.stringMatching(/^__Host-operator-session=[\w-]+; HttpOnly; .*; Path=\/; .*; Secure$/)]);
    const cookie = cookieOf(answer);
    expect((await show(cookie)).status).toBe(200);
    expect((await show(cookie.replace('__Host-', ''))).status).toBe(401);
    expect((await show(`${cookie}; ${cookie.replace('__Host-', '').replace(/=.*/, '=other')}`)).status).toBe(200);
  });

  it('a page loaded by http from the same name may change nothing', async () => {
    const cookie = cookieOf(await signIn(TOKEN, browser));
    expect((await ask('DELETE', '/session', { cookie, host: 'ops.example', origin: 'http://ops.example' })).status).toBe(403);
    expect((await ask('DELETE', '/session', { cookie, ...browser })).status).toBe(200);
  });
});

describe('a session ends', () => {
  it('30 minutes after its last request, each of which renews it', async () => {
    const first = await signedIn();
    clock.jump(29 * MINUTE_MS);
    const used = await show(first);
    expect(JSON.parse(used.body)).toMatchObject({ expiresAt: '2024-01-01T00:59:00.000Z' });
    const renewed = cookieOf(used);
    clock.jump(MINUTE_MS);
    expect((await show(first)).status).toBe(401);
    expect((await show(renewed)).status).toBe(200);
    clock.jump(30 * MINUTE_MS);
    expect((await show(renewed)).status).toBe(401);
  });

  it('10 hours after its start, however often it is used', async () => {
    let cookie = await signedIn();
    for (let minutes = 20; minutes < 600; minutes += 20) {
      clock.jump(20 * MINUTE_MS);
      const answer = await show(cookie);
      expect([minutes, answer.status]).toStrictEqual([minutes, 200]);
      cookie = cookieOf(answer);
    }
    clock.jump(20 * MINUTE_MS);
    expect((await show(cookie)).status).toBe(401);
  });

  it('at once if its operator is removed or gets another token, and takes over a new role', async () => {
    const cookie = await signedIn();
    operators = [{ ...JANE, role: 'viewer', merchants: ['acme' as never] }];
    expect(JSON.parse((await show(cookie)).body)).toMatchObject({ role: 'viewer', merchants: ['acme'] });
    operators = [{ ...JANE, tokenSha256: 'cd'.repeat(32) }];
    expect((await show(cookie)).status).toBe(401);
    operators = [];
    expect((await show(cookie)).status).toBe(401);
  });

  it('with DELETE /session, after which a copied cookie, renewed or not, is refused', async () => {
    const first = await signedIn();
    clock.jump(2 * MINUTE_MS);
    const copied = cookieOf(await show(first));
    const { status, cookies } = await ask('DELETE', '/session', { cookie: first, ...own() });
    expect([status, cookies]).toStrictEqual([200, ['operator-session=; HttpOnly; SameSite=Strict; Path=/; Max-Age=0']]);
    for (const cookie of [first, copied]) expect((await show(cookie)).status).toBe(401);
    expect((await show(await signedIn())).status).toBe(200);
    expect((await recorded()).map(({ data }) => ('action' in data ? data.action : undefined))).toContain('sign-out');
  });

  it('with DELETE /session in every process: in a running one within 5 s, in one that starts later at once', async () => {
    const cookie = await signedIn();
    const text = cookie.split('=')[1] ?? '';
    const running = sessionsWith(1);
    expect(() => running.open(text)).toThrow(StoreUnavailable);
    await running.start();
    expect(running.open(text)).toMatchObject({ operator: JANE });
    await ask('DELETE', '/session', { cookie, ...own() });
    await clock.advance(FOLLOWED_EVERY_MS);
    expect(running.open(text)).toBeUndefined();
    const later = sessionsWith(1);
    await later.start();
    expect(later.open(text)).toBeUndefined();
    expect(later.open((await signedIn()).split('=')[1] ?? '')).toBeDefined();
    for (const one of [running, later]) one.stop();
  });

  it('not with a DELETE /session that cannot be recorded, and with the next one that can', async () => {
    const cookie = await signedIn();
    isAway = true;
    const { status, cookies } = await ask('DELETE', '/session', { cookie, ...own() });
    expect([status, cookies]).toStrictEqual([503, []]);
    isAway = false;
    expect((await show(cookie)).status).toBe(200);
    expect((await ask('DELETE', '/session', { cookie, ...own() })).status).toBe(200);
    expect((await show(cookie)).status).toBe(401);
  });

  it('with a DELETE /session that is stored and cannot be read back, which has an unknown outcome', async () => {
    const cookie = await signedIn();
    const read = jest.spyOn(log, 'read').mockImplementation(() => {
      throw new StoreUnavailable('away');
    });
    expect((await ask('DELETE', '/session', { cookie, ...own() })).status).toBe(504);
    read.mockRestore();
    await clock.advance(FOLLOWED_EVERY_MS);
    expect((await show(cookie)).status).toBe(401);
  });
});

describe('POST /sessions/{operator}/ending', () => {
  const end = (name: string, body: object = { reason: 'The notebook was stolen', actor: 'lee' }, token = ADMIN_TOKEN) =>
    ask('POST', `/sessions/${name}/ending`, { authorization: `Bearer ${token}` }, body);

  it('ends every session of the operator and no other, is recorded with its reason, and leaves the token valid', async () => {
    const cookies = [await signedIn(), await signedIn()];
    const others = cookieOf(await signIn(ADMIN_TOKEN));
    const { status, body } = await end('jane');
    expect([status, JSON.parse(body)]).toStrictEqual([200, { operator: 'jane', ended: true }]);
    for (const cookie of cookies) expect((await show(cookie)).status).toBe(401);
    expect((await show(others)).status).toBe(200);
    clock.jump(1);
    expect((await show(await signedIn())).status).toBe(200);
    expect((await recorded()).filter(({ data }) => 'action' in data && data.action === 'end-sessions')).toMatchObject([
      { actor: 'operator:kim', data: { target: 'jane', role: 'admin', reason: 'sealed action-reason of ' } },
    ]);
  });

  it.each([
    ['nobody', { reason: 'typed wrongly' }, 404],
    ['4444333322221111', { reason: 'a card number' }, 404],
    ['jane', {}, 400],
    ['jane', { reason: ' ' }, 400],
  ])('of %s with %j answers %d and ends nothing', async (name, body, status) => {
    const cookie = await signedIn();
    expect((await end(name, body)).status).toBe(status);
    expect((await show(cookie)).status).toBe(200);
  });

  it('is refused to every role below admin, and to an admin limited to merchants', async () => {
    expect((await end('kim', undefined, TOKEN)).status).toBe(403);
    operators = [JANE, { ...KIM, merchants: ['acme' as never] }];
    expect((await end('jane')).status).toBe(403);
  });
});

it('each sign-in begins another session, whatever cookie the browser sent', async () => {
  const first = await signedIn();
  const second = cookieOf(await signIn(TOKEN, { ...own(), cookie: first }));
  expect(second).not.toBe(first);
  await ask('DELETE', '/session', { cookie: second, ...own() });
  expect([(await show(first)).status, (await show(second)).status]).toStrictEqual([200, 401]);
});

it('refuses a cookie that was changed, cut, doubled, or sealed for another purpose or under another key', async () => {
  const cookie = await signedIn();
  const [name = '', text = ''] = cookie.split('=');
  const other = sessionsWith(2);
  const session = other.begin('jane', { token: JANE.tokenSha256 });
  const at = Math.floor(text.length / 2);
  const bytes = Buffer.from(text, 'base64url');
  const twin = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_']
    .map((last) => text.slice(0, -1) + last)
    .find((one) => one !== text && bytes.equals(Buffer.from(one, 'base64url')));
  const cookies = [
    `${name}=${twin ?? 'the last character has no unused bits'}`,
    `${name}=`,
    `${name}=${text.slice(0, -2)}`,
    `${name}=${text.slice(0, at)}${text[at] === 'A' ? 'B' : 'A'}${text.slice(at + 1)}`,
    `${name}=${text}; ${name}=${text}`,
    `${name}=x; ${name}=${text}`,
    `${name}=${text}é`,
    `${name}="${text}"`,
    `${name}=${'A'.repeat(6_000)}`,
    `${name}=${other.textOf(session)}`,
    `${name}=${sessions.seal('sign-in', session)}`,
    text,
    '=;=;;',
  ];
  for (const one of cookies) expect([one.slice(0, 60), (await show(one)).status]).toStrictEqual([one.slice(0, 60), 401]);
  expect((await show(`a=b; ${cookie}; c=d`)).status).toBe(200);
});

describe('with a session', () => {
  it.each(['POST', 'PUT', 'PATCH', 'DELETE'])('%s is refused unless a page of the port sent it', async (method) => {
    const cookie = await signedIn();
    const asked = async (headers: Readonly<Record<string, string>>) => (await ask(method, '/session', { cookie, ...headers })).status;
    const foreign: Readonly<Record<string, string>>[] = [
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site' },
      { origin: 'https://evil.example' },
      { origin: 'null' },
      { origin: `http://127.0.0.1:${port}.evil.example` },
      { origin: `http://127.0.0.1:${port}`, 'sec-fetch-site': 'cross-site' },
    ];
    for (const headers of foreign) expect([headers, await asked(headers)]).toStrictEqual([headers, 403]);
    if (method !== 'DELETE') return;
    for (const headers of [{}, { 'sec-fetch-site': 'none' }]) expect(await asked(headers)).toBe(403);
    expect(await asked({ origin: `http://127.0.0.1:${port}` })).toBe(200);
  });

  it.each(['GET', 'HEAD'])('%s is refused for a page of another site', async (method) => {
    const cookie = await signedIn();
    for (const site of ['cross-site', 'same-site'])
      expect((await ask(method, '/session', { cookie, 'sec-fetch-site': site })).status).toBe(403);
  });

  it('a role may do no more than with its token', async () => {
    const { status, body } = await ask('GET', '/keys', { cookie: await signedIn() });
    expect([status, JSON.parse(body)]).toStrictEqual([
      403,
      { error: 'list-keys needs the role operator, and this operator has investigator' },
    ]);
  });
});

it('refuses a sign-in that a page of another site sends', async () => {
  for (const headers of [{ 'sec-fetch-site': 'cross-site' }, { origin: 'https://evil.example' }])
    expect((await signIn(TOKEN, headers)).status).toBe(403);
});

it('sends no cookie if the sign-in cannot be recorded', async () => {
  isAway = true;
  const { status, cookies } = await signIn();
  expect([status, cookies]).toStrictEqual([503, []]);
});

it('answers 429 after five failed sign-ins of an address, with a valid token too, until a minute has passed', async () => {
  for (let failed = 0; failed < 5; failed++) expect((await signIn(newOperatorToken())).status).toBe(401);
  const { status, headers, body } = await signIn();
  expect([status, headers['retry-after'], JSON.parse(body)]).toStrictEqual([
    429,
    '60',
    { error: 'too many failed sign-ins: try again in a minute' },
  ]);
  expect((await ask('GET', '/session', { authorization: `Bearer ${TOKEN}` })).status).toBe(200);
  await clock.advance(MINUTE_MS);
  expect((await signIn()).status).toBe(200);
  const refused = (await recorded()).filter(({ type }) => type === 'OperatorRequestsRefused');
  expect(refused.map(({ data }) => data)).toMatchObject([
    { cause: 'sign-in', count: 1 },
    { cause: 'sign-in', count: 5 },
  ]);
});

it.each([[{}], [{ token: '' }], [{ token: 'x'.repeat(257) }], [{ token: 1 }], [{ token: TOKEN, name: 'jane' }]])(
  'returns 400 for %j',
  async (body) => {
    expect((await ask('POST', '/session', own(), body)).status).toBe(400);
  },
);

it('failed sign-ins of many addresses take bounded memory', () => {
  const failures = new SignInFailures(new VirtualClock());
  for (let address = 0; address < 50_000; address++) for (let time = 0; time < 5; time++) failures.add(`address ${address}`);
  const blocked = Array.from({ length: 50_000 }, (_, address) => failures.isBlocked(`address ${address}`)).filter(Boolean);
  expect(blocked).toHaveLength(10_000);
});

describe('the link of a sandbox', () => {
  const SANDBOX: Operator = { name: 'sandbox', role: 'admin', tokenSha256: sha256OfToken(newOperatorToken()) };
  let folder: string;
  let code: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'sandbox-link-'));
    sandbox = { ...sandbox, operatorTokenPath: join(folder, 'operator-token') };
    operators = [SANDBOX];
    code = makeSignInCode(sandbox.operatorTokenPath, clock.now());
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  it('signs in once, and is recorded as the sandbox', async () => {
    const answer = await signIn(code);
    expect([answer.status, JSON.parse(answer.body)]).toMatchObject([200, { name: 'sandbox', role: 'admin' }]);
    expect((await show(cookieOf(answer))).status).toBe(200);
    const again = await signIn(code);
    expect([again.status, again.cookies]).toStrictEqual([401, []]);
    expect((await recorded()).filter(({ type }) => type === 'OperatorActionBegun')).toMatchObject([{ actor: 'operator:sandbox' }]);
    expect(JSON.stringify(await recorded())).not.toContain(code);
  });

  it.each<[string, () => void]>([
    ['in production', () => (sandbox = { ...sandbox, isProduction: true })],
    ['on a port beyond loopback', () => (sandbox = { ...sandbox, operatorHost: '0.0.0.0' })],
    ['behind another address', () => (sandbox = { ...sandbox, operatorUrl: 'https://operators.example' })],
    ['with configured operators', () => (operators = [JANE, KIM])],
  ])('is refused %s, and stays unused', async (_where, change) => {
    const before = { sandbox, operators };
    change();
    expect((await signIn(code)).status).toBe(401);
    ({ sandbox, operators } = before);
    expect((await signIn(code)).status).toBe(200);
  });

  it('does not authenticate a program', async () => {
    expect((await ask('GET', '/session', { authorization: `Bearer ${code}` })).status).toBe(401);
  });
});
