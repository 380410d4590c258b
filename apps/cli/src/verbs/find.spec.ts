import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EmbeddedEventStore } from '@app/event-store/stores/embedded';
import { systemScheduler } from '@app/kernel';
import { VirtualClock } from '@app/testing';
import { paintFor } from '../terminal';
import { find, type FindOptions } from './find';

const before = { ...process.env };
let folder: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'find-'));
  await (
    await EmbeddedEventStore.open({ path: join(folder, 'events.sqlite'), clock: new VirtualClock(), scheduler: systemScheduler })
  ).close();
  for (const name of ['EVENTSTORE_URL', 'READ_MODEL_URL']) delete process.env[name];
  process.env['DATA_DIR'] = folder;
});
afterAll(() => {
  process.env = before;
  rmSync(folder, { recursive: true });
});

const lines: string[] = [];
const found = (options: FindOptions, isJson = false): Promise<void> =>
  find(
    'inv-1',
    { merchant: 'acme', ...options },
    { paint: paintFor(false), isJson, line: (text = '') => void lines.push(text), problem: () => undefined },
  );

it.each([false, true])('rejects an invalid --after cursor with exit code 2 and prints no result (in JSON: %s)', async (isJson) => {
  await expect(found({ after: 'page 2' }, isJson)).rejects.toMatchObject({
    name: 'CommandFailed',
    message: '--after takes the value that the previous page printed',
    exitCode: 2,
  });
  expect(lines).toStrictEqual([]);
});

it.each(['0', '1001', 'all', '1e1'])('rejects --limit %s with exit code 2', async (limit) => {
  await expect(found({ limit })).rejects.toMatchObject({
    name: 'CommandFailed',
    message: '--limit must be a number from 1 to 1000',
    exitCode: 2,
  });
});
