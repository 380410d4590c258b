import 'reflect-metadata';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { INestApplication } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { loadConfiguration, newOperatorToken, packageRoot, readEnvironment, sha256OfToken } from '@app/configuration';
import { GATE_ADAPTERS } from '@app/gateway-adapters/registry';
import { LimitedExpressAdapter, PlainExceptionFilter, ServiceLog } from '@app/http/server';
import { OperatorPortModule } from '../../apps/orchestrator/src/operator/operator-port.module';
import { openApp } from '../../apps/orchestrator/src/testing/opened-app';
import { HttpClient } from '../support/http/http-client';
import { Merchant } from '../support/merchants/merchant';
import { OTHER_CONTROL_KEY, sandboxConfiguration, THIRD_CONTROL_KEY } from '../support/processes/sandbox-configuration';

jest.setTimeout(120_000);

const ADMIN = newOperatorToken();
const LEAVER = newOperatorToken();
const admin = { name: 'ann', role: 'admin', tokenSha256: sha256OfToken(ADMIN) };
const leaver = { name: 'leaver', role: 'viewer', tokenSha256: sha256OfToken(LEAVER) };
const BECAUSE = { reason: 'ticket 4711' };

const folder = mkdtempSync(join(tmpdir(), 'changes-while-running-'));
const file = join(folder, 'orchestrator.json');
const endpoint = (id: string, ...gates: readonly string[]) => ({ id, currency: 'USD', gates });
const write = (configured: object): void => writeFileSync(file, JSON.stringify(configured));
const configured = (gates: readonly string[], more: object = {}): object => ({
  ...sandboxConfiguration({
    gates: [{ alias: 'sim-z', adapter: 'simulator', currencies: ['USD'] }],
    whole: { operators: [admin, leaver] },
    // Of 1001 the configuration changes; 1004 and 1005 are held.
    acme: { endpoints: [endpoint('1001', ...gates), endpoint('1004', 'sim-a', 'sim-z'), endpoint('1005', 'sim-a')], groups: [] },
  }),
  ...more,
});

let app: INestApplication;
let operatorPort: INestApplication;
let client: HttpClient;
let operators: HttpClient;
let acme: Merchant;
let other: Merchant;

const listening = async (server: INestApplication): Promise<HttpClient> => {
  await server.listen(0, '127.0.0.1');
  const { port } = (server.getHttpServer() as Server).address() as AddressInfo;
  return new HttpClient(() => `http://127.0.0.1:${port}`);
};
const ask = (method: 'GET' | 'POST', path: string, body?: object, token = ADMIN) =>
  operators.request(path, {
    method,
    headers: { authorization: `Bearer ${token}`, ...(body !== undefined && { 'content-type': 'application/json' }) },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
const told = async (method: 'GET' | 'POST', path: string, body?: object): Promise<unknown> => {
  const answer = await ask(method, path, body);
  if (answer.status !== 200) throw new Error(`${path}: ${answer.status} ${answer.body}`);
  return JSON.parse(answer.body);
};
const gatesOf = async (orderId: string): Promise<readonly string[]> => {
  // The index of the orders may lag behind the order's own answer.
  for (;;) {
    const { status, body } = await ask('GET', `/audit/orders/${orderId}`);
    if (status === 200) return [...new Set(body.match(/sim-[az]/g))];
  }
};

beforeAll(async () => {
  write(configured(['sim-a', 'sim-z']));
  const environment = readEnvironment({ DATA_DIR: folder, ORCH_CONFIG: file }, packageRoot());
  const { app: service } = await openApp(environment, loadConfiguration(file, {}, GATE_ADAPTERS));
  const quiet = { bodyParser: false, logger: false } as const;
  app = service.createNestApplication(new LimitedExpressAdapter(), quiet);
  app.setGlobalPrefix('paynet');
  client = await listening(app);
  operatorPort = await NestFactory.create(OperatorPortModule.over(service), new LimitedExpressAdapter(), { ...quiet, abortOnError: false });
  for (const one of [app, operatorPort]) one.useGlobalFilters(new PlainExceptionFilter(new ServiceLog('silent')));
  operators = await listening(operatorPort);
  acme = new Merchant(client);
  other = new Merchant(client, { login: 'other', controlKey: OTHER_CONTROL_KEY, at: '9001' });
});
afterAll(async () => {
  await operatorPort.close();
  await app.close();
  rmSync(folder, { recursive: true, force: true });
});

const CODE_20 = { type: 'error', 'error-code': '20' };

it('a held gate gets no new orders until its release: they use the next gate, and get code 20 if none is left', async () => {
  await told('POST', '/gates/sim-a/hold', BECAUSE);
  expect(await gatesOf((await acme.approvedSale({}, { at: '1004' })).orderId)).toContain('sim-z');
  expect(await told('POST', '/routes/explanation', { endpoint: '1004', amount: '10.00' })).toMatchObject({
    gates: ['sim-z'],
    heldGates: ['sim-a'],
  });
  expect((await acme.sale({}, { at: '1005' })).fields).toMatchObject(CODE_20);
  await told('POST', '/gates/sim-z/hold', BECAUSE);
  expect((await acme.sale({}, { at: '1004' })).fields).toMatchObject(CODE_20);
  for (const gate of ['sim-a', 'sim-z']) await told('POST', `/gates/${gate}/hold/release`, BECAUSE);
  expect(await told('GET', '/holds')).toStrictEqual({ holds: [] });
  expect(await gatesOf((await acme.approvedSale({}, { at: '1004' })).orderId)).toContain('sim-a');
});

it('a held entry point refuses new orders with code 20 until its release, and no other entry point does', async () => {
  await told('POST', '/endpoints/1004/hold', BECAUSE);
  expect((await acme.sale({}, { at: '1004' })).fields).toMatchObject(CODE_20);
  await acme.approvedSale({}, { at: '1005' });
  await told('POST', '/endpoints/1004/hold/release', BECAUSE);
  await acme.approvedSale({}, { at: '1004' });
});

it('an applied configuration changes gates, keys, merchants and operators of a running process', async () => {
  const merchants = (configured(['sim-z']) as { merchants: { login: string; controlKey: string }[] }).merchants.map((one) =>
    one.login === 'other' ? { ...one, controlKey: THIRD_CONTROL_KEY } : one,
  );
  const nova = { login: 'nova', controlKey: OTHER_CONTROL_KEY, endpoints: [endpoint('7001', 'sim-z')] };
  write(configured(['sim-z'], { merchants: [...merchants, nova], operators: [admin] }));
  expect((await ask('GET', '/gates', undefined, LEAVER)).status).toBe(200);
  const checked = await told('GET', '/configuration/check');
  expect(checked).toMatchObject({ faults: [], needsRestart: [] });
  expect(JSON.stringify(checked)).not.toContain(THIRD_CONTROL_KEY);
  expect(await gatesOf((await acme.approvedSale()).orderId)).toContain('sim-a');

  expect(await told('POST', '/configuration/apply', BECAUSE)).toMatchObject({ isApplied: true });
  expect(await gatesOf((await acme.approvedSale()).orderId)).toStrictEqual(['sim-z']);
  await new Merchant(client, { login: 'nova', controlKey: OTHER_CONTROL_KEY, at: '7001' }).approvedSale();
  expect((await other.sale()).fields).toMatchObject({ 'error-code': '2' });
  await new Merchant(client, { login: 'other', controlKey: THIRD_CONTROL_KEY, at: '9001' }).approvedSale();
  expect((await ask('GET', '/gates', undefined, LEAVER)).status).toBe(401);
  expect(await told('POST', '/configuration/apply', BECAUSE)).toMatchObject({ isApplied: false });
});

it('a file that has faults or needs a restart is refused by name, and changes nothing', async () => {
  write(configured(['sim-a'], { publicBaseUrl: 'https://pay.example' }));
  const refused = await ask('POST', '/configuration/apply', BECAUSE);
  expect([refused.status, refused.body]).toStrictEqual([409, expect.stringContaining('publicBaseUrl: needs a restart')]);
  const { applied } = (await told('GET', '/configuration/status')) as { readonly applied: object | null };
  write(configured(['sim-a'], { merchants: [] }));
  expect((await ask('POST', '/configuration/apply', BECAUSE)).body).toContain('the file has faults: merchants');
  expect(await told('GET', '/configuration/status')).toMatchObject({ applied });
});
