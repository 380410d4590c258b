import { spawn, type ChildProcessByStdio } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { systemClock, type AttemptKey, type GateAlias } from '@app/kernel';
import { WriteRefused } from '@app/databases/sqlite';
import { openSimulatorLedger } from './ledger';
import { readLedger } from './ledger-reader';
import { SimulatorGate } from '../simulator-gate';
import { chargeRequest, gateSettings } from '../testing/charges';
import { ledgerFolder } from '../testing/ledger-folder';

const folders: ReturnType<typeof ledgerFolder>[] = [];
const newFolder = () => {
  const folder = ledgerFolder();
  folders.push(folder);
  return folder;
};
afterAll(() => {
  for (const folder of folders) folder.remove();
});

const startCharging = (path: string, first: number, count: number): ChildProcessByStdio<null, Readable, null> =>
  spawn(
    process.execPath,
    ['--require', 'tsx/cjs', join(__dirname, '..', 'testing', 'charging.process.ts'), path, String(first), String(count)],
    {
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
const lines = async (child: { readonly stdout: Readable }): Promise<readonly string[]> => {
  let text = '';
  for await (const chunk of child.stdout) text += String(chunk);
  return text.split('\n').slice(0, -1); // a kill may have truncated the last line
};

describe('the simulator ledger', () => {
  it('charges each key once across processes and records every repeat', async () => {
    const { path } = newFolder();
    const first = startCharging(path, 0, 300);
    const second = startCharging(path, 200, 300);
    const answered = (await Promise.all([lines(first), lines(second)])).flat();
    const reader = readLedger(path);
    const charged = reader.approvedChargesByOrder();
    expect(answered).toHaveLength(600);
    expect(answered.every((line) => line.endsWith(' approved'))).toBe(true);
    expect(charged.size).toBe(500);
    expect(new Set(charged.values())).toEqual(new Set([1]));
    expect(reader.requests()).toHaveLength(600);
    const repeated = reader.violations().map(({ key, violation }) => ({ key, violation }));
    const numbers = repeated.map(({ key }) => Number(key.slice('attempt-'.length))).sort((a, b) => a - b);
    expect(new Set(repeated.map(({ violation }) => violation))).toEqual(new Set(['charge-repeated']));
    expect(numbers).toEqual(Array.from({ length: 100 }, (_, index) => 200 + index));
    reader.close();
  }, 30_000);

  it('contains every answered transaction after its process was killed', async () => {
    const { path } = newFolder();
    const child = startCharging(path, 0, 1_000_000);
    child.stdout.once('data', () => child.kill('SIGKILL'));
    const answered = await lines(child);
    const reader = readLedger(path);
    const charged = new Set<string>(reader.transactions().map(({ key }) => key));
    expect(answered.length).toBeGreaterThan(0);
    expect(answered.filter((line) => !charged.has(`attempt-${line.replace(' approved', '')}`))).toEqual([]);
    reader.close();
    const again = await openSimulatorLedger(path);
    expect(again.find('sim-a' as GateAlias, 'attempt-0' as AttemptKey)?.state.status).toBe('approved');
    await again.close();
  }, 30_000);

  it('shows a writer the transactions of another writer', async () => {
    const { path } = newFolder();
    const [one, other] = await Promise.all([openSimulatorLedger(path), openSimulatorLedger(path)]);
    const gate = new SimulatorGate({
      settings: gateSettings(),
      bins: [],
      clock: systemClock,
      ledger: one,
      authenticationPageUrl: (key) => `https://gateway.example/${key}`,
    });
    const request = chargeRequest({ cvvDigits: '123' });
    expect(other.find(gate.profile.alias, request.key)).toBeUndefined();
    await gate.charge(request);
    expect(other.find(gate.profile.alias, request.key)).toEqual(one.find(gate.profile.alias, request.key));
    expect(other.find(gate.profile.alias, request.key)?.orderId).toBe(request.orderId);
    await Promise.all([one.close(), other.close()]);
  });

  it('rejects a request after close() and records nothing', async () => {
    const { path } = newFolder();
    const ledger = await openSimulatorLedger(path);
    await Promise.all([ledger.close(), ledger.close()]);
    const gate = new SimulatorGate({
      settings: gateSettings(),
      bins: [],
      clock: systemClock,
      ledger,
      authenticationPageUrl: (key) => `https://gateway.example/${key}`,
    });
    await expect(gate.charge(chargeRequest({ cvvDigits: '123' }))).rejects.toBeInstanceOf(WriteRefused);
    const reader = readLedger(path);
    expect(reader.requests()).toEqual([]);
    reader.close();
  });

  it('refuses to open a file that is not a database', async () => {
    const { path } = newFolder();
    writeFileSync(path, 'this is not a database, and long enough to be looked at as one'.repeat(100));
    await expect(openSimulatorLedger(path)).rejects.toThrow('not a database');
  });
});
