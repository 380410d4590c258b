import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { Merchant } from '../../support/merchants/merchant';
import type { Order } from '../../support/merchants/signed-requests';
import { orch } from '../../support/processes/orch';
import { sandboxConfiguration } from '../../support/processes/sandbox-configuration';
import { Service } from '../../support/processes/service';

jest.setTimeout(60_000);

const GUARD = resolve(__dirname, '../../support/replay/replay-guard.cjs');

let service: Service;
let order: Order;
let rules: string;

beforeAll(async () => {
  service = await Service.start({ configuration: sandboxConfiguration(), stores: 'files' });
  order = await new Merchant(service).approvedSale();
  rules = join(service.dataDir, '..', 'rules.yaml');
  writeFileSync(rules, 'merchants: [{ login: acme, endpoints: [{ id: "1001", screening: { maxAmount: "0.01" } }] }]');
});
afterAll(() => service.dispose());

const guardedWith = (environment: NodeJS.ProcessEnv, words: readonly string[]) =>
  orch(words, { ...service.orchEnvironment, NODE_OPTIONS: `--require ${GUARD}`, DATA_DIR: service.dataDir, ...environment });
const guarded = (...words: readonly string[]) => guardedWith({}, words);

const digests = (): readonly string[] =>
  ['events.sqlite', 'events.sqlite-wal'].map((name) =>
    createHash('sha256')
      .update(readFileSync(join(service.dataDir, name)))
      .digest('hex'),
  );

describe('a replay command opens no socket and writes nothing', () => {
  it.each<[string, () => readonly string[]]>([
    ['of one order', () => ['replay', order.orderId]],
    ['under other rules', () => ['replay', '--what-if', rules]],
    ['as of a moment', () => ['show', order.orderId, '--at-version', '1']],
    ['as a difference', () => ['diff', order.orderId, '--from', '0', '--to', '1']],
    ['asked why', () => ['why', order.orderId, 'status']],
    ['of what was unknown', () => ['unknown', 'list', '--known-at', '2026-01-01T00:00Z']],
  ])('%s', async (_, words) => {
    const before = digests();
    const { code, problems } = await guarded(...words());
    expect({ code, problems }).toStrictEqual({ code: 0, problems: '' });
    expect(digests()).toStrictEqual(before);
  });
});

it('read models are rebuilt next to the running service without writes to the log or failed reads', async () => {
  const merchant = new Merchant(service);
  const before = digests();
  let isOver = false;
  const reading = (async () => {
    const statuses = new Set<string | undefined>();
    while (!isOver) statuses.add((await merchant.status(order)).fields['status']);
    return statuses;
  })();
  const { code, problems } = await guardedWith({ REPLAY_GUARD_ALLOWS: 'read-model.sqlite' }, ['--json', 'rebuild']);
  expect({ code, problems }).toStrictEqual({ code: 0, problems: '' });
  isOver = true;
  expect(await reading).toStrictEqual(new Set(['approved']));
  expect(digests()).toStrictEqual(before);
});

const threadUnderGuard = (started: string, then: string) => {
  const text = `const worker = new (require('node:worker_threads').Worker)(${started}); ${then}`;
  const environment = { ...process.env, NODE_OPTIONS: `--require ${GUARD}`, DATA_DIR: service.dataDir };
  const { status, stdout, stderr } = spawnSync(process.execPath, ['-e', text], { env: environment, encoding: 'utf8' });
  return { status, told: stdout.trim(), problems: stderr };
};

describe('the replay guard detects', () => {
  it.each([
    ['a socket was opened', `require('node:net').connect(9)`],
    ['a database was written to', `new (require('@photostructure/sqlite').DatabaseSync)(':memory:').exec('create table t (a)')`],
  ])('in another thread: %s', (problem, text) => {
    const { status, problems } = threadUnderGuard(`${JSON.stringify(text)}, { eval: true }`, `worker.on('error', () => process.exit(1));`);
    expect(status).toBe(1);
    expect(problems).toContain(`replay guard: ${problem}`);
  });

  it('a socket', async () => {
    const words = ['unknown', 'resolve', order.orderId, '--as', 'approved', '--reason', 'r'];
    await expect(guarded(...words)).resolves.toMatchObject({ code: 1, problems: expect.stringContaining('a socket was opened') });
  });

  it('a statement that writes', async () => {
    const copy = join(service.dataDir, '..', 'copy.sqlite');
    const words = ['copy-log', '--from', join(service.dataDir, 'events.sqlite'), '--to', copy];
    await expect(guarded(...words)).resolves.toMatchObject({ code: 1, problems: expect.stringContaining('a database was written to') });
  });

  it('a data file opened for writing', async () => {
    await expect(guarded('rebuild')).resolves.toMatchObject({
      code: 1,
      problems: expect.stringContaining('replay guard: a file of the data'),
    });
  });
});
