import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EmbeddedEventStore } from '@app/event-store/stores/embedded';
import { systemScheduler } from '@app/kernel';
import { VirtualClock } from '@app/testing';
import { paintFor } from '../terminal/paint';
import { rebuild } from './rebuild';

const before = { ...process.env };
let folder: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'rebuild-'));
  const path = join(folder, 'events.sqlite');
  await (await EmbeddedEventStore.open({ path, clock: new VirtualClock(), scheduler: systemScheduler })).close();
  for (const name of ['EVENTSTORE_URL', 'READ_MODEL_URL']) delete process.env[name];
  process.env['DATA_DIR'] = folder;
});
afterAll(() => {
  process.env = before;
  rmSync(folder, { recursive: true });
});

let lines: string[];
beforeEach(() => (lines = []));
const rebuilt = (...only: readonly string[]): Promise<void> =>
  rebuild({ only }, { paint: paintFor(false), isJson: true, line: (text = '') => void lines.push(text), problem: () => undefined });

it('projections that do not exist are named beside those that do, exit code 2, and none is rebuilt', async () => {
  await expect(rebuilt('order-status', 'orders', 'cards')).rejects.toMatchObject({
    name: 'CommandFailed',
    message: expect.stringMatching(/^no projection orders, cards; there are order-status, /),
    exitCode: 2,
  });
  expect(lines).toStrictEqual([]);
});

it('the same command with a projection that exists is free to run after it', async () => {
  await expect(rebuilt('order-statuses')).rejects.toMatchObject({ name: 'CommandFailed', exitCode: 2 });
  await rebuilt('order-status');
  expect(JSON.parse(lines.join(''))).toMatchObject({ events: 0, projections: [{ projection: 'order-status' }] });
});
