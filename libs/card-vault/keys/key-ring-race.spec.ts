import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { knownAnswers } from './key-ring';
import { createKeyRing, loadOrCreateKeyRing } from './key-ring-file';

const mockComing = new Set<unknown>();
jest.mock('node:fs', () => {
  const actual = jest.requireActual<typeof import('node:fs')>('node:fs');
  return { ...actual, existsSync: (path: string) => !mockComing.delete(path) && actual.existsSync(path) };
});

const folder = mkdtempSync(join(tmpdir(), 'key-ring-race-'));
afterAll(() => rmSync(folder, { recursive: true }));

it('loads a key ring that another process creates at the same time and does not replace it', () => {
  const path = join(folder, 'ring.json');
  const theirs = createKeyRing(path);
  const before = readFileSync(path, 'utf8');
  mockComing.add(path);
  expect(knownAnswers(loadOrCreateKeyRing(path))).toEqual(knownAnswers(theirs));
  expect(mockComing.size).toBe(0);
  expect(readFileSync(path, 'utf8')).toBe(before);
  expect(readdirSync(folder)).toEqual(['ring.json']);
});
