import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createSocketServer, type AddressInfo, type Server as SocketServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { EmbeddedEventStore } from '@app/event-store/stores/embedded';
import { EventStoreDbEventStore } from '@app/event-store/stores/eventstoredb';
import { systemScheduler, type ClientOrderId, type MerchantLogin, type OrderId } from '@app/kernel';
import { paymentCodec, paymentStream } from '@app/payment';
import { openReadModel } from '@app/read-models';
import { ACCEPTED_AT, attemptEvents, sampleOrder, stopwatch, VirtualClock } from '@app/testing';
import { decodeAny } from '@app/read-models/queries';
import { WireServer } from '../../../test/fakes/eventstoredb';
import { runOrch } from './program';

jest.setTimeout(60_000);

const SANDBOX = resolve(__dirname, '../../../config/sandbox.yaml');
const order = sampleOrder({ orderId: 'p0sample0order1r' as OrderId });
const stream = paymentStream('acme' as MerchantLogin, order.clientOrderId);
const ENVELOPE = {
  correlation: 's',
  causation: 's',
  actor: 'operator:kim',
  claimedActor: 'jane',
  merchant: 'acme',
  commandId: 'c',
  recordedAt: ACCEPTED_AT,
};
const PAGE_BYTES = 4_096;
const DELIVERY = '5a17c0de-0000-5000-8000-00000000dead:callback';
const UNSET = [
  'NODE_ENV',
  'EVENTSTORE_URL',
  'READ_MODEL_URL',
  'VAULT_URL',
  'ROLES',
  'ORCH_OPERATOR_TOKEN_FILE',
  'COPY_LOG_FROM',
  'COPY_LOG_TO',
];

let folder: string;
let log: EmbeddedEventStore;
let port: Server;
let answer: (request: IncomingMessage, response: ServerResponse) => void;
const before = { ...process.env };

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'orch-program-'));
  log = await EmbeddedEventStore.open({ path: join(folder, 'events.sqlite'), clock: new VirtualClock(), scheduler: systemScheduler });
  const events = [{ type: 'OrderAccepted' as const, data: order }, attemptEvents.started()] as const;
  await log.append(stream, 'no_stream', paymentCodec.encode(events, stream, 'no_stream', ENVELOPE));
  port = createServer((request, response) => answer(request, response));
  await new Promise<void>((listening) => port.listen(0, '127.0.0.1', listening));
  for (const name of UNSET) delete process.env[name];
  Object.assign(process.env, {
    DATA_DIR: folder,
    ORCH_CONFIG: SANDBOX,
    OPERATOR_PORT: String((port.address() as AddressInfo).port),
    ORCH_OPERATOR_TOKEN: 'a-token',
  });
});
afterAll(async () => {
  process.env = before;
  await log.close();
  port.closeAllConnections();
  await new Promise((closed) => port.close(closed));
  rmSync(folder, { recursive: true });
});

const orch = async (...words: readonly string[]) => {
  let [out, problems] = ['', ''];
  const streams = {
    stdout: { isTTY: false, write: (text: string) => Boolean((out += text)) },
    stderr: { write: (text: string) => Boolean((problems += text)) },
  };
  const code = await runOrch(words, streams);
  return { code, out, problems };
};
const answers = (status: number, body: object): void => {
  answer = (_request, response) => void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
};

describe('an invalid command line exits with 2', () => {
  it.each([
    [''],
    ['pay'],
    ['--colour show x'],
    ['run now'],
    ['show'],
    ['show --merchant'],
    ['find'],
    ['deliveries'],
    ['deliveries resend'],
    [`deliveries resend ${DELIVERY}`],
    ['unknown'],
    ['unknown resolve x --as maybe --reason y'],
    ['unknown resolve x --as approved'],
    ['unknown resolve x --as approved --reason y --follow-up second'],
    ['unknown resolve x --as approved --reason y --follow-up 0'],
    ['unknown resolve x --as approved --reason y --follow-up 1e1'],
    ['unknown list more'],
    ['rebuild --every'],
    ['streams unpark x'],
    ['copy-log --from x.sqlite'],
    ['copy-log --from x.sqlite --to postgres://db/x'],
    ['copy-log --from x.sqlite --to x.sqlite'],
    ['sign'],
    ['sign paint'],
    ['sign sale --endpoint 1001 no-equals-sign'],
    ['sign sale --endpoint 1001 --group 2001'],
    ['device'],
    ['device sale --serial 1'],
    ['device sale --gateway ftp://x --serial 1 --email a@example.com --currency USD --amount 1.00'],
    ['operator'],
    ['operator new --name jane'],
    ['operator new --name jane --role root'],
    ['operator new --name jane --role viewer --merchant 4shop'],
    ['operator new --name 4444333322221111 --role viewer'],
    ['listen --port 70000'],
    ['sandbox twice'],
    ['sandbox --upstream there'],
    ['sandbox --upstream --config x.yaml'],
    ['sandbox --downstream'],
  ])('orch %s', async (line) => {
    const { code, out, problems } = await orch(...line.split(' ').filter((word) => word !== ''));
    expect([code, out]).toStrictEqual([2, '']);
    expect(problems).not.toBe('');
    expect(problems).not.toMatch(/^ +at /m);
  });

  it('prints the error as JSON with --json', async () => {
    const { code, problems } = await orch('--json', 'show');
    expect([code, JSON.parse(problems)]).toStrictEqual([
      2,
      { version: 1, error: expect.stringContaining("missing required argument 'order'") },
    ]);
  });

  it.each([[['--json']], [['--json', 'unknown']]])('prints the usage as JSON if %j names no command', async (words) => {
    const { code, out, problems } = await orch(...words);
    expect([code, out, JSON.parse(problems)]).toStrictEqual([2, '', { version: 1, error: expect.stringMatching(/^Usage: orch/) }]);
  });

  it('exits with 0 if help is requested', async () => {
    for (const words of [['--help'], ['help'], ['rebuild', '--help']]) {
      const { code, out } = await orch(...words);
      expect([words, code]).toStrictEqual([words, 0]);
      expect(out).toContain('Usage: orch');
    }
  });
});

describe('orch --version', () => {
  const { version } = JSON.parse(readFileSync(resolve(__dirname, '../../../package.json'), 'utf8')) as { readonly version: string };

  it('prints the release of package.json and exits with 0', async () => {
    expect(await orch('--version')).toStrictEqual({ code: 0, out: `${version}\n`, problems: '' });
  });

  it.each([[['--json', '--version']], [['--version', '--json']]])(
    '%j prints the release next to the version of the JSON format',
    async (words) => {
      const { code, out } = await orch(...words);
      expect([code, JSON.parse(out)]).toStrictEqual([0, { version: 1, release: version }]);
    },
  );

  it('does not run a command that follows it', async () => {
    expect(await orch('--version', 'show', 'x')).toStrictEqual({ code: 0, out: `${version}\n`, problems: '' });
  });
});

describe('a missing or outdated order index', () => {
  const withIndex = async (run: () => Promise<void>): Promise<void> => {
    const model = await openReadModel({ path: join(folder, 'read-model.sqlite'), log, decode: decodeAny, clock: new VirtualClock() });
    try {
      await run();
    } finally {
      await model.close();
      for (const suffix of ['', '-wal', '-shm']) rmSync(join(folder, `read-model.sqlite${suffix}`), { force: true });
    }
  };

  it('is reported both when nothing is found and together with a result', async () => {
    for (const run of [(check: () => Promise<void>) => check(), withIndex]) {
      await run(async () => {
        const { code, out, problems } = await orch('find', 'PNTEST-1');
        expect([code, out, problems]).toStrictEqual([
          1,
          '',
          expect.stringMatching(/^found nothing named "PNTEST-1", but the index of orders was never built: /),
        ]);
        const found = await orch('find', order.clientOrderId);
        expect([found.code, found.problems]).toStrictEqual([0, expect.stringMatching(/^the index of orders was never built: /)]);
        expect(found.out).toContain(order.orderId);
      });
    }
  });

  it.each(['0', '-1', '1001', 'all'])('rejects --limit %s', async (limit) => {
    expect((await orch('find', 'x', '--limit', limit)).code).toBe(2);
  });
});

describe('an unknown name exits with 3', () => {
  // The verb reports "no such name" only if the index is up to date.
  beforeAll(async () => {
    const model = await openReadModel({ path: join(folder, 'read-model.sqlite'), log, decode: decodeAny, clock: new VirtualClock() });
    await model.build();
    await model.close();
  });
  afterAll(() => {
    for (const suffix of ['', '-wal', '-shm']) rmSync(join(folder, `read-model.sqlite${suffix}`), { force: true });
  });

  it.each([
    'show nothing',
    'find nothing',
    'deliveries nothing',
    'show pzzzzzzzzzzzzzzr',
    'sign status --endpoint 99 client_orderid=x',
    'unknown resolve nothing --as approved --reason x',
    'copy-log --verify-only --order nothing',
  ])('orch %s', async (line) => {
    const logs = line.startsWith('copy-log') ? ['--from', join(folder, 'events.sqlite'), '--to', join(folder, 'other.sqlite')] : [];
    const { code, out, problems } = await orch(...line.split(' '), ...logs);
    expect([code, out]).toStrictEqual([3, '']);
    expect(problems.trim().split('\n')).toHaveLength(1);
  });

  it('exits with 3 if the running service returns 404', async () => {
    answers(404, { error: 'unknown-delivery' });
    expect(await orch('deliveries', 'resend', DELIVERY, '--reason', 'x')).toStrictEqual({
      code: 3,
      out: '',
      problems: 'refused (404): unknown-delivery\n',
    });
    answers(404, { error: 'not-parked' });
    expect((await orch('streams', 'unpark', stream, '--reason', 'x')).code).toBe(3);
  });

  it.each(['show', 'find', 'deliveries'])('orch --json %s prints an empty list', async (verb) => {
    const { code, out, problems } = await orch('--json', verb, 'nothing');
    expect([code, out, JSON.parse(problems)]).toStrictEqual([3, '[]\n', { version: 1, error: expect.any(String) }]);
  });
});

describe('a refused command exits with 4', () => {
  it.each([
    [401, 'a valid operator token or session is required'],
    [403, 'settle-unknown needs the role operator, and this operator has viewer'],
    [409, 'nothing-to-resolve'],
  ])('if the running service returns %s', async (status, error) => {
    answers(status, { error });
    const { code, problems } = await orch('unknown', 'resolve', order.clientOrderId, '--as', 'approved', '--reason', 'x');
    expect([code, problems]).toStrictEqual([4, `refused (${status}): ${error}\n`]);
    expect((await orch('streams', 'unpark', stream, '--reason', 'x')).code).toBe(4);
    expect((await orch('deliveries', 'resend', DELIVERY, '--reason', 'x')).code).toBe(4);
  });

  it('if no operator token is given', async () => {
    delete process.env['ORCH_OPERATOR_TOKEN'];
    try {
      const { code, problems } = await orch('deliveries', 'resend', DELIVERY, '--reason', 'x');
      expect([code, problems]).toStrictEqual([4, expect.stringContaining('no operator token')]);
    } finally {
      process.env['ORCH_OPERATOR_TOKEN'] = 'a-token';
    }
  });

  it('if another process holds the log', async () => {
    const other = join(folder, 'source', 'events.sqlite');
    await (await EmbeddedEventStore.open({ path: other, clock: new VirtualClock(), scheduler: systemScheduler })).close();
    const { code, problems } = await orch('copy-log', '--from', other, '--to', join(folder, 'events.sqlite'));
    expect([code, problems]).toStrictEqual([4, expect.stringContaining('Stop the service first.')]);
  });
});

describe('any other failure exits with 1', () => {
  it('a rebuild that parks a stream with a broken hash chain and builds the other streams', async () => {
    const server = await WireServer.start();
    const dataDir = process.env['DATA_DIR'];
    const own = mkdtempSync(join(tmpdir(), 'orch-rebuild-'));
    try {
      const store = await EventStoreDbEventStore.open({ url: server.connectionString, scheduler: systemScheduler });
      const sound = sampleOrder({ orderId: 'p0sample0order2r' as OrderId, clientOrderId: 'sound' as ClientOrderId });
      for (const each of [order, sound]) {
        const events = [{ type: 'OrderAccepted' as const, data: each }, attemptEvents.started()] as const;
        const name = paymentStream('acme' as MerchantLogin, each.clientOrderId);
        await store.append(name, 'no_stream', paymentCodec.encode(events, name, 'no_stream', ENVELOPE));
      }
      await store.close();
      Object.assign(process.env, { EVENTSTORE_URL: server.connectionString, DATA_DIR: own });
      expect(await orch('rebuild', '--only', 'order-status')).toMatchObject({
        code: 0,
        out: expect.stringContaining('2 rows in generation'),
      });
      const [accepted] = server.log.eventsOf(stream);
      if (accepted === undefined) throw new Error('nothing to forge');
      const bytes = Buffer.from(accepted.data.buffer, accepted.data.byteOffset, accepted.data.byteLength);
      bytes.write('9', bytes.indexOf('"1042"') + 1);
      const { code, problems } = await orch('rebuild', '--only', 'order-status');
      expect(code).toBe(1);
      expect(problems).toContain(`1 streams are parked: ${stream}: `);
      expect(problems).toContain('it does not follow from the event before it');
      const parked = await orch('streams', 'parked');
      expect(parked.code).toBe(0);
      expect(parked.out).toMatch(
        new RegExp(`^${stream} {2}chain-broken, parked \\S+Z by order-status\n {2}event \\d+ \\(.+\\): BrokenChain: .+\n`),
      );
      expect(parked.out).toContain('next: the log was changed or damaged: keep its files unchanged, and run orch log verify');
      const json = JSON.parse((await orch('--json', 'streams', 'parked')).out) as object;
      expect(json).toMatchObject({ version: 1, stream, cause: 'chain-broken', projections: ['order-status'] });
    } finally {
      delete process.env['EVENTSTORE_URL'];
      process.env['DATA_DIR'] = dataDir;
      await server.kill();
      rmSync(own, { recursive: true });
    }
  });

  it('a service that is unreachable or whose outcome is unknown', async () => {
    answers(503, { error: 'a store does not respond, nothing was done' });
    expect((await orch('streams', 'unpark', stream, '--reason', 'x')).code).toBe(1);
    answers(504, { error: 'not known whether it was done' });
    expect((await orch('streams', 'unpark', stream, '--reason', 'x')).code).toBe(1);
    answer = (request) => request.socket.destroy();
    expect((await orch('streams', 'unpark', stream, '--reason', 'x')).code).toBe(1);
  });

  it('a copy of a log with unreadable pages, without advice to run the command again', async () => {
    const path = join(folder, 'torn', 'events.sqlite');
    const torn = await EmbeddedEventStore.open({ path, clock: new VirtualClock(), scheduler: systemScheduler });
    for (let number = 0; number < 20; number++) {
      const one = paymentStream('acme' as MerchantLogin, `order-${number}` as ClientOrderId);
      await torn.append(one, 'no_stream', paymentCodec.encode([{ type: 'OrderAccepted', data: order }], one, 'no_stream', ENVELOPE));
    }
    await torn.close();
    const bytes = readFileSync(path);
    writeFileSync(path, bytes.fill(0xff, 4 * PAGE_BYTES));
    const { code, problems } = await orch('copy-log', '--from', path, '--to', join(folder, 'torn', 'other.sqlite'));
    expect([code, problems]).toStrictEqual([1, expect.stringContaining('docs/recover.md')]);
    expect(problems).not.toContain('same command');
  });

  it('a missing log or invalid configuration, with a message and no stack trace', async () => {
    const { DATA_DIR: dataDir, ORCH_CONFIG: configuration, ORCH_OPERATOR_TOKEN: operatorToken } = process.env;
    try {
      process.env['DATA_DIR'] = join(folder, 'nowhere');
      delete process.env['ORCH_OPERATOR_TOKEN'];
      expect(await orch('show', 'x')).toStrictEqual({
        code: 1,
        out: '',
        problems: expect.stringMatching(
          /^no event log at .*events\.sqlite\. Set DATA_DIR to the folder of the service\. To ask /,
        ) as string,
      });
      process.env['DATA_DIR'] = dataDir;
      process.env['ORCH_CONFIG'] = join(folder, 'wrong.yaml');
      writeFileSync(join(folder, 'wrong.yaml'), 'merchants: []\n');
      const { code, problems } = await orch('show', 'x');
      expect([code, problems]).toStrictEqual([1, expect.stringContaining('wrong.yaml: 2 fault(s)')]);
    } finally {
      Object.assign(process.env, { DATA_DIR: dataDir, ORCH_CONFIG: configuration, ORCH_OPERATOR_TOKEN: operatorToken });
    }
  });
});

describe('--json', () => {
  const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
  const timesOf = (value: unknown, name = ''): readonly unknown[] => {
    if (Array.isArray(value)) return value.flatMap((item) => timesOf(item, name));
    if (typeof value === 'object' && value !== null) return Object.entries(value).flatMap(([key, member]) => timesOf(member, key));
    return /^at$|At$/.test(name) && value !== null ? [value] : [];
  };

  it.each([[['show', order.clientOrderId]], [['find', order.clientOrderId]]])(
    'orch %s prints the version first and every time in the same format',
    async (words) => {
      const { code, out } = await orch('--json', ...words);
      expect(code).toBe(0);
      expect(out).toMatch(/^\{"version":1,/);
      const times = timesOf(JSON.parse(out));
      expect(times.length).toBeGreaterThan(0);
      for (const time of times) expect(time).toMatch(TIME);
    },
  );

  it('prints the actor and the claimed actor of an event', async () => {
    const { events } = JSON.parse((await orch('--json', 'show', order.clientOrderId)).out) as { readonly events: readonly object[] };
    expect(events[0]).toMatchObject({ type: 'OrderAccepted', actor: 'operator:kim', claimedActor: 'jane' });
  });

  it('prints an empty list for an empty result', async () => {
    expect(await orch('--json', 'deliveries', order.clientOrderId)).toStrictEqual({ code: 0, out: '[]\n', problems: '' });
  });

  it('operator new prints the token and the configuration entry', async () => {
    const { out } = await orch('--json', 'operator', 'new', '--name', 'jane', '--role', 'viewer');
    expect(JSON.parse(out)).toStrictEqual({
      version: 1,
      token: expect.stringMatching(/^orchop_/),
      operator: { name: 'jane', role: 'viewer', tokenSha256: expect.stringMatching(/^[0-9a-f]{64}$/) },
    });
  });

  it('operator new limits the configuration entry to the given merchants', async () => {
    const words = ['operator', 'new', '--name', 'jane', '--role', 'viewer', '--merchant', 'acme', 'umbrella'];
    expect((await orch(...words)).out).toMatch(/tokenSha256: '[0-9a-f]{64}', merchants: \[acme, umbrella\] \}\n$/);
    expect(JSON.parse((await orch('--json', ...words)).out)).toMatchObject({ operator: { merchants: ['acme', 'umbrella'] } });
  });
});

describe('a store that does not answer', () => {
  let silent: SocketServer;
  const sockets: Socket[] = [];
  beforeAll(async () => {
    silent = createSocketServer((socket) => void sockets.push(socket));
    await new Promise<void>((listening) => silent.listen(0, '127.0.0.1', listening));
  });
  afterAll(async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise((closed) => silent.close(closed));
  });

  it.each([
    ['EVENTSTORE_URL', 'esdb://127.0.0.1:PORT?tls=false'],
    ['READ_MODEL_URL', 'postgres://user:pa55word@127.0.0.1:PORT/db'],
  ])('is reported with the name of its setting within 3 s: %s', async (setting, url) => {
    for (const at of [String((silent.address() as AddressInfo).port), '9']) {
      process.env[setting] = url.replace('PORT', at);
      try {
        const since = stopwatch();
        const { code, problems } = await orch('find', 'x');
        expect([code, problems.trim().split('\n').length, problems]).toStrictEqual([1, 1, expect.stringContaining(setting)]);
        expect(problems).not.toContain('pa55word');
        expect(since.stop()).toBeLessThan(3_000);
      } finally {
        delete process.env[setting];
      }
    }
  });
});
