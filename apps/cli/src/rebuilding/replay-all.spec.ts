import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { EmbeddedEventStore } from '@app/event-store/stores/embedded';
import { systemClock, systemScheduler, type MerchantLogin } from '@app/kernel';
import { decodeAny, openWorkDefinitions } from '@app/order-queries';
import { paymentCodec, paymentStream } from '@app/payment';
import { openReadModel, type ReadModel } from '@app/projections';
import { openDatabase } from '@app/sqlite';
import { ACCEPTED_AT, attemptEvents, sampleOrder, VirtualClock } from '@app/testing';
import { runOrch } from '../program';

jest.setTimeout(60_000);

const order = sampleOrder();
const stream = paymentStream('acme' as MerchantLogin, order.clientOrderId);
const before = { ...process.env };
let folder: string;
let log: EmbeddedEventStore;
let service: ReadModel;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'orch-replay-'));
  log = await EmbeddedEventStore.open({ path: join(folder, 'events.sqlite'), clock: new VirtualClock(), scheduler: systemScheduler });
  const envelope = { correlation: 's', causation: 's', actor: 'acme', merchant: 'acme', commandId: 'c', recordedAt: ACCEPTED_AT };
  const events = [{ type: 'OrderAccepted' as const, data: order }, attemptEvents.started()] as const;
  await log.append(stream, 'no_stream', paymentCodec.encode(events, stream, 'no_stream', envelope));
  for (const name of ['NODE_ENV', 'EVENTSTORE_URL', 'READ_MODEL_URL', 'VAULT_URL', 'ROLES']) delete process.env[name];
  Object.assign(process.env, { DATA_DIR: folder, ORCH_CONFIG: resolve(__dirname, '../../../../config/sandbox.yaml') });
});
afterEach(async () => {
  process.env = { ...before };
  await service?.close();
  await log.close();
  rmSync(folder, { recursive: true });
});

const serve = async (): Promise<void> => {
  service = await openReadModel({
    path: join(folder, 'read-model.sqlite'),
    log,
    decode: decodeAny,
    clock: systemClock,
    openWork: openWorkDefinitions,
  });
  await service.position();
};

const orch = async (...words: readonly string[]) => {
  let [out, problems] = ['', ''];
  const streams = {
    stdout: { isTTY: false, write: (text: string) => Boolean((out += text)) },
    stderr: { write: (text: string) => Boolean((problems += text)) },
  };
  const code = await runOrch(words, streams);
  return { code, out, problems };
};

it('builds, compares and switches beside the service; then back, and dropped', async () => {
  await serve();
  const { code, out } = await orch('replay', '--all');
  expect(code).toBe(0);
  expect(out).toMatch(/^2 events read, \d+\.\d s, \d+ events\/s, 0 streams parked\n/);
  expect(out).toContain('  order-status          generation 2: 1 rows, the same as those that serve\n');
  expect(out).toContain('switched; the older generation is kept');
  expect((await service.health())[0]).toMatchObject({ generation: 2 });
  await expect(orch('--json', 'replay', '--all', '--back')).resolves.toMatchObject({
    code: 0,
    out: expect.stringContaining('"order-status"'),
  });
  expect((await service.health())[0]).toMatchObject({ generation: 1 });
  await expect(orch('replay', '--all', '--drop')).resolves.toMatchObject({
    code: 0,
    out: expect.stringMatching(/^\d+ generations dropped\n$/),
  });
  await expect(orch('replay', '--all', '--back')).resolves.toMatchObject({ code: 4, problems: 'no older generation is kept\n' });
});

it('switches to nothing where rows differ, ends with 4, and does it on demand', async () => {
  await serve();
  const rows = openDatabase(join(folder, 'read-model.sqlite'));
  rows.exec(`update order_status_g1 set view = '{}'`);
  rows.close();
  const { code, out, problems } = await orch('replay', '--all');
  expect([code, problems]).toStrictEqual([4, expect.stringContaining('rows differ, and nothing was switched')]);
  expect(out).toContain('1 rows, as many as serve, with other content');
  expect((await service.health())[0]).toMatchObject({ generation: 1 });
  const again = await orch('--json', 'replay', '--all', '--switch');
  expect(JSON.parse(again.out)).toMatchObject({ isSwitched: true, events: 0, resumedFrom: expect.any(String) });
  expect((await service.health())[0]).toMatchObject({ generation: 2 });
});

it('compares, and switches to nothing, with --compare-only', async () => {
  await serve();
  await expect(orch('replay', '--all', '--compare-only')).resolves.toMatchObject({ code: 0, out: expect.stringContaining('not switched') });
  expect((await service.health())[0]).toMatchObject({ generation: 1 });
});

it('is refused where nothing was built, and where the read models are of an older release, which it leaves as they are', async () => {
  await expect(orch('replay', '--all')).resolves.toMatchObject({ code: 4, problems: expect.stringContaining('were never built') });
  await serve();
  const older = openDatabase(join(folder, 'read-model.sqlite'));
  older.exec('drop table replays; pragma user_version = 2');
  older.close();
  await expect(orch('replay', '--all')).resolves.toMatchObject({ code: 4, problems: expect.stringContaining('of an older release') });
  const after = openDatabase(join(folder, 'read-model.sqlite'), { readOnly: true });
  expect(after.prepare(`select count(*) as count from sqlite_master where name = 'replays'`).get()).toMatchObject({ count: 0 });
  after.close();
});

it.each([
  ['replay --all inv-1', 'name an order'],
  ['replay --all --what-if x', 'name an order'],
  ['replay --all --switch --back', 'exclude each other'],
  ['replay --all --merchant acme', '--merchant does not go with --all'],
  ['replay inv-1 --back', '--back does not go with an order'],
  ['replay --what-if x --drop', '--drop does not go with --what-if'],
])('%s ends with 2', async (words, problem) => {
  await expect(orch(...words.split(' '))).resolves.toMatchObject({ code: 2, out: '', problems: expect.stringContaining(problem) });
});
