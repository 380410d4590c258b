import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { request as httpRequest } from 'node:http';
import { join } from 'node:path';
import type { INestApplication } from '@nestjs/common';
import { metadataOf, OutcomeUnknown, StoreUnavailable, type Actor, type EventStore, type StreamName } from '@app/event-store';
import { MemoryEventStore } from '@app/event-store/stores/memory';
import { systemIds, type Deadline, type MerchantLogin } from '@app/kernel';
import { newOperatorToken, OPERATOR_ROLES, packageRoot, sha256OfToken, type OperatorRole } from '@app/configuration';
import type { ManualDisputeReport, ReportRecorded } from '@app/orders';
import { OperatorAudit, operatorAuditCodec, operatorStream } from '@app/investigation/record';
import { paymentCodec, paymentStream } from '@app/payment';
import { foldOrderStatus, logEventOf, type OrderStatusView } from '@app/read-models';
import { ACCEPTED_AT, eventually, sampleOrder, settle, VirtualClock } from '@app/testing';
import { CLOCK } from '@app/kernel/injection';
import {
  ErasureService,
  FollowUpService,
  OperatorAccess,
  OperatorLists,
  OperatorService,
  type OperatorServicePorts,
  GateStates,
  OrderNames,
  QueryAudit,
  OrderHistories,
  RouteExplanations,
  SwitchService,
  type RouteAnswer,
  type RouteQuestion,
} from '@app/investigation';
import { ApiDocuments, documentFolders } from '../documents/api-documents';
import { OPERATOR_DOCUMENTS } from '../documents/documents.module';
import { HEALTH } from '../monitoring/health.controller';
import { METRICS_ACCESS } from './metrics.controller';
import { OPERATOR_LISTENER } from './operator.guard';
import { ServiceMetrics } from '../monitoring/service-metrics';
import { ApprovableActions } from './approvable-actions';
import { FourEyes } from './four-eyes';
import { GateInquiries } from './gate-inquiries';
import { ReconciliationService } from './reconciliation.service';
import { openOperatorPort } from '../testing/operator-port';

const TOKENS = Object.fromEntries(OPERATOR_ROLES.map((role) => [role, newOperatorToken()])) as Record<OperatorRole, string>;
const OPERATORS = OPERATOR_ROLES.map((role) => ({ name: `one-${role}`, role, tokenSha256: sha256OfToken(TOKENS[role]) }));
const ORDER = 'pabcdefghijklmnr';
const DELIVERY = '5a17c0de-0000-5000-8000-00000000dead:callback';
const STREAM = `payment-${'a'.repeat(52)}`;

let app: INestApplication;
let port: number;
let clock: VirtualClock;
let log: MemoryEventStore;
let resolvedBy: Actor[];
let shown: OrderStatusView | undefined;
let isAway: boolean;
let isProjected: boolean;
let explained: (question: RouteQuestion) => RouteAnswer;
let onReport: (report: ManualDisputeReport, by: Actor) => Promise<ReportRecorded>;
let waiting: Deadline[];
let switchService: Pick<SwitchService, 'held' | 'turn'>;
let onResolve: () => Promise<{ readonly reason: 'resolved' | 'nothing-to-resolve' | 'flight-not-over' }>;

const start = async (metricsAccess: 'open' | 'token' = 'open'): Promise<void> => {
  clock = new VirtualClock();
  log = new MemoryEventStore(clock);
  resolvedBy = [];
  shown = undefined;
  isAway = false;
  isProjected = true;
  waiting = [];
  const never = (deadline?: Deadline): Promise<never> => {
    if (deadline !== undefined) waiting.push(deadline);
    return new Promise(() => undefined);
  };
  const head = await log.head();
  explained = () => ({ reason: 'unknown-endpoint' });
  onReport = async () => ({ kind: 'refused', reason: 'order-not-approved' });
  onResolve = async () => ({ reason: 'nothing-to-resolve' });
  switchService = {
    held: () => [],
    turn: async (to, kind, { id }) => ({ reason: id === 'gone' ? `unknown-${kind}` : to === 'hold' ? 'held' : 'not-held' }),
  };
  const store: EventStore = Object.assign(Object.create(log) as MemoryEventStore, {
    append: async (...appended: Parameters<EventStore['append']>) => {
      if (isAway) throw new StoreUnavailable('away');
      return log.append(...appended);
    },
  });
  const audit = new OperatorAudit({ store, clock, ids: systemIds, scheduler: clock, bootId: 'boot', onUnwritten: () => undefined });
  const ports = {
    log,
    readModel: {
      orders: {},
      cardReferences: { byCard: async () => [] },
      search: {
        streamsNamed: (text: string, { deadline }: { deadline?: Deadline }) => (text === 'never' ? never(deadline) : Promise.resolve([])),
      },
      operatorOrders: {
        byOrderId: async (_merchants: unknown, orderId: string) => (orderId === ORDER ? { stream: STREAM as StreamName } : undefined),
      },
      health: async () => ['order-status', 'order-search'].map((projection) => ({ projection, position: isProjected ? head : undefined })),
      rebuildStream: async () => ({ applied: ['order-status'], stillParked: [] }),
    },
    accounts: { logins: ['acme' as MerchantLogin] },
    orders: { ofStream: async () => shown },
    resending: { resend: async () => ({ reason: 'unknown-delivery' as const }) },
    outcomes: {
      resolve: (_stream: StreamName, _as: string, _reason: string, by: Actor) => {
        resolvedBy.push(by);
        return onResolve();
      },
    },
    reports: { record: (_stream: StreamName, report: ManualDisputeReport, by: Actor) => onReport(report, by) },
    sealer: { takeKey: async () => ({ seal: (...bound: readonly string[]) => bound.join(' | ') }) },
    audit,
  } as unknown as OperatorServicePorts;
  const operators = new OperatorService(ports);
  const unknownOrder = async () => ({ reason: 'unknown-order' });
  const actions = new ApprovableActions({
    operators,
    followUps: { request: unknownOrder },
    erasures: { eraseOrder: unknownOrder, release: unknownOrder },
  } as never);
  const parts = new Map<unknown, unknown>([
    [HEALTH, { health: async () => ({ isReady: true, stores: {} }) }],
    [CLOCK, clock],
    [ServiceMetrics, new ServiceMetrics()],
    [METRICS_ACCESS, metricsAccess],
    [OPERATOR_LISTENER, { served: () => undefined }],
    [OperatorAccess, new OperatorAccess(() => OPERATORS, audit)],
    [OperatorService, operators],
    [OperatorLists, { unknown: async () => ({ orders: [] }) }],
    [FourEyes, new FourEyes({ configuration: { approvals: {} }, actions } as never)],
    [ErasureService, { hold: unknownOrder }],
    [FollowUpService, { keyDigest: () => 'digest' }],
    [OrderNames, new OrderNames({ ...ports, lists: {} } as never)],
    [QueryAudit, new QueryAudit(audit, { onceKey: (...asked) => hash('sha256', JSON.stringify(asked), 'hex') })],
    [RouteExplanations, { explain: (question: RouteQuestion) => Promise.resolve(explained(question)) }],
    [
      ReconciliationService,
      {
        list: ({ gate }: { readonly gate?: string }, _page: unknown, _operator: unknown, deadline?: Deadline) =>
          gate === 'sim-a' ? Promise.resolve({ cases: [{}] }) : never(deadline),
      },
    ],
    [GateInquiries, { ask: (_message: unknown, _acting: unknown, deadline?: Deadline) => never(deadline) }],
    [OrderHistories, { unknown: (_at: unknown, _asked: unknown, _operator: unknown, deadline?: Deadline) => never(deadline) }],
    [SwitchService, switchService],
    [GateStates, { list: async () => ({ gates: [{ alias: 'sim-a' }] }) }],
    [OPERATOR_DOCUMENTS, new ApiDocuments(documentFolders(packageRoot()), [{ file: 'operator.json', title: 'Operator API', server: '/' }])],
  ]);
  ({ app, port } = await openOperatorPort(parts, audit));
};

beforeEach(() => start());
afterEach(() => app.close());

interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: string;
}
/** Uses Node's client, because others do not let a test set `Host`. */
const ask = (method: string, path: string, headers: Readonly<Record<string, string>> = {}, body?: object): Promise<Answer> =>
  new Promise((resolve, reject) => {
    const text = body === undefined ? undefined : JSON.stringify(body);
    const given = {
      ...(text !== undefined && { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(text)) }),
      ...headers,
    };
    const sent = httpRequest({ port, host: '127.0.0.1', method, path, headers: given, agent: false }, (response) => {
      let answer = '';
      response.setEncoding('utf8').on('data', (part: string) => (answer += part));
      response.on('end', () => resolve({ status: response.statusCode ?? 0, headers: response.headers, body: answer }));
    });
    sent.on('error', reject);
    sent.end(text);
  });
const acceptedOrder = async (): Promise<OrderStatusView | undefined> => {
  const stored = new MemoryEventStore(clock);
  const cause = { correlation: 's', causation: 's', actor: 'acme', merchant: 'acme', commandId: 'c', recordedAt: ACCEPTED_AT };
  const stream = paymentStream('acme' as MerchantLogin, sampleOrder({}).clientOrderId);
  await stored.append(
    stream,
    'no_stream',
    paymentCodec.encode([{ type: 'OrderAccepted', data: sampleOrder({}) }], stream, 'no_stream', cause),
  );
  for await (const event of stored.read(stream)) return foldOrderStatus(undefined, logEventOf(event, paymentCodec.decode(event)));
  return undefined;
};
const by = (role: OperatorRole) => ({ authorization: `Bearer ${TOKENS[role]}` });
const auditEvents = async () => {
  await settle(10);
  const events = [];
  for await (const stored of log.read(operatorStream('boot')))
    events.push({ by: metadataOf(stored), event: operatorAuditCodec.decode(stored) });
  return events;
};

const { paths: documented } = JSON.parse(readFileSync(join(packageRoot(), 'docs', 'openapi', 'operator.json'), 'utf8')) as {
  readonly paths: Readonly<Record<string, Readonly<Record<string, { readonly security: readonly object[] }>>>>;
};
const paths = Object.entries(documented).flatMap(([path, item]) =>
  Object.entries(item).map(([method, { security }]) => ({
    method: method.toUpperCase(),
    path: path.replace('{orderId}', ORDER).replace('{deliveryId}', encodeURIComponent(DELIVERY)).replace('{stream}', STREAM),
    isOpen: security.length === 0,
  })),
);

it('serves health and metrics without a token and returns 401 for every other path', async () => {
  for (const { method, path, isOpen } of paths) {
    // Its body has the token.
    if (path === '/session' && method === 'POST') continue;
    // They need a provider or a configuration.
    if (/^\/session\/(installation$|oidc)/.test(path)) continue;
    for (const headers of [{}, { authorization: 'Bearer nobodys' }]) {
      const { status, headers: received, body } = await ask(method, path, headers);
      expect([path, status, received['www-authenticate']]).toStrictEqual(isOpen ? [path, 200, undefined] : [path, 401, 'Bearer']);
      if (!isOpen) expect(JSON.parse(body)).toStrictEqual({ error: 'a valid operator token or session is required' });
    }
  }
  expect((await auditEvents()).map(({ event: { data } }) => data)).toMatchObject([{ cause: 'credentials', count: 1 }]);
});

it('reports a missing order index in a 404 response', async () => {
  const answered = async (path: string) => JSON.parse((await ask('GET', path, by('admin'))).body) as unknown;
  const paths = ['/orders/pzzzzzzzzzzzzzzr', '/orders/pzzzzzzzzzzzzzzr/deliveries'];
  for (const path of paths) expect(await answered(path)).toStrictEqual({ error: 'not found' });
  isProjected = false;
  for (const path of paths) expect(await answered(path)).toStrictEqual({ error: 'not found', index: 'missing' });
});

it.each<[path: string, request: object]>([
  ['resolution', { as: 'declined', reason: 'why' }],
  ['returns', { key: 'ticket-4711', reason: 'why' }],
  ['reports', { kind: 'chargeback', case: 'CB-1', amount: '10.42', currency: 'USD' }],
  ['hold', { reason: 'why' }],
  ['hold/release', { reason: 'why' }],
  ['erasure', { reason: 'why' }],
])('reports a missing order index in a 404 response to POST /orders/{orderId}/%s', async (path, request) => {
  const answered = async () => {
    const { status, body } = await ask('POST', `/orders/pzzzzzzzzzzzzzzr/${path}`, by('admin'), request);
    return [status, JSON.parse(body) as unknown];
  };
  expect(await answered()).toStrictEqual([404, { error: 'unknown-order' }]);
  isProjected = false;
  expect(await answered()).toStrictEqual([404, { error: 'unknown-order', index: 'missing' }]);
});

describe('a query about orders', () => {
  const QUESTIONS: readonly (readonly [
    path: string,
    status: number,
    query: string,
    target: string | undefined,
    filters: string,
    rows: number,
  ])[] = [
    ['/orders/unknown', 200, 'list-unknown', undefined, '', 0],
    [`/orders/find?q=${ORDER}`, 200, 'find-orders', undefined, 'q', 1],
    [`/orders/${ORDER}`, 200, 'show-order', ORDER, '', 1],
    ['/orders/pzzzzzzzzzzzzzzr', 404, 'show-order', undefined, 'id', 0],
    ['/orders/4444333322221111', 404, 'show-order', undefined, 'id', 0],
    [`/orders/${ORDER}/deliveries`, 200, 'list-deliveries', ORDER, '', 0],
    ['/orders/pzzzzzzzzzzzzzzr/deliveries', 404, 'list-deliveries', undefined, 'id', 0],
    ['/reconciliation/cases?gate=sim-a&all=true', 200, 'list-cases', undefined, 'all,gate', 1],
  ];

  it.each(QUESTIONS)('%s is recorded in the audit log', async (path, status, query, target, filters, rows) => {
    shown = await acceptedOrder();
    expect((await ask('GET', path, by('investigator'))).status).toBe(status);
    const [asked, ...others] = await auditEvents();
    expect(others).toStrictEqual([]);
    expect(asked).toMatchObject({
      by: { actor: 'operator:one-investigator' },
      event: { type: 'OperatorQueryAnswered', data: { query, role: 'investigator', format: 'json', rows } },
    });
    const data = asked?.event.data as { readonly target?: string; readonly filters: readonly string[] };
    expect([data.target, data.filters.join()]).toStrictEqual([target, filters]);
    expect(JSON.stringify(asked)).not.toContain('4444333322221111');
  });

  it.each(QUESTIONS.map(([path]) => path))('%s returns 503 and no data if it cannot be recorded', async (path) => {
    isAway = true;
    const { status, body } = await ask('GET', path, by('investigator'));
    expect([status, JSON.parse(body)]).toStrictEqual([503, { error: 'a store does not respond, nothing was done' }]);
    isAway = false;
    expect(await auditEvents()).toStrictEqual([]);
  });

  it('is not recorded if it is malformed or concerns only the state of the process', async () => {
    expect((await ask('GET', '/orders/find?q=', by('investigator'))).status).toBe(400);
    expect((await ask('GET', '/reconciliation/cases?gate=No%20gate', by('investigator'))).status).toBe(400);
    for (const path of ['/health/live', '/health/ready', '/metrics', '/gates'])
      expect((await ask('GET', path, by('viewer'))).status).toBe(200);
    expect(await auditEvents()).toStrictEqual([]);
  });
});

it('requires a token for metrics if the setting demands one', async () => {
  await app.close();
  await start('token');
  expect((await ask('GET', '/metrics')).status).toBe(401);
  const { status, body } = await ask('GET', '/metrics', by('viewer'));
  expect([status, body]).toStrictEqual([200, expect.stringContaining('# HELP')]);
  expect((await ask('GET', '/health/ready')).status).toBe(200);
});

it.each(['GET', 'POST', 'HEAD', 'OPTIONS', 'PUT', 'DELETE'])(
  '%s returns 403 on every path for a foreign Host or a cross-site page, and the refusal is audited',
  async (method) => {
    const refused: Readonly<Record<string, string>>[] = [
      { host: 'rebound.example:8082' },
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site' },
      { origin: 'http://rebound.example' },
      { origin: 'null' },
    ];
    for (const path of ['/orders/unknown', '/health/ready', '/metrics', '/docs', '/nowhere']) {
      for (const headers of refused)
        expect([path, headers, (await ask(method, path, { ...by('admin'), ...headers })).status]).toStrictEqual([path, headers, 403]);
    }
    const causes = (await auditEvents()).map(({ event: { data } }) => 'cause' in data && data.cause);
    expect(new Set(causes)).toStrictEqual(new Set(['host', 'browser-page']));
  },
);

it('accepts a request that a user opens directly in a browser', async () => {
  expect((await ask('GET', '/metrics', { 'sec-fetch-site': 'none' })).status).toBe(200);
  expect((await ask('GET', '/health/ready', { 'sec-fetch-site': 'same-origin' })).status).toBe(200);
});

it("allows requests from the port's own documents page and returns 403 for any other origin", async () => {
  const path = '/deliveries/nothing/resend';
  const status = async (origin: string) => (await ask('POST', path, { ...by('admin'), origin }, { reason: 'x' })).status;
  expect(await status(`http://127.0.0.1:${port}`)).toBe(404);
  for (const origin of [
    'http://127.0.0.1',
    `http://localhost:${port}`,
    `ftp://127.0.0.1:${port}`,
    `http://127.0.0.1:${port}/`,
    `http://x@127.0.0.1:${port}`,
  ])
    expect([origin, await status(origin)]).toStrictEqual([origin, 403]);
  const own = { ...by('admin'), origin: `http://127.0.0.1:${port}`, 'sec-fetch-site': 'cross-site' };
  expect((await ask('POST', path, own, { reason: 'x' })).status).toBe(403);
});

it('serves the documents page and its assets, and no other file of those folders', async () => {
  const page = await ask('GET', '/docs');
  expect([page.status, page.headers['content-type']]).toStrictEqual([200, 'text/html;charset=utf-8']);
  const loaded = [...page.body.matchAll(/(?:src|href)="(docs\/[^"]+)"/g)].map(([, path]) => `/${path}`);
  expect(loaded).toHaveLength(4);
  for (const path of [...loaded, '/docs/operator.json']) expect([path, (await ask('GET', path)).status]).toStrictEqual([path, 200]);
  for (const path of ['/docs/index.html', '/docs/group-a.json', '/docs/..%2fpackage.json', '/docs/%2e%2e'])
    expect([path, (await ask('GET', path)).status]).toStrictEqual([path, 404]);
  expect(JSON.parse((await ask('GET', '/docs/operator.json')).body)).toMatchObject({ openapi: '3.1.0', servers: [{ url: '/' }] });
});

it.each(['', ' ', 'x'.repeat(257)])('returns 400 for the search text %j and states the allowed length', async (text) => {
  const { status, body } = await ask('GET', `/orders/find?q=${encodeURIComponent(text)}`, by('investigator'));
  expect([status, JSON.parse(body)]).toStrictEqual([400, { error: 'q must be an identifier of 1 to 256 characters' }]);
});

describe('an ambiguous or unread parameter', () => {
  const TWICE = 'each query parameter may occur only once';
  const NO_BODY = 'send the request as query parameters: a body is not accepted';
  const NO_NAMES = 'send the request in the body: query parameters are not accepted';
  const none = (name: string): string => `property ${name} should not exist`;

  it.each<[string, string, object | undefined, string]>([
    ['GET', '/orders/find?q=p-1&q=p-2', undefined, TWICE],
    ['GET', '/orders/find?q=p-1&limits=x', undefined, none('limits')],
    ['GET', '/orders/find?q=p-1&toString=x', undefined, none('toString')],
    ['GET', '/orders/find?q=p-1&after=', undefined, 'after must be the next of the previous page'],
    ['GET', '/reconciliation/cases?gate=sim-a&gate=sim-b', undefined, TWICE],
    ['GET', '/reconciliation/cases?all=x', undefined, 'all must be true or false'],
    ['GET', '/reconciliation/cases?gate=sim-a&status=open', undefined, none('status')],
    ['GET', '/orders/unknown?gate=sim-a', undefined, none('gate')],
    ['GET', `/orders/${ORDER}?merchant=acme`, undefined, none('merchant')],
    ['GET', `/orders/${ORDER}/deliveries?target=notify`, undefined, none('target')],
    ['GET', '/gates?alias=sim-a', undefined, none('alias')],
    ['GET', '/keys?id=1', undefined, none('id')],
    ['GET', '/audit/orders?merchant=acme', { merchant: 'zz' }, NO_BODY],
    ['GET', '/orders/find?q=p-1', { q: 'p-2' }, NO_BODY],
    ['GET', '/reconciliation/cases', { gate: 'sim-a' }, NO_BODY],
    ['GET', '/orders/unknown', { merchant: 'acme' }, NO_BODY],
    ['POST', '/audit/orders?merchant=zzz&foo=1', {}, NO_NAMES],
    ['POST', `/audit/orders/${ORDER}/reveal?merchant=zzz`, { reason: 'x' }, NO_NAMES],
    ['POST', `/orders/${ORDER}/resolution?merchant=zzz`, { as: 'declined', reason: 'x' }, NO_NAMES],
  ])('returns 400 and leaves no audit record: %s %s with %j', async (method, path, body, error) => {
    const { status, body: told } = await ask(method, path, by('admin'), body);
    expect([status, JSON.parse(told)]).toStrictEqual([400, { error }]);
    expect([await auditEvents(), resolvedBy]).toStrictEqual([[], []]);
  });

  it('accepts an empty query string and an explicit all=false', async () => {
    expect((await ask('GET', '/orders/unknown?', by('viewer'))).status).toBe(200);
    expect((await ask('GET', '/reconciliation/cases?gate=sim-a&all=false', by('investigator'))).status).toBe(200);
    expect((await ask('POST', `/streams/${STREAM}/unparking?`, by('operator'), { reason: 'x' })).status).toBe(200);
  });

  it('accepts any search text and page cursor', async () => {
    for (const text of ['4444 3333 2222 1111', ' p-1 ', DELIVERY, `p-1&after=${Buffer.from('p-1 x').toString('base64url')}`])
      expect([text, (await ask('GET', `/orders/find?q=${text.replaceAll(' ', '%20')}`, by('investigator'))).status]).toStrictEqual([
        text,
        200,
      ]);
  });
});

describe('an unknown path or method', () => {
  it.each([
    ['GET', '/nowhere'],
    ['GET', '/orders'],
    ['GET', '/orders/'],
    ['POST', '/metrics'],
    ['DELETE', '/audit'],
    ['PUT', '/orders/%zz/nothing/more'],
  ])('returns the JSON error of the operator port: %s %s', async (method, path) => {
    const { status, headers, body } = await ask(method, path, by('admin'));
    expect([status, headers['content-type'], body]).toStrictEqual([404, 'application/json;charset=utf-8', '{"error":"no such path"}\n']);
    expect(await auditEvents()).toStrictEqual([]);
  });
});

it.each(['a\u0000b', 'a\u001b[2Jb', 'a\u007fb', 'a\u0085b'])('returns 400 for a reason with a control character (%j)', async (reason) => {
  for (const path of [`/audit/orders/${ORDER}/reveal`, `/orders/${ORDER}/hold`, `/deliveries/${DELIVERY}/resend`]) {
    const { status, body } = await ask('POST', path, by('admin'), { reason });
    const error = 'reason must be a text of 1 to 1000 characters, with a word in it and no control characters';
    expect([path, status, JSON.parse(body)]).toStrictEqual([path, 400, { error }]);
  }
  expect(await auditEvents()).toStrictEqual([]);
});

it('accepts a reason with several lines', async () => {
  const { status } = await ask('POST', `/deliveries/${DELIVERY}/resend`, by('admin'), { reason: 'first:\tthe shop lost it\r\nsecond' });
  expect(status).toBe(404);
});

it.each([
  ['POST', '/orders/unknown', 'GET'],
  ['POST', '/orders/find', 'GET'],
  ['DELETE', `/orders/${ORDER}`, 'GET'],
  ['PUT', `/orders/${ORDER}/deliveries`, 'GET'],
  ['GET', `/orders/${ORDER}/resolution`, 'POST'],
  ['PUT', `/deliveries/${DELIVERY}/resend`, 'POST'],
  ['GET', `/streams/${STREAM}/unparking`, 'POST'],
  ['GET', `/orders/${ORDER}/reports`, 'POST'],
  ['GET', '/routes/explanation', 'POST'],
  ['DELETE', '/gates', 'GET'],
])('returns 405 with the allowed method for %s %s', async (method, path, allowed) => {
  const { status, headers, body } = await ask(method, path, by('admin'));
  expect([status, headers['allow'], headers['content-type'], body]).toStrictEqual([
    405,
    allowed,
    'application/json;charset=utf-8',
    '{"error":"method not allowed"}\n',
  ]);
  expect(await auditEvents()).toStrictEqual([]);
});

it('unparks a stream only with a reason, which is recorded sealed with the action', async () => {
  for (const body of [{}, { reason: ' ' }])
    expect((await ask('POST', `/streams/${STREAM}/unparking`, by('operator'), body)).status).toBe(400);
  expect(await auditEvents()).toStrictEqual([]);
  await ask('POST', `/streams/${STREAM}/unparking`, by('operator'), { reason: 'the upgrade is finished' });
  expect((await auditEvents())[0]?.event).toMatchObject({
    type: 'OperatorActionBegun',
    data: { action: 'unpark-stream', target: STREAM, reason: ' | action-reason | the upgrade is finished' },
  });
});

it('allows each role its requests and names request and role in a refusal', async () => {
  const statuses = async (role: OperatorRole): Promise<readonly number[]> => [
    (await ask('GET', '/orders/unknown', by(role))).status,
    (await ask('GET', '/orders/find?q=x', by(role))).status,
    (await ask('POST', `/orders/${ORDER}/resolution`, by(role), { as: 'declined', reason: 'x' })).status,
    (await ask('POST', `/streams/${STREAM}/unparking`, by(role), { reason: 'x' })).status,
  ];
  expect(await statuses('viewer')).toStrictEqual([200, 403, 403, 403]);
  expect(await statuses('investigator')).toStrictEqual([200, 200, 403, 403]);
  expect(await statuses('operator')).toStrictEqual([200, 200, 409, 200]);
  expect(await statuses('admin')).toStrictEqual([200, 200, 409, 200]);
  const { body } = await ask('POST', `/streams/${STREAM}/unparking`, by('investigator'), { reason: 'x' });
  expect(JSON.parse(body)).toStrictEqual({ error: 'unpark-stream needs the role operator, and this operator has investigator' });
});

it.each([
  ['/gates/sim-a/hold', 200, { isHeld: true, isChanged: true }],
  ['/gates/sim-a/hold/release', 200, { isHeld: false, isChanged: false }],
  ['/gates/gone/hold', 404, { error: 'no gate has this alias' }],
  ['/endpoints/1001/hold', 200, { isHeld: true, isChanged: true }],
  ['/endpoints/1001/hold/release', 200, { isHeld: false, isChanged: false }],
  ['/endpoints/gone/hold/release', 404, { error: 'no entry point has this id' }],
])('POST %s needs the role operator and a reason, and returns %i', async (path, status, answer) => {
  const message = { reason: 'outage' };
  expect((await ask('POST', path, by('investigator'), message)).status).toBe(403);
  expect((await ask('POST', path, by('operator'), {})).status).toBe(400);
  const { status: given, body } = await ask('POST', path, by('operator'), message);
  expect([given, JSON.parse(body)]).toStrictEqual([status, answer]);
});

it('GET /holds lists the holds to a viewer', async () => {
  const { status, body } = await ask('GET', '/holds', by('viewer'));
  expect([status, JSON.parse(body)]).toStrictEqual([200, { holds: [] }]);
});

it('returns the state of the gates to a viewer', async () => {
  const { status, body } = await ask('GET', '/gates', by('viewer'));
  expect([status, JSON.parse(body)]).toStrictEqual([200, { gates: [{ alias: 'sim-a' }] }]);
});

describe('a request to explain a route', () => {
  const question = { endpoint: '1001', amount: '10.00' };
  const asked = (changes: object) => ask('POST', '/routes/explanation', by('viewer'), { ...question, ...changes });

  it('defaults to a sale and is not audited', async () => {
    explained = (read) => ({ reason: 'refused', why: JSON.stringify(read) });
    const { status, body } = await asked({ bin: '444433' });
    const why = JSON.stringify({ operation: 'sale', endpoint: '1001', amount: '10.00', bin: '444433' });
    expect([status, JSON.parse(body)]).toStrictEqual([409, { error: `no such order would be accepted: ${why}` }]);
    expect(await auditEvents()).toStrictEqual([]);
  });

  it.each<[RouteAnswer, number, object]>([
    [{ reason: 'explained', explanation: { rule: 'default' } as never }, 200, { rule: 'default' }],
    [{ reason: 'unknown-endpoint' }, 404, { error: 'no entry point and no group has this id' }],
    [{ reason: 'malformed-amount' }, 400, { error: 'amount must be in major units, such as "10.00"' }],
  ])('returns the result of the service: %j', async (answer, expected, told) => {
    explained = () => answer;
    const { status, body } = await asked({});
    expect([status, JSON.parse(body)]).toStrictEqual([expected, told]);
  });

  it.each<[object, string]>([
    [{ bin: '4444333322221111' }, 'bin must be the first six digits of a card number, and no more'],
    [{ bin: '44443' }, 'bin must be the first six digits of a card number, and no more'],
    [{ amount: '10,00' }, 'amount must be in major units, such as "10.00"'],
    [{ amount: 10 }, 'amount must be in major units, such as "10.00"'],
    [{ endpoint: 'acme' }, 'endpoint must be the id of an entry point or of a group'],
    [{ at: '24.11.2026' }, 'at must be a time with Z or an offset, such as 2026-11-24T08:30:00Z'],
    [{ at: '2026-11-24T08:30' }, 'at must be a time with Z or an offset, such as 2026-11-24T08:30:00Z'],
    [{ country: 'Germany' }, 'country must be three upper-case letters'],
    [{ currency: null }, 'currency must be three upper-case letters'],
    [{ operation: 'refund' }, 'operation must be one of sale, preauth, account-verification, transfer'],
    [{ customer: '' }, 'customer must be an e-mail address'],
    [{ card: '1' }, 'members are endpoint, amount, operation, currency, bin, country, at, customer'],
  ])('returns 400 with the faulty member: %j', async (changes, error) => {
    const { status, body } = await asked(changes);
    expect([status, JSON.parse(body)]).toStrictEqual([400, { error }]);
  });
});

describe('a dispute report entered on the operator port', () => {
  const report = { kind: 'chargeback', case: 'CB-1', amount: '10.42', currency: 'USD' };
  const reported = (changes: object = {}, role: OperatorRole = 'operator') =>
    ask('POST', `/orders/${ORDER}/reports`, by(role), { ...report, ...changes });

  it("requires the operator role, is recorded for the token's operator and is audited", async () => {
    const brought: unknown[] = [];
    onReport = async (read, actor) => {
      brought.push(read, actor);
      return { kind: 'refused', reason: 'more-than-taken' };
    };
    expect((await reported({}, 'investigator')).status).toBe(403);
    const { status, body } = await reported({ actor: 'kim' });
    expect([status, JSON.parse(body)]).toStrictEqual([409, { error: 'more-than-taken' }]);
    expect(brought).toStrictEqual([
      { kind: 'chargeback', reportId: 'CB-1', source: 'operator', amount: { minor: 1_042n, currency: 'USD' } },
      { actor: 'operator:one-operator', claimedActor: 'kim' },
    ]);
    expect((await auditEvents()).map(({ event }) => event).slice(1)).toMatchObject([
      { data: { action: 'record-report', target: ORDER } },
      { data: { outcome: 'refused' } },
    ]);
  });

  it('returns 202 with the cause if it is set aside, and is audited as done', async () => {
    onReport = async () => ({ kind: 'set-aside', cause: 'other-gate' });
    const { status, body } = await reported({ gate: 'sim-a' });
    expect([status, JSON.parse(body)]).toStrictEqual([202, { setAside: 'other-gate' }]);
    expect((await auditEvents()).map(({ event }) => event)).toMatchObject([{}, { data: { outcome: 'done' } }]);
  });

  it('returns 404 for an unknown order', async () => {
    const { status, body } = await ask('POST', '/orders/pzzzzzzzzzzzzzzr/reports', by('operator'), report);
    expect([status, JSON.parse(body)]).toStrictEqual([404, { error: 'unknown-order' }]);
    expect((await ask('POST', '/orders/4444333322221111/reports', by('operator'), report)).status).toBe(404);
  });

  it.each<[object, string]>([
    [{ kind: 'refund' }, 'kind must be one of reversal, chargeback, representment, fraud-warning'],
    [{ case: 'CB 1' }, 'case must be the gate’s id of it, 1 to 64 printable characters without blanks'],
    [{ case: '' }, 'case must be the gate’s id of it, 1 to 64 printable characters without blanks'],
    [{ case: 'x'.repeat(65) }, 'case must be the gate’s id of it, 1 to 64 printable characters without blanks'],
    [{ case: '4444333322221111' }, 'case must not contain what looks like a card number'],
    [{ amount: '10,42' }, 'amount must be in major units, such as "10.00"'],
    [{ amount: 10.42 }, 'amount must be in major units, such as "10.00"'],
    [{ amount: '-1.00' }, 'amount must be in major units, such as "10.00"'],
    [{ amount: '0.00' }, 'amount must be above zero'],
    [{ currency: 'usd' }, 'currency must be three upper-case letters'],
    [{ currency: undefined }, 'amount and currency must be given together'],
    [{ reasonCode: 'a b' }, 'reasonCode must be the card scheme’s, such as "10.4"'],
    [{ stage: 'third' }, 'stage must be one of first, second, arbitration'],
    [{ outcome: 'drawn' }, 'outcome must be one of won, lost'],
    [{ outcome: 'won' }, 'a chargeback has no outcome'],
    [{ date: '24.11.2026' }, 'date must be a day, such as 2026-11-24'],
    [{ date: '2023-02-29' }, 'date is not a calendar day'],
    [{ gate: 'Sim A' }, 'gate must be the alias of a gate'],
    [{ merchant: '1' }, 'merchant must be a login'],
    [{ card: '1' }, 'members are kind, case, amount, currency, reasonCode, stage, outcome, date, respondBy, gate, merchant, actor'],
  ])('returns 400 with the faulty member and records nothing: %j', async (changes, error) => {
    const { status, body } = await reported(changes);
    const { error: told } = JSON.parse(body) as { error: string };
    if (error.startsWith('members are')) expect([status, told.split(/[ ,]+/).sort()]).toStrictEqual([400, error.split(/[ ,]+/).sort()]);
    else expect([status, told]).toStrictEqual([400, error]);
    expect(await auditEvents()).toStrictEqual([]);
  });
});

describe('an operator action', () => {
  const resolution = { as: 'declined', reason: 'told by telephone' };

  it("is recorded for the token's operator with the claimed actor", async () => {
    await ask('POST', `/orders/${ORDER}/resolution`, by('operator'), { ...resolution, actor: 'one-admin' });
    await ask('POST', `/orders/${ORDER}/resolution`, by('operator'), resolution);
    expect(resolvedBy).toStrictEqual([{ actor: 'operator:one-operator', claimedActor: 'one-admin' }, { actor: 'operator:one-operator' }]);
    const recorded = await auditEvents();
    expect(recorded.map(({ by: { actor, claimedActor }, event }) => [actor, claimedActor, event.type])).toStrictEqual([
      ['operator:one-operator', 'one-admin', 'OperatorActionBegun'],
      ['operator:one-operator', 'one-admin', 'OperatorActionEnded'],
      ['operator:one-operator', undefined, 'OperatorActionBegun'],
      ['operator:one-operator', undefined, 'OperatorActionEnded'],
    ]);
    expect(recorded[0]?.event.data).toMatchObject({ action: 'settle-unknown', role: 'operator', target: ORDER });
  });

  it.each(['actor', 'merchant', 'followUp'])('returns 400 and records nothing if %s is null', async (name) => {
    const { status, body } = await ask('POST', `/orders/${ORDER}/resolution`, by('operator'), { ...resolution, [name]: null });
    expect([status, JSON.parse(body)]).toStrictEqual([400, { error: expect.stringContaining(`${name} must be`) }]);
    expect(await auditEvents()).toStrictEqual([]);
  });

  it.each([
    ['refused', async () => ({ reason: 'nothing-to-resolve' as const }), 409],
    ['failed', () => Promise.reject(new StoreUnavailable('away')), 503],
    ['unknown', () => Promise.reject(new OutcomeUnknown('lost')), 504],
    ['failed', () => Promise.reject(new Error('a bug')), 500],
  ])('is audited with its outcome: %s', async (outcome, run, status) => {
    onResolve = run;
    expect((await ask('POST', `/orders/${ORDER}/resolution`, by('admin'), resolution)).status).toBe(status);
    expect((await auditEvents()).map(({ event }) => event)).toMatchObject([{ type: 'OperatorActionBegun' }, { data: { outcome } }]);
  });

  it('returns 409 if the outcome to resolve is already known', async () => {
    const { status, body } = await ask('POST', `/orders/${ORDER}/resolution`, by('operator'), resolution);
    expect([status, JSON.parse(body)]).toStrictEqual([409, { error: 'nothing-to-resolve' }]);
    expect((await auditEvents())[0]?.event.data).toMatchObject({ action: 'settle-unknown', target: ORDER });
  });

  it('returns 503 and is not executed if it cannot be audited', async () => {
    await log.close();
    expect((await ask('POST', `/orders/${ORDER}/resolution`, by('admin'), resolution)).status).toBe(503);
    expect(resolvedBy).toStrictEqual([]);
  });

  it('returns 404 for an impossible identifier and does not record the identifier', async () => {
    for (const path of ['/orders/4444333322221111/resolution', '/orders/%zz/resolution', '/deliveries/4444333322221111/resend']) {
      expect((await ask('POST', path, by('admin'), path.includes('orders') ? resolution : { reason: 'x' })).status).toBe(404);
    }
    expect((await ask('POST', '/streams/payment-4444333322221111/unparking', by('admin'), { reason: 'x' })).status).toBe(404);
    expect(await auditEvents()).toStrictEqual([]);
  });
});

it.each<[string, string, object | undefined]>([
  ['GET', '/orders/find?q=never', undefined],
  ['GET', '/reconciliation/cases', undefined],
  ['POST', '/reconciliation/inquiries', { gate: 'sim-a', from: 0, before: 1 }],
])('cancels the work of %s %s once the caller disconnects', async (method, path, body) => {
  const text = JSON.stringify(body ?? {});
  const headers = { ...by('admin'), ...(body && { 'content-type': 'application/json', 'content-length': String(text.length) }) };
  const sent = httpRequest({ port, host: '127.0.0.1', method, path, headers, agent: false });
  sent.on('error', () => undefined).end(body && text);
  await eventually(() => Promise.resolve(waiting.length === 1));
  expect(waiting.map(({ isOver }) => isOver)).toStrictEqual([false]);
  sent.destroy();
  await eventually(() => Promise.resolve(waiting.every(({ isOver }) => isOver)));
});
