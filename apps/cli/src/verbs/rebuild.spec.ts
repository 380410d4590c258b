import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EmbeddedEventStore } from '@app/event-store/stores/embedded';
import { systemClock, systemScheduler } from '@app/kernel';
import { decodeAny, openWorkDefinitions } from '@app/read-models/queries';
import { openReadModel, type RebuildProgress } from '@app/read-models';
import { VirtualClock } from '@app/testing';
import { paintFor, ProgressDisplay } from '../terminal';
import { progressText, rebuild } from './rebuild';

const before = { ...process.env };
let folder: string;
/** The log is open for writing, as in a running service. */
let log: EmbeddedEventStore;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'rebuild-'));
  log = await EmbeddedEventStore.open({ path: join(folder, 'events.sqlite'), clock: new VirtualClock(), scheduler: systemScheduler });
  for (const name of ['EVENTSTORE_URL', 'READ_MODEL_URL']) delete process.env[name];
  process.env['DATA_DIR'] = folder;
});
afterEach(async () => {
  process.env = { ...before };
  await log.close();
  rmSync(folder, { recursive: true });
});

let lines: string[];
beforeEach(() => (lines = []));
const rebuilt = (isJson: boolean, ...only: readonly string[]): Promise<void> =>
  rebuild({ only }, { paint: paintFor(false), isJson, line: (text = '') => void lines.push(text), problem: () => undefined });
const serving = (openWork = openWorkDefinitions) =>
  openReadModel({ path: join(folder, 'read-model.sqlite'), log, decode: decodeAny, clock: systemClock, openWork });

it('rejects unknown projections with exit code 2, lists the known ones and rebuilds none', async () => {
  await expect(rebuilt(true, 'order-status', 'orders', 'cards')).rejects.toMatchObject({
    name: 'CommandFailed',
    message: expect.stringMatching(/^unknown projection orders, cards\. Choose from order-status, /),
    exitCode: 2,
  });
  expect(lines).toStrictEqual([]);
});

it('builds the first generation of one projection and prints its row count', async () => {
  await rebuilt(true, 'order-status');
  expect(JSON.parse(lines.join(''))).toMatchObject({
    events: 0,
    parkedStreams: 0,
    projections: [{ projection: 'order-status', generation: 1, rows: 0 }],
  });
});

it('rebuilds all projections while a service runs, and the service switches to the new generation', async () => {
  const service = await serving();
  await service.position();
  await rebuilt(false);
  expect(lines[0]).toMatch(/^0 events read, 0 rows written, \d+\.\d s$/);
  expect(lines[1]).toMatch(/^ {2}order-status +0 rows in generation 2$/);
  expect((await service.health())[0]).toMatchObject({ generation: 2 });
  await service.close();
});

it('exits with 4 if a running service of another release projects different tables', async () => {
  const [first, ...others] = openWorkDefinitions;
  if (first === undefined) throw new Error('there is no open work');
  const service = await serving([{ ...first, shape: first.shape + 1 }, ...others]);
  await service.position();
  await expect(rebuilt(true)).rejects.toMatchObject({
    message: expect.stringMatching(/^open-work:\w+: this release projects other tables/),
    exitCode: 4,
  });
  await service.close();
});

const at = (events: number, position: string, head: string): RebuildProgress => ({ events, position, head }) as unknown as RebuildProgress;

const progressOn = (isTerminal: boolean) => {
  const written: string[] = [];
  const clock = { nowMs: 0 };
  const display = new ProgressDisplay({ write: (text) => written.push(text), isTerminal, nowMs: () => clock.nowMs });
  const update = (progress: RebuildProgress): void => display.update((elapsedMs) => progressText(progress, elapsedMs));
  return { written, clock, line: { update, end: () => display.end() } };
};

it('prints progress, rate and remaining time every ten seconds', () => {
  const { written, clock, line } = progressOn(false);
  line.update(at(500, '600', '100000'));
  expect(written).toStrictEqual([]);
  clock.nowMs = 10_000;
  line.update(at(200_000, '25000', '100000'));
  clock.nowMs = 10_500;
  line.update(at(200_500, '25100', '100000'));
  clock.nowMs = 20_000;
  line.update(at(400_000, '50000/50000', '100000/100000'));
  expect(written).toStrictEqual([
    'projecting: 200000 events, 20000 events/s, 25 %, about 30 s left\n',
    'projecting: 400000 events, 20000 events/s, 50 %, about 20 s left\n',
  ]);
});

it.each([
  [1_000, '100', '10000', 'about 17 min left'],
  [1_000, '1', '10000', 'about 27 h 47 min left'],
  [1_000, '10000', '10000', '100 %, about 0 s left'],
  [1_000, '0', '10000', '100 events/s\n'],
])('shows %i events at %s of %s as: %s', (events, position, head, words) => {
  const { written, clock, line } = progressOn(false);
  clock.nowMs = 10_000;
  line.update(at(events, position, head));
  expect(written[0]).toContain(words);
});

it('updates one terminal line and erases it at the end', () => {
  const { written, clock, line } = progressOn(true);
  clock.nowMs = 200;
  line.update(at(1_000, '1', '2'));
  line.update(at(1_500, '1', '2'));
  line.end();
  expect(written).toStrictEqual(['\r\u001b[2Kprojecting: 1000 events, 5000 events/s, 50 %, about 1 s left', '\r\u001b[2K']);
});
