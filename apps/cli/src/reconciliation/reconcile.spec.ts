import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { CommandFailed, EXIT } from '../command-failed';
import { opened } from './reconcile';

describe('the settlement file of a reconciliation', () => {
  const folder = mkdtempSync(join(tmpdir(), 'reconcile-'));
  afterAll(() => rmSync(folder, { recursive: true }));

  it('is read as it is', async () => {
    const path = join(folder, 'settled.csv');
    writeFileSync(path, 'order,amount\n');
    await expect(text(opened(path))).resolves.toBe('order,amount\n');
  });

  it.each([
    ['a folder is no file', '.', 'is no file'],
    ['nothing is there', 'missing.csv', 'cannot be read'],
  ])('is refused with the reason, where %s', (_what, name, reason) => {
    const path = join(folder, name);
    expect(() => opened(path)).toThrow(new CommandFailed(`${path} ${reason}`, EXIT.usage));
  });
});
