import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { StreamName } from '@app/event-store';
import { EmbeddedEventStore } from '@app/event-store/stores/embedded';
import { ChainedWriter } from '@app/event-store/testing';
import { systemScheduler } from '@app/kernel';
import { openDatabase } from '@app/databases/sqlite';
import { VirtualClock } from '@app/testing';
import { paintFor } from '../terminal/paint';
import { copyLogTo } from './copy-log';

const STREAM = 'payment-1' as StreamName;

let folder: string;
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'copy-log-'))));
afterEach(() => rmSync(folder, { recursive: true }));

it.each([
  ['a copy', undefined, / What was copied stays; the same command again goes on\.$/],
  ['a verification', true, /^(?!.* What was copied)/],
] as const)('%s of a store that gives no answer fails in one line, exit code 1', async (_what, verifyOnly, message) => {
  const [from, to] = [join(folder, 'events.sqlite'), join(folder, 'other.sqlite')];
  const store = await EmbeddedEventStore.open({ path: from, clock: new VirtualClock(), scheduler: systemScheduler });
  await new ChainedWriter(store).write(STREAM);
  await store.close();
  // A view whose rows cannot be computed: the statements are prepared, and fail when they are run.
  const db = openDatabase(from);
  db.exec('ALTER TABLE events RENAME TO kept; CREATE VIEW events AS SELECT * FROM kept WHERE abs(-9223372036854775807 - 1)');
  db.close();
  const output = { paint: paintFor(false), isJson: true, line: () => undefined, problem: () => undefined };
  const copied = copyLogTo({ from, to, stream: [STREAM], ...(verifyOnly && { verifyOnly }) }, output);
  await expect(copied).rejects.toMatchObject({ name: 'CommandFailed', exitCode: 1, message: expect.stringMatching(message) });
  await expect(copied).rejects.toThrow(/^the event log cannot be read: /);
  expect(existsSync(to)).toBe(false);
});
