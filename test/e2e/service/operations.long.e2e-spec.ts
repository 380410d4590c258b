import { wholeNumber } from '@app/testing';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { Agent, get } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { OrderId } from '@app/kernel';
import { Merchant } from '../../support/merchants/merchant';
import type { Fields } from '../../support/merchants/signed-requests';
import { exchangeRaw, statusesIn, type RawExchange } from '../../support/http/raw-http';
import { runToEnd } from '../../support/processes/run-to-end';
import { OTHER_CONTROL_KEY, sandboxConfiguration } from '../../support/processes/sandbox-configuration';
import { Service } from '../../support/processes/service';
import { SMUGGLING_CASES, TWO_REQUESTS } from '../../support/http/smuggling-cases';
import { until } from '../../support/until';

jest.setTimeout(60_000);

let service: Service;
let acme: Merchant;

beforeAll(async () => {
  const configuration = sandboxConfiguration({
    acme: { endpoints: [{ id: '1001', currency: 'USD', gates: ['sim-a'], randomSum: 'required' }], groups: [] },
    whole: { rateLimit: { requestsPerSecond: 100_000 }, keepAliveSeconds: 8 },
  });
  service = await Service.start({ configuration });
  acme = new Merchant(service);
});

afterAll(() => service.dispose());

describe('health', () => {
  it('is reported on both ports as live for the process and ready for each store', async () => {
    for (const ask of [(path: string) => service.request(path), (path: string) => service.operatorRequest(path)]) {
      const live = await ask('/health/live');
      expect([live.status, JSON.parse(live.body)]).toStrictEqual([200, { status: 'live' }]);
      const ready = await ask('/health/ready');
      expect(ready.status).toBe(200);
      expect(ready.headers['content-type']).toBe('application/json;charset=utf-8');
      expect(JSON.parse(ready.body)).toStrictEqual({
        status: 'ready',
        stores: {
          events: { isReady: true, detail: expect.any(String) },
          vault: { isReady: true, detail: expect.any(String) },
          readModel: { isReady: true, detail: expect.any(String) },
        },
      });
    }
  });
});

describe('metrics', () => {
  const figure = async (name: string): Promise<number> => {
    const { body } = await service.operatorRequest('/metrics');
    const line = body.split('\n').find((text) => text.startsWith(`${name} `));
    return line === undefined ? 0 : Number(line.slice(name.length + 1));
  };

  it('count requests by operation and outcome, and report no held CVV afterwards', async () => {
    const answered = 'orchestrator_group_a_requests_total{operation="sale",outcome="answered"}';
    const refused = 'orchestrator_group_a_requests_total{operation="sale",outcome="amount-out-of-range"}';
    const before = [await figure(answered), await figure(refused)];
    const order = await acme.approvedSale();
    await acme.sale({ amount: '0' });
    const after = [await figure(answered), await figure(refused)];
    expect(after).toStrictEqual(before.map((count) => count + 1));
    await until(async () => (await figure('orchestrator_cvv_held')) === 0, { what: 'no CVV in memory' });
    // A label is a name of this service or of its configuration, never a value of a request.
    const { body } = await service.operatorRequest('/metrics');
    for (const value of [order.clientOrderId, order.orderId]) expect(body).not.toContain(value);
  });
});

describe('the log', () => {
  it('has one JSON object per line with the request and its outcome', async () => {
    const { serial } = await acme.approvedSale();
    const lineOf = (event: string) => service.logLines().find((line) => line['serial'] === serial && line['event'] === event);
    const served = await until(() => lineOf('request.served'), { what: 'the line of the request' });
    expect(served).toMatchObject({
      level: 30,
      service: 'orchestrator',
      event: 'request.served',
      operation: 'sale',
      merchant: 'acme',
      outcome: 'answered',
    });
    const ended = await until(() => lineOf('order.ended'), { what: 'the line of the end' });
    expect(ended).toMatchObject({ outcome: 'approved', merchant: 'acme', orderId: served['orderId'], entryPoint: served['entryPoint'] });
    for (const line of service.logLines()) {
      expect(line).toMatchObject({
        level: expect.any(Number),
        time: expect.stringMatching(/^\d{4}-.*Z$/),
        service: 'orchestrator',
        event: expect.any(String),
      });
    }
  });

  it('has no line injected by a request, and no request fields', async () => {
    const client_orderid = acme.newOrderId('line');
    await acme.accepted(acme.sale({ client_orderid, merchant_data: 'x\n{"level":60}', city: 'Springfield\r\n{}' }));
    await acme.sale({ client_orderid: 'a\nb', control: 'x' });
    expect(() => service.logLines()).not.toThrow();
    for (const text of ['Springfield', 'JOHN SMITH', '4444333322221111', 'example.com', '"level":60'])
      expect(service.stdout).not.toContain(text);
  });

  it('reports the listening port and the allowed private targets at start (safety, T17)', () => {
    const [started] = service.logLines().filter(({ event }) => event === 'started');
    expect(started).toMatchObject({ port: service.port, roles: ['api', 'worker'], egressAllow: ['127.0.0.1'] });
    expect(service.stderr).toBe('');
  });
});

describe('a service with files', () => {
  let alone: Service;
  beforeAll(async () => {
    alone = await Service.start({ configuration: sandboxConfiguration(), stores: 'files' });
  });
  afterAll(() => alone.dispose());

  it('prevents a second process on the same data from starting, and names the first', async () => {
    const second = await runToEnd({
      environment: { DATA_DIR: alone.dataDir },
      configurationText: JSON.stringify(sandboxConfiguration()),
    });
    expect([second.code, second.signal]).toStrictEqual([1, null]);
    expect(second.stderr).toContain(`process ${alone.pid} writes it since 20`);
    expect(second.stderr.trimEnd().split('\n')).toHaveLength(1);
    await new Merchant(alone).approvedSale();
  });

  it('creates a key ring that only its owner can read (safety, section 5)', () => {
    expect(statSync(join(alone.dataDir, 'vault-keyring.json')).mode & 0o777).toBe(0o600);
  });
});

describe('an invalid configuration stops the start and reports every fault by path', () => {
  const merchant = {
    login: 'acme',
    controlKey: OTHER_CONTROL_KEY,
    endpoints: [{ id: '1001', currency: 'USD', gates: ['sim-a'] }],
  };
  const gates = [{ alias: 'sim-a', adapter: 'simulator', currencies: ['USD'] }];

  it.each<[string, string, Readonly<Record<string, string>>, readonly string[]]>([
    [
      'many faults at once',
      JSON.stringify({
        merchants: [
          { ...merchant, controlKey: 'zz', colour: 'red' },
          { ...merchant, login: '1st', endpoints: [{ id: 'abc', currency: 'usd', gates: ['nowhere'] }] },
        ],
        gates,
        pathPrefix: 'paynet',
      }),
      {},
      [
        'merchants[0].controlKey',
        'merchants[0].colour',
        'merchants[1].login',
        'merchants[1].endpoints[0].id',
        'merchants[1].endpoints[0].currency',
        'pathPrefix',
      ],
    ],
    [
      'faults of the environment',
      JSON.stringify({ merchants: [merchant], gates }),
      { LOG_LEVEL: 'loud', ROLES: 'api,cook', OPERATOR_PORT: '70000' },
      ['LOG_LEVEL', 'ROLES', 'OPERATOR_PORT'],
    ],
  ])('%s', async (_title, configurationText, environment, named) => {
    const { code, stderr, stdout } = await runToEnd({ configurationText, environment });
    expect(code).toBe(1);
    for (const path of named) expect(stderr).toContain(path);
    // Not a stack, and never a value that may be a secret.
    expect(stderr).not.toContain('    at ');
    expect(stderr).not.toContain('zz');
    expect(stdout).not.toContain('"event":"started"');
  });
});

describe('a stop by SIGTERM', () => {
  it('without requests exits with code 0 and logs stopping and stopped last', async () => {
    const idle = await Service.start({ configuration: sandboxConfiguration() });
    try {
      expect(await idle.stop()).toStrictEqual({ code: 0, signal: null });
      expect(
        idle
          .logLines()
          .slice(-2)
          .map(({ event }) => event),
      ).toStrictEqual(['stopping', 'stopped']);
      expect(idle.stderr).toBe('');
    } finally {
      await idle.dispose();
    }
  });

  /** Safety, F39: 100 on demand. */
  const STOPS = wholeNumber('STOPS_UNDER_LOAD', 4);
  const STOP_TIMEOUT_MS = 60_000;
  const CLIENTS = 16;

  it(
    `${STOPS} times under load ends or interrupts every order with a CVV and charges it at most once (safety, F39; architecture, rule 5)`,
    async () => {
      const loaded = await Service.start({ configuration: sandboxConfiguration() });
      try {
        const merchant = new Merchant(loaded);
        for (let stop = 0; stop < STOPS; stop++) {
          const sent: Fields[] = [];
          let isStopped = false;
          let answered = 0;
          const client = async (): Promise<void> => {
            while (!isStopped) {
              const sale = merchant.saleFields();
              sent.push(sale);
              try {
                if ((await merchant.sale(sale)).fields['type'] === 'async-response') answered++;
              } catch {
                return;
              }
            }
          };
          const clients = Array.from({ length: CLIENTS }, client);
          await until(() => answered > 4 * CLIENTS, { what: 'load' });
          expect(await loaded.stop()).toStrictEqual({ code: 0, signal: null });
          isStopped = true;
          await Promise.all(clients);

          await loaded.restart();
          const orders = await Promise.all(sent.map((sale) => merchant.accepted(merchant.sale(sale))));
          const finals = await Promise.all(orders.map((order) => merchant.finalStatus(order)));
          const ledger = loaded.ledger();
          for (const [index, order] of orders.entries()) {
            const { status, 'error-code': code } = finals[index] ?? {};
            const charges = ledger.approvedChargesByOrder().get(order.orderId as OrderId) ?? 0;
            expect([
              ['approved', undefined, 1],
              ['error', '121', 0],
            ]).toContainEqual([status, code, charges]);
          }
          expect(ledger.violations()).toStrictEqual([]);
          ledger.close();
        }
      } finally {
        await loaded.dispose();
      }
    },
    STOPS * STOP_TIMEOUT_MS,
  );
});

describe('limits of connections (safety, T28 and T29)', () => {
  const HEAD = `POST /paynet/api/v2/status/1001 HTTP/1.1\r\nHost: x\r\nContent-Type: application/x-www-form-urlencoded\r\n`;

  const SLOW_SOCKETS = 50;
  let slow: Promise<readonly RawExchange[]>;
  let idle: Promise<RawExchange>;

  // Slow exchanges run during the other tests of this block, because the shared service must serve both.
  beforeAll(() => {
    slow = Promise.all(Array.from({ length: SLOW_SOCKETS }, () => exchangeRaw(service.port, `${HEAD}X-Slow: `)));
    idle = exchangeRaw(service.port, 'GET /health/live HTTP/1.1\r\nHost: x\r\n\r\n');
    for (const exchange of [slow, idle]) exchange.catch(() => undefined);
  });

  it('headers over 8 KiB are refused and the connection is closed', async () => {
    expect(statusesIn(await exchangeRaw(service.port, `${HEAD}X-Long: ${'a'.repeat(9_000)}\r\n\r\n`))).toStrictEqual([431]);
  });

  it.each(SMUGGLING_CASES)('%s: is refused once and the connection is closed', async (_title, text) => {
    expect(statusesIn(await exchangeRaw(service.port, text))).toStrictEqual([400]);
  });

  it('bytes after a complete request are parsed as another request', async () => {
    expect(statusesIn(await exchangeRaw(service.port, TWO_REQUESTS))).toStrictEqual([200, 200]);
  });

  it('a connection is closed after 1,000 requests', async () => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const ask = (): Promise<{ readonly connection: string | undefined; readonly port: number | undefined }> =>
      new Promise((resolve, reject) => {
        const request = get(`${service.baseUrl}/health/live`, { agent }, (response) => {
          const { localPort: port } = response.socket;
          response.resume().once('end', () => resolve({ connection: response.headers.connection, port }));
        });
        request.once('error', reject);
      });
    const answers = [];
    for (let count = 0; count < 1_001; count++) answers.push(await ask());
    agent.destroy();
    expect(answers[998]?.connection).toBe('keep-alive');
    expect(answers[999]?.connection).toBe('close');
    expect(new Set(answers.slice(0, 1_000).map(({ port }) => port)).size).toBe(1);
    expect(answers[1_000]?.port).not.toBe(answers[0]?.port);
  });

  it('an idle connection is closed after keepAliveSeconds, twice the time announced to the client', async () => {
    const { text, openMs } = await idle;
    expect(text).toMatch(/^HTTP\/1\.1 200 /);
    expect(text).toContain('Keep-Alive: timeout=4');
    expect(openMs).toBeGreaterThan(7_000);
    expect(openMs).toBeLessThan(20_000);
  });

  it('endless headers are cut after 10 s while other requests are served', async () => {
    const order = await acme.approvedSale();
    expect((await acme.status(order)).fields).toMatchObject({ status: 'approved' });
    for (const { text, openMs } of await slow) {
      expect(text).toMatch(/^HTTP\/1\.1 408 /);
      expect(openMs).toBeGreaterThan(9_000);
      expect(openMs).toBeLessThan(18_000);
    }
  });
});

describe('the working directory of the service', () => {
  it('does not matter, because DATA_DIR is created and used', async () => {
    const parent = mkdtempSync(join(tmpdir(), 'orchestrator-e2e-data-'));
    const dataDir = join(parent, 'a', 'b');
    const elsewhere = await Service.start({ configuration: sandboxConfiguration(), dataDir });
    try {
      await new Merchant(elsewhere).approvedSale();
      for (const name of ['events.sqlite', 'read-model.sqlite', 'vault.sqlite', 'simulator.sqlite'])
        expect(statSync(join(dataDir, name)).size).toBeGreaterThan(0);
    } finally {
      await elsewhere.dispose();
      rmSync(parent, { recursive: true, force: true });
    }
  });
});
