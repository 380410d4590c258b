import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { CommandFailed, EXIT } from '../command-failed';
import { opened, outcomeOf } from './reconcile';

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

describe('what a comparison came to', () => {
  const none = { matched: 0, different: 0, 'missing-here': 0, 'missing-there': 0, duplicate: 0 };
  const agrees = { counts: { ...none, matched: 2 }, lines: 2, setAside: 0, isMissingThereSought: true };

  it.each([
    ['agrees', {}],
    ['set-aside', { lines: 3, setAside: 1 }],
    ['set-aside', { isMissingThereSought: false }],
    ['differs', { counts: { ...none, 'missing-there': 1 }, lines: 0 }],
    ['nothing-compared', { counts: none, lines: 1, setAside: 1 }],
  ])('is %s where %j', (outcome, change) => {
    expect(outcomeOf({ ...agrees, ...change })).toBe(outcome);
  });
});
