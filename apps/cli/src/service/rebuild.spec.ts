import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EmbeddedEventStore } from '@app/event-store/stores/embedded';
import { systemClock, systemScheduler } from '@app/kernel';
import { decodeAny, openWorkDefinitions } from '@app/read-models/queries';
import { openReadModel } from '@app/read-models';
import { VirtualClock } from '@app/testing';
import { paintFor } from '../terminal/paint';
import { rebuild } from './rebuild';

const before = { ...process.env };
let folder: string;
/** Its writer, as a running service has it. */
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

it('projections that do not exist are named beside those that do, exit code 2, and none is rebuilt', async () => {
  await expect(rebuilt(true, 'order-status', 'orders', 'cards')).rejects.toMatchObject({
    name: 'CommandFailed',
    message: expect.stringMatching(/^no projection orders, cards; there are order-status, /),
    exitCode: 2,
  });
  expect(lines).toStrictEqual([]);
});

it('builds one projection where there is none yet, and shows its rows', async () => {
  await rebuilt(true, 'order-status');
  expect(JSON.parse(lines.join(''))).toMatchObject({
    events: 0,
    parkedStreams: 0,
    projections: [{ projection: 'order-status', generation: 1, rows: 0 }],
  });
});

it('rebuilds all beside a service that projects, which goes over to the new generation', async () => {
  const service = await serving();
  await service.position();
  await rebuilt(false);
  expect(lines[0]).toMatch(/^0 events read, 0 rows written, \d+\.\d s$/);
  expect(lines[1]).toMatch(/^ {2}order-status +0 rows in generation 2$/);
  expect((await service.health())[0]).toMatchObject({ generation: 2 });
  await service.close();
});

it('is refused with exit code 4 where a service of another release projects other tables', async () => {
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
