import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { RequestMethod, type INestApplication, type Type } from '@nestjs/common';
import { METHOD_METADATA, PATH_METADATA } from '@nestjs/common/constants';
import { NestFactory } from '@nestjs/core';
import type { ClientOrderId, MerchantLogin } from '@app/kernel';
import {
  configurationFrom,
  newOperatorToken,
  OPERATOR_ROLES,
  packageRoot,
  readEnvironment,
  sha256OfToken,
  type OperatorRole,
} from '@app/configuration';
import { GATE_ADAPTERS } from '@app/gateway-adapters/registry';
import { LimitedExpressAdapter, PlainExceptionFilter, ServiceLog } from '@app/http/server';
import type { OperatorRequestName } from '@app/investigation';
import { paymentStream } from '@app/payment';
import type { ReadModel } from '@app/read-models';
import { READ_MODEL } from '@app/read-models/read-models.tokens';
import { ConsoleController } from '../../apps/orchestrator/src/operator/console.controller';
import { MetricsController } from '../../apps/orchestrator/src/operator/metrics.controller';
import { OPERATOR_CONTROLLERS } from '../../apps/orchestrator/src/operator/operator-methods.controller';
import { OperatorPortModule } from '../../apps/orchestrator/src/operator/operator-port.module';
import { requestNameOf } from '../../apps/orchestrator/src/operator/operator.guard';
import { openApp } from '../../apps/orchestrator/src/testing/opened-app';
import { HttpClient, type HttpAnswer } from '../support/http/http-client';
import { Merchant, type Accepted } from '../support/merchants/merchant';
import { OTHER_CONTROL_KEY, sandboxConfiguration } from '../support/processes/sandbox-configuration';
import { until } from '../support/until';

jest.setTimeout(120_000);

/** An order of a merchant, and what belongs to it. */
interface Belongings {
  readonly merchant: string;
  readonly endpoint: string;
  readonly orderId: string;
  readonly clientOrderId: string;
  readonly stream: string;
  readonly cardRefId: string;
  readonly deliveryId: string;
  readonly caseId: string;
  readonly approvalId: string;
}

type Ask = readonly [method: 'GET' | 'POST' | 'DELETE', path: string, body?: object];

type Row = { readonly least: OperatorRole } & (
  | {
      /** About one order: another merchant's is answered like one that does not exist. */
      readonly of: (one: Belongings) => Ask;
      /** One of these, if it depends on the time. */
      readonly own: number | readonly number[];
      readonly other: number;
    }
  | {
      /** A list: it contains this text of the own order, and nothing of another merchant's. */
      readonly list: Ask;
      readonly shows: (one: Belongings) => string;
    }
  /** About the session, the log or the read models, and reveals no order. */
  | { readonly open: Ask }
  /** About the whole service: refused to an operator limited to merchants. */
  | { readonly whole: Ask; readonly status: number }
);

const BECAUSE = { reason: 'ticket 4711' };
const LONG_AGO = '2020-01-01T00:00Z';
const LATER = '2099-01-01T00:00Z';
const FOUND_BY_REPORT = '/orders/find?q=fraud-warning';
const order = (path: string) => `/audit/orders/${path}`;

/** Each request of the operator port. A new one needs a row: the answer to an operator who is limited to merchants. */
const MATRIX: Readonly<Record<OperatorRequestName, Row>> = {
  'list-unknown': { least: 'viewer', list: ['GET', '/orders/unknown'], shows: () => '' },
  'sign-in': { least: 'viewer', open: ['POST', '/session', { token: '' }] },
  'sign-out': { least: 'viewer', open: ['DELETE', '/session'] },
  'show-session': { least: 'viewer', open: ['GET', '/session'] },
  'end-sessions': { least: 'admin', whole: ['POST', '/sessions/nobody/ending', BECAUSE], status: 404 },
  'read-metrics': { least: 'viewer', whole: ['GET', '/metrics'], status: 200 },
  'list-gates': { least: 'viewer', list: ['GET', '/gates'], shows: ({ merchant }) => `sim-of-${merchant}` },
  'explain-route': {
    least: 'viewer',
    of: ({ endpoint }) => ['POST', '/routes/explanation', { endpoint, amount: '10.00' }],
    own: 200,
    other: 404,
  },
  'find-orders': { least: 'investigator', list: ['GET', FOUND_BY_REPORT], shows: ({ orderId }) => orderId },
  'show-order': { least: 'investigator', of: ({ orderId }) => ['GET', `/orders/${orderId}`], own: 200, other: 404 },
  'list-deliveries': { least: 'investigator', of: ({ orderId }) => ['GET', `/orders/${orderId}/deliveries`], own: 200, other: 404 },
  'find-deliveries': { least: 'viewer', list: ['GET', '/deliveries'], shows: ({ deliveryId }) => deliveryId },
  'list-activity': { least: 'investigator', list: ['GET', '/activity?person=one-admin&kind=action'], shows: ({ orderId }) => orderId },
  'list-disputes': { least: 'viewer', list: ['GET', '/disputes'], shows: () => '' },
  'show-overview': { least: 'viewer', open: ['GET', '/overview'] },
  'list-parked': { least: 'viewer', whole: ['GET', '/streams/parked'], status: 200 },
  'list-projections': { least: 'viewer', open: ['GET', '/projections'] },
  'preview-retention': { least: 'viewer', list: ['GET', '/retention/preview'], shows: () => '' },
  'list-cases': { least: 'investigator', list: ['GET', '/reconciliation/cases'], shows: ({ caseId }) => caseId },
  'list-orders': { least: 'investigator', list: ['GET', '/audit/orders?limit=500'], shows: ({ orderId }) => orderId },
  'search-orders': {
    least: 'investigator',
    list: ['POST', '/audit/orders', { email: 'john.smith@example.com' }],
    shows: ({ orderId }) => orderId,
  },
  'show-order-as-of': { least: 'investigator', of: ({ orderId }) => ['GET', order(`${orderId}/state`)], own: 200, other: 404 },
  'diff-order': {
    least: 'investigator',
    of: ({ orderId }) => ['GET', order(`${orderId}/diff?from=0&to=1`)],
    own: 200,
    other: 404,
  },
  'explain-order': { least: 'investigator', of: ({ orderId }) => ['GET', order(`${orderId}/why?field=status`)], own: 200, other: 404 },
  'list-unknown-as-of': { least: 'investigator', list: ['GET', order(`unknown?knownAt=${LATER}`)], shows: () => '' },
  'order-steps': { least: 'investigator', of: ({ orderId }) => ['GET', order(`${orderId}/steps`)], own: 200, other: 404 },
  // Refused by its position, because the feed does not end. Its own spec tests the merchants.
  'read-feed': { least: 'viewer', open: ['GET', '/feed?from=nowhere'] },
  'case-effect': { least: 'investigator', of: ({ caseId }) => ['GET', `/reconciliation/cases/${caseId}/effect`], own: 200, other: 404 },
  // Their own spec has runs of several merchants.
  'start-what-if': { least: 'investigator', open: ['POST', '/what-ifs', { rules: 'none' }] },
  'stop-what-if': { least: 'investigator', open: ['POST', '/what-ifs/none/stopping', {}] },
  'list-what-ifs': { least: 'investigator', open: ['GET', '/what-ifs'] },
  'show-what-if': { least: 'investigator', open: ['GET', '/what-ifs/none'] },
  'what-if-orders': { least: 'investigator', open: ['GET', '/what-ifs/none/orders'] },
  'show-event': { least: 'investigator', of: ({ stream }) => ['GET', `/audit/events/${stream}/0`], own: 200, other: 404 },
  'show-log': { least: 'viewer', open: ['GET', '/log'] },
  'list-checkpoints': { least: 'viewer', open: ['GET', '/log/checkpoints'] },
  'prove-consistency': { least: 'viewer', open: ['GET', '/log/consistency?from=1'] },
  'prove-event': {
    least: 'investigator',
    of: ({ stream }) => ['GET', `/log/proofs?stream=${stream}&revision=0`],
    own: [200, 409],
    other: 404,
  },
  'list-holds': { least: 'viewer', list: ['GET', '/holds'], shows: () => '' },
  'hold-gate': { least: 'operator', whole: ['POST', '/gates/no-gate/hold', BECAUSE], status: 404 },
  'release-gate': { least: 'operator', whole: ['POST', '/gates/no-gate/hold/release', BECAUSE], status: 404 },
  'hold-endpoint': { least: 'operator', of: ({ endpoint }) => ['POST', `/endpoints/${endpoint}/hold`, BECAUSE], own: 200, other: 404 },
  'release-endpoint': {
    least: 'operator',
    of: ({ endpoint }) => ['POST', `/endpoints/${endpoint}/hold/release`, BECAUSE],
    own: 200,
    other: 404,
  },
  'order-trail': { least: 'investigator', of: ({ clientOrderId }) => ['GET', order(clientOrderId)], own: 200, other: 404 },
  'reveal-order': {
    least: 'investigator',
    of: ({ orderId, merchant }) => ['POST', order(`${orderId}/reveal`), { ...BECAUSE, merchant }],
    own: 200,
    other: 404,
  },
  'order-evidence': {
    least: 'investigator',
    // Refused later than an unknown order is: it did not exist then.
    of: ({ orderId }) => ['POST', order(`${orderId}/evidence`), { ...BECAUSE, at: LONG_AGO }],
    own: 400,
    other: 404,
  },
  'configuration-in-force': { least: 'investigator', whole: ['GET', '/audit/configuration'], status: 200 },
  'configuration-status': { least: 'viewer', whole: ['GET', '/configuration/status'], status: 200 },
  'configuration-forecast': { least: 'investigator', whole: ['GET', '/configuration/forecast'], status: 404 },
  'check-configuration': { least: 'operator', whole: ['GET', '/configuration/check'], status: 200 },
  'apply-configuration': {
    least: 'admin',
    whole: ['POST', '/configuration/apply', { ...BECAUSE, digest: '0'.repeat(64) }],
    status: 409,
  },
  'list-keys': { least: 'operator', whole: ['GET', '/keys'], status: 200 },
  'settle-unknown': {
    least: 'operator',
    of: ({ orderId, merchant }) => ['POST', `/orders/${orderId}/resolution`, { ...BECAUSE, as: 'declined', merchant }],
    own: 409,
    other: 404,
  },
  'record-report': {
    least: 'operator',
    of: ({ orderId }) => ['POST', `/orders/${orderId}/reports`, { kind: 'fraud-warning', case: 'F-1', actor: 'kim' }],
    own: 200,
    other: 404,
  },
  'resend-delivery': {
    least: 'operator',
    of: ({ deliveryId }) => ['POST', `/deliveries/${encodeURIComponent(deliveryId)}/resend`, BECAUSE],
    own: 202,
    other: 404,
  },
  // What was not counted before is refused alike for every merchant.
  'resend-deliveries': {
    least: 'operator',
    of: ({ merchant }) => ['POST', '/deliveries/resending', { ...BECAUSE, merchant, token: `1.${'a'.repeat(64)}` }],
    own: 409,
    other: 409,
  },
  'unpark-stream': { least: 'operator', of: ({ stream }) => ['POST', `/streams/${stream}/unparking`, BECAUSE], own: 200, other: 404 },
  'open-cases': {
    least: 'operator',
    whole: [
      'POST',
      '/reconciliation/cases',
      { gate: 'no-gate', source: 'file', cases: [{ kind: 'missing-here', original: 'x', operation: 'sale', differences: [] }] },
    ],
    status: 404,
  },
  'close-case': {
    least: 'operator',
    of: ({ caseId }) => ['POST', `/reconciliation/cases/${caseId}/closing`, BECAUSE],
    own: 200,
    other: 404,
  },
  'apply-case': {
    least: 'admin',
    of: ({ caseId }) => ['POST', `/reconciliation/cases/${caseId}/application`, BECAUSE],
    own: 409,
    other: 404,
  },
  'inquire-gate': { least: 'operator', whole: ['POST', '/reconciliation/inquiries', { gate: 'no-gate', from: 0, before: 1 }], status: 404 },
  'return-order': {
    least: 'operator',
    of: ({ orderId }) => ['POST', `/orders/${orderId}/returns`, { ...BECAUSE, key: 'ticket-1', amount: '1.00' }],
    own: 200,
    other: 404,
  },
  'capture-order': {
    least: 'operator',
    of: ({ orderId }) => ['POST', `/orders/${orderId}/captures`, { ...BECAUSE, key: 'ticket-2' }],
    own: 409,
    other: 404,
  },
  'void-order': {
    least: 'operator',
    of: ({ orderId }) => ['POST', `/orders/${orderId}/voids`, { ...BECAUSE, key: 'ticket-3' }],
    own: 409,
    other: 404,
  },
  'list-approvals': { least: 'investigator', list: ['GET', '/approvals'], shows: ({ approvalId }) => approvalId },
  'show-approval': { least: 'investigator', of: ({ approvalId }) => ['GET', `/approvals/${approvalId}`], own: 200, other: 404 },
  // The order has changed since the proposal.
  'approve-action': { least: 'operator', of: ({ approvalId }) => ['POST', `/approvals/${approvalId}/approving`, {}], own: 409, other: 404 },
  'reject-action': {
    least: 'operator',
    of: ({ approvalId }) => ['POST', `/approvals/${approvalId}/rejecting`, BECAUSE],
    own: 409,
    other: 404,
  },
  'execute-action': { least: 'operator', of: ({ approvalId }) => ['POST', `/approvals/${approvalId}/execution`, {}], own: 409, other: 404 },
  'place-hold': { least: 'operator', of: ({ orderId }) => ['POST', `/orders/${orderId}/hold`, BECAUSE], own: 200, other: 404 },
  'release-hold': { least: 'admin', of: ({ orderId }) => ['POST', `/orders/${orderId}/hold/release`, BECAUSE], own: 200, other: 404 },
  'find-customer': {
    least: 'admin',
    of: ({ merchant }) => ['POST', '/customers/orders', { merchant, customer: 'john.smith@example.com' }],
    own: 200,
    other: 404,
  },
  // 409 while the return of another row is under way.
  'erase-card': {
    least: 'admin',
    of: ({ cardRefId }) => ['POST', `/card-references/${cardRefId}/erasure`, BECAUSE],
    own: [200, 409],
    other: 404,
  },
  'erase-order': {
    least: 'admin',
    of: ({ orderId, merchant }) => ['POST', `/orders/${orderId}/erasure`, { ...BECAUSE, merchant, endsReferences: true }],
    own: [200, 409],
    other: 404,
  },
};
const asks = (row: Row): ((one: Belongings) => Ask) => {
  if ('of' in row) return row.of;
  return () => ('list' in row ? row.list : 'open' in row ? row.open : row.whole);
};
const ROWS = Object.entries(MATRIX) as [OperatorRequestName, Row][];

const TOKENS = Object.fromEntries(OPERATOR_ROLES.map((role) => [role, newOperatorToken()])) as Record<OperatorRole, string>;
const LIMITED = newOperatorToken();
const OPERATORS = [
  ...OPERATOR_ROLES.map((role) => ({ name: `one-${role}`, role, tokenSha256: sha256OfToken(TOKENS[role]) })),
  { name: 'limited', role: 'admin', tokenSha256: sha256OfToken(LIMITED), merchants: ['acme'] },
];

const folder = mkdtempSync(join(tmpdir(), 'operator-merchants-'));
let app: INestApplication;
let operatorPort: INestApplication;
let client: HttpClient;
let operators: HttpClient;
let shop: Server;
let acme: Merchant;
let other: Merchant;
let own: Belongings;
/** Changed by the actions. */
let spent: Belongings;
let others: Belongings;
let nowhere: Belongings;

const listening = async (server: INestApplication): Promise<HttpClient> => {
  await server.listen(0, '127.0.0.1');
  const { port } = (server.getHttpServer() as Server).address() as AddressInfo;
  return new HttpClient(() => `http://127.0.0.1:${port}`);
};

/** Without the note that the index is behind the log, which any new event may cause. */
const ask = async ([method, path, body]: Ask, token: string): Promise<HttpAnswer> => {
  const answer = await operators.request(path, {
    method,
    headers: { authorization: `Bearer ${token}`, ...(body !== undefined && { 'content-type': 'application/json' }) },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  return { ...answer, body: answer.body.replace(',"index":"behind"', '') };
};
const json = async <Body>(asked: Ask): Promise<Body> => JSON.parse((await ask(asked, TOKENS.admin)).body) as Body;

const belongingsOf = async (merchant: Merchant, { clientOrderId, orderId }: Accepted, cardRefId: string): Promise<Belongings> => {
  const { deliveries } = await until(
    async () => {
      // Not found until the order is in the index.
      const { deliveries = [] } = await json<{ deliveries?: { deliveryId: string }[] }>(['GET', `/orders/${orderId}/deliveries`]);
      return deliveries.length > 0 ? { deliveries } : undefined;
    },
    { what: 'a delivery' },
  );
  const found = { kind: 'missing-there', original: `key of ${clientOrderId}`, operation: 'sale', differences: [] };
  const about = { gate: 'sim-a', source: 'file', cases: [{ ...found, order: { orderId, merchant: merchant.login } }] };
  const { approval } = await json<{ approval: { approvalId: string } }>([
    'POST',
    `/orders/${orderId}/returns`,
    { ...BECAUSE, key: 'ticket-0', amount: '2.00' },
  ]);
  const { cases } = await json<{ cases: { caseId: string }[] }>(['POST', '/reconciliation/cases', about]);
  return {
    merchant: merchant.login,
    endpoint: merchant.at,
    orderId,
    clientOrderId,
    stream: paymentStream(merchant.login as MerchantLogin, clientOrderId as ClientOrderId),
    cardRefId,
    deliveryId: deliveries[0]?.deliveryId ?? '',
    caseId: cases[0]?.caseId ?? '',
    approvalId: approval.approvalId,
  };
};

beforeAll(async () => {
  shop = createServer((_request, response) => response.end('OK')).listen(0, '127.0.0.1');
  await once(shop, 'listening');
  const { port } = shop.address() as AddressInfo;
  const environment = readEnvironment({ DATA_DIR: folder, OPERATOR_METRICS: 'token' }, packageRoot());
  const endpoint = (id: string, gate: string) => ({ id, currency: 'USD', gates: ['sim-a', gate] });
  const gates = ['sim-of-acme', 'sim-of-other'].map((alias) => ({ alias, adapter: 'simulator', currencies: ['USD'] }));
  const whole = { operators: OPERATORS, approvals: { refund: { from: '2.00 USD' } } };
  const configured = sandboxConfiguration({
    ports: [port],
    gates,
    whole,
    acme: { endpoints: [endpoint('1001', 'sim-of-acme')], groups: [] },
  });
  const { merchants } = configured as { merchants: { login: string; endpoints: object[] }[] };
  for (const entry of merchants) if (entry.login === 'other') entry.endpoints = [endpoint('9001', 'sim-of-other')];
  const { app: service } = await openApp(
    environment,
    configurationFrom(JSON.stringify(configured), { source: 'the test', folder: resolve('.'), environment: {}, adapters: GATE_ADAPTERS }),
  );
  const quiet = { bodyParser: false, logger: false } as const;
  app = service.createNestApplication(new LimitedExpressAdapter(), quiet);
  app.setGlobalPrefix('paynet');
  client = await listening(app);
  operatorPort = await NestFactory.create(OperatorPortModule.over(service), new LimitedExpressAdapter(), { ...quiet, abortOnError: false });
  for (const one of [app, operatorPort]) one.useGlobalFilters(new PlainExceptionFilter(new ServiceLog('silent')));
  operators = await listening(operatorPort);
  acme = new Merchant(client);
  other = new Merchant(client, { login: 'other', controlKey: OTHER_CONTROL_KEY, at: '9001' });
  const made = async (merchant: Merchant): Promise<Belongings> => {
    const called = { server_callback_url: `http://127.0.0.1:${port}/`, email: 'john.smith@example.com' };
    const sale = await merchant.approvedSale(called);
    const { 'card-ref-id': cardRefId = '' } = (await merchant.createCardRef(sale)).fields;
    const isFound = async () => ((await ask(['GET', `/orders/${sale.orderId}`], TOKENS.admin)).status === 200 ? true : undefined);
    await until(isFound, { what: 'the order in the index' });
    const report = await ask(['POST', `/orders/${sale.orderId}/reports`, { kind: 'fraud-warning', case: 'F-0' }], TOKENS.admin);
    expect(report.status).toBe(200);
    return belongingsOf(merchant, sale, cardRefId);
  };
  own = await made(acme);
  spent = await made(acme);
  others = await made(other);
  nowhere = {
    merchant: 'nobody',
    endpoint: '7777',
    orderId: '1999999999',
    clientOrderId: 'no-such-order',
    stream: paymentStream('nobody' as MerchantLogin, 'no-such-order' as ClientOrderId),
    cardRefId: `${own.cardRefId.slice(0, -3)}${own.cardRefId.endsWith('222') ? '333' : '222'}`,
    deliveryId: `00000000-0000-5000-8000-000000000000:callback`,
    caseId: `${own.caseId.slice(0, -4)}aaaa`,
    approvalId: `${own.approvalId.slice(0, -4)}aaaa`,
  };
  const readModel = service.get<ReadModel>(READ_MODEL, { strict: false });
  jest.spyOn(readModel, 'rebuildStream').mockResolvedValue({ applied: ['order-status'], stillParked: [] });
  const isListed = async () => ((await ask(['GET', FOUND_BY_REPORT], TOKENS.admin)).body.includes(others.orderId) ? true : undefined);
  await until(isListed, { what: 'the last report in the index' });
}, 60_000);
afterAll(async () => {
  await operatorPort.close();
  await app.close();
  for (const one of [client, operators]) await one.close();
  shop.close();
  rmSync(folder, { recursive: true, force: true });
});

it('the matrix has a row for each route of the operator port, and each row is a route', () => {
  const routes = [...OPERATOR_CONTROLLERS, MetricsController].flatMap((controller: Type<object>) =>
    Object.values(Object.getOwnPropertyDescriptors(controller.prototype as object)).flatMap(({ value }) => {
      const method = Reflect.getMetadata(METHOD_METADATA, value as object) as RequestMethod | undefined;
      if (method === undefined) return [];
      const parts = [controller, value as object].map((part) => String(Reflect.getMetadata(PATH_METADATA, part)));
      const path = parts.filter((part) => part !== '' && part !== '/').join('/');
      const isBeforeSignIn = /^(installation$|oidc)/.test(String(Reflect.getMetadata(PATH_METADATA, value as object)));
      if (isBeforeSignIn || controller === ConsoleController) return [];
      return [{ name: requestNameOf(value as object), method: RequestMethod[method], path }];
    }),
  );
  const asked = ROWS.map(([name, row]) => {
    const [method, path] = asks(row)(nowhere);
    return { name, method, path: path.split('?')[0] ?? '' };
  });
  for (const { name, method, path } of routes) {
    const pattern = new RegExp(`^/${path.replaceAll(/:\w+/g, '[^/]+')}$`);
    const row = asked.find((one) => one.name === name && one.method === method && pattern.test(one.path));
    expect([method, path, row?.name]).toStrictEqual([method, path, name ?? 'a request name']);
  }
  expect(routes.map(({ name }) => name).sort()).toStrictEqual(ROWS.map(([name]) => name).sort());
});

describe.each(ROWS)('%s', (_name, row) => {
  it(`is allowed from the role ${row.least} on`, async () => {
    for (const role of OPERATOR_ROLES) {
      const { status } = await ask(asks(row)(nowhere), TOKENS[role]);
      const isAllowed = OPERATOR_ROLES.indexOf(role) >= OPERATOR_ROLES.indexOf(row.least);
      expect([role, status === 403]).toStrictEqual([role, !isAllowed]);
    }
  });

  if ('of' in row)
    it("answers about another merchant's order as about one that does not exist", async () => {
      const [missing, foreign] = [await ask(row.of(nowhere), LIMITED), await ask(row.of(others), LIMITED)];
      expect([foreign.status, foreign.body]).toStrictEqual([row.other, missing.body]);
      expect(missing.status).toBe(row.other);
    });
  if ('list' in row)
    it("shows the operator's merchants only", async () => {
      const { status, body } = await ask(row.list, LIMITED);
      expect(status).toBe(200);
      expect(body).toContain(row.shows(own));
      for (const text of Object.values(others)) expect(body).not.toContain(text);
      expect(body).not.toContain('sim-of-other');
      expect((await ask(row.list, TOKENS.admin)).body).toContain(row.shows(others));
    });
  if ('open' in row)
    it('is answered alike to an operator limited to merchants', async () => {
      const [limited, unlimited] = [await ask(row.open, LIMITED), await ask(row.open, TOKENS.admin)];
      expect(limited.status).toBe(unlimited.status);
      for (const text of Object.values(others)) expect(limited.body).not.toContain(text);
    });
  if ('whole' in row)
    it('is refused to an operator limited to merchants', async () => {
      const { status, body } = await ask(row.whole, LIMITED);
      expect([status, body]).toStrictEqual([403, expect.stringContaining('limited to merchants')]);
      expect((await ask(row.whole, TOKENS.admin)).status).toBe(row.status);
    });
});

it("a limited operator's own order is answered as to an unlimited one, also where an action changes it", async () => {
  for (const [name, row] of ROWS) {
    if (!('of' in row)) continue;
    const { status } = await ask(row.of(spent), LIMITED);
    expect([name, [row.own].flat().includes(status) ? row.own : status]).toStrictEqual([name, row.own]);
  }
});

it.each([
  [
    'find-orders',
    (one: Belongings) =>
      [one.orderId, one.clientOrderId, one.cardRefId, one.deliveryId].map((text) => `/orders/find?q=${encodeURIComponent(text)}`),
  ],
  [
    'list-orders',
    (one: Belongings) =>
      [
        `order=${one.orderId}`,
        `clientOrderId=${one.clientOrderId}`,
        `cardReference=${one.cardRefId}`,
        `merchant=${one.merchant}`,
        `endpoint=${one.endpoint}`,
      ].map((text) => `/audit/orders?${text}`),
  ],
] as const)('%s by an identifier of another merchant is answered as by one that does not exist', async (_name, paths) => {
  const answers = async (of: Belongings) => {
    const told: [number, string][] = [];
    for (const path of paths(of)) {
      const { status, body } = await ask(['GET', path], LIMITED);
      told.push([status, body]);
    }
    return told;
  };
  expect(await answers(others)).toStrictEqual(await answers(nowhere));
  for (const [status, body] of await answers(own)) expect([status, body]).toStrictEqual([200, expect.stringContaining(own.orderId)]);
});

it.each<[string, () => string]>([
  ['list-unknown', () => '/orders/unknown'],
  ['list-unknown-as-of', () => `/audit/orders/unknown?knownAt=${new Date().toISOString()}`],
])("%s shows unknown outcomes of the operator's merchants only", async (_name, path) => {
  const body = async (token: string) => (await ask(['GET', path()], token)).body;
  const foreign = await other.accepted(other.sale({ cvv2: '217' }));
  await until(async () => ((await body(TOKENS.admin)).includes(foreign.orderId) ? true : undefined), { what: 'its outcome' });
  expect(await body(LIMITED)).not.toContain(foreign.orderId);
  const mine = await acme.accepted(acme.sale({ cvv2: '217' }));
  await until(async () => ((await body(LIMITED)).includes(mine.orderId) ? true : undefined), { what: 'the outcome of the own order' });
});

it('pages of a limited operator contain all orders of its merchants, and their cursors no place of another order', async () => {
  const [older, newer] = [await acme.approvedSale(), await acme.approvedSale()];
  await other.approvedSale();
  const seen: string[] = [];
  let cursor: string | undefined;
  do {
    const { body } = await ask(['GET', `/audit/orders?limit=1${cursor === undefined ? '' : `&cursor=${cursor}`}`], LIMITED);
    const page = JSON.parse(body) as { orders: { orderId: string; merchant: string }[]; next?: string };
    expect(page.orders.map(({ merchant }) => merchant)).toStrictEqual(['acme']);
    seen.push(...page.orders.map(({ orderId }) => orderId));
    cursor = page.next;
  } while (cursor !== undefined);
  expect(seen.slice(0, 2)).toStrictEqual([newer.orderId, older.orderId]);
  expect(seen).toContain(own.orderId);
});
