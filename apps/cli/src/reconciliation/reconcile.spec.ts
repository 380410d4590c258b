import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { OrchestratorEnvironment } from '@app/configuration';
import type { ConfiguredGate } from '@app/gateway-adapters/registry';
import { CommandFailed, EXIT } from '../terminal';
import { opened, outcomeOf, poll } from './reconcile';

describe('the settlement file of a reconciliation', () => {
  const folder = mkdtempSync(join(tmpdir(), 'reconcile-'));
  afterAll(() => rmSync(folder, { recursive: true }));

  it('is read unchanged', async () => {
    const path = join(folder, 'settled.csv');
    writeFileSync(path, 'order,amount\n');
    await expect(text(opened(path))).resolves.toBe('order,amount\n');
  });

  it.each([
    ['a folder is no file', '.', 'is not a file'],
    ['nothing is there', 'missing.csv', 'cannot be read'],
  ])('is rejected with the reason if %s', (_what, name, reason) => {
    const path = join(folder, name);
    expect(() => opened(path)).toThrow(new CommandFailed(`${path} ${reason}`, EXIT.usage));
  });
});

describe('the outcome of a comparison', () => {
  const none = { matched: 0, different: 0, 'missing-here': 0, 'missing-there': 0, duplicate: 0 };
  const agrees = { counts: { ...none, matched: 2 }, lines: 2, setAside: 0, isMissingThereSought: true };

  it.each([
    ['agrees', {}],
    ['set-aside', { lines: 3, setAside: 1 }],
    ['set-aside', { isMissingThereSought: false }],
    ['differs', { counts: { ...none, 'missing-there': 1 }, lines: 0 }],
    ['nothing-compared', { counts: none, lines: 1, setAside: 1 }],
  ])('is %s for %j', (outcome, change) => {
    expect(outcomeOf({ ...agrees, ...change })).toBe(outcome);
  });
});

const before = { ...process.env };
beforeEach(() => void (process.env.ORCH_OPERATOR_TOKEN = 'a-token'));
afterEach(() => {
  jest.restoreAllMocks();
  process.env = { ...before };
});

const PERIOD = { from: '2026-11-24', to: '2026-11-24', dryRun: true } as const;
const environment = { operatorHost: '127.0.0.1', operatorPort: 1 } as OrchestratorEnvironment;

describe('the exit code of a reconciliation that queries the gate', () => {
  it.each([
    [0, 'the gate tells some outcomes', {}, { asked: 2, matched: 1, notTold: 1 }],
    [2, 'there is nothing to ask about', {}, { asked: 0, matched: 0, notTold: 0 }],
    [2, 'the gate tells no outcome', {}, { asked: 2, matched: 0, notTold: 2 }],
    [0, 'nothing is left behind the place where it goes on', { after: 'place' }, { asked: 0, matched: 0, notTold: 0 }],
    [2, 'the gate tells no outcome behind that place', { after: 'place' }, { asked: 2, matched: 0, notTold: 2 }],
  ])('is %d if %s', async (code, _, place, page) => {
    jest.spyOn(globalThis, 'fetch').mockResolvedValue(Response.json({ ...page, differences: [] }));
    const output = { isJson: true, line: () => undefined, problem: () => undefined, paint: (_tone: string, text: string) => text };
    await expect(poll({ alias: 'sim-a' } as ConfiguredGate, { ...PERIOD, ...place }, environment, output)).resolves.toBe(code);
  });
});
