import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createKeyRing, loadKeyRing, openVault } from '@app/card-vault';
import { Secret, systemClock, type CardHandle, type Instant, type MerchantLogin, type Sealed } from '@app/kernel';
import { createTestDatabase, runOnce, startPostgres, type Postgres } from '@app/databases/testing';
import { eventually, seededRandom, wholeNumber } from '@app/testing';
import { ended, spokenLines } from '../support/processes/child-process';

/** Allows for servers and processes that start on a busy machine. */
jest.setTimeout(120_000);

const folder = mkdtempSync(join(tmpdir(), 'vault-processes-'));
const ringPath = join(folder, 'ring.json');
const acme = 'acme' as MerchantLogin;
const children: ChildProcess[] = [];
let server: Postgres;

beforeAll(async () => {
  server = await startPostgres();
  createKeyRing(ringPath);
});
afterAll(async () => {
  for (const child of children) child.kill('SIGKILL');
  await Promise.all(children.map(ended));
  await server.stop();
  rmSync(folder, { recursive: true });
});

const startKeeper = (url: string, life: string): { child: ChildProcess; lines: readonly string[] } => {
  const program = join(__dirname, 'processes', 'endless-keeper.ts');
  const child = spawn(process.execPath, ['--require', require.resolve('tsx/cjs'), program, url, ringPath, life], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  children.push(child);
  return { child, lines: spokenLines(child) };
};

const lives = wholeNumber('VAULT_LIVES', 2);
it(`two processes on one vault lose no acknowledged card and share no key if killed at random (${lives} times each)`, async () => {
  const database = await createTestDatabase(server);
  const random = seededRandom(11);
  const acknowledged: string[] = [];
  for (let life = 0; life < lives; life++) {
    const pair = ['a', 'b'].map((name) => startKeeper(database.url, `${name}${life}`));
    for (const { child, lines } of pair) {
      const enough = 1 + Math.floor(random.fraction() * 300);
      await eventually(() => lines.length > enough || child.exitCode !== null, { seen: () => lines.length, limitMs: 20_000 });
      child.kill('SIGKILL');
    }
    await Promise.all(pair.map(({ child }) => ended(child)));
    for (const { child, lines } of pair) {
      expect(child.signalCode).toBe('SIGKILL');
      expect(lines[0]).toBe('ready');
      acknowledged.push(...lines.slice(1));
    }
  }
  expect(acknowledged.length).toBeGreaterThan(2 * lives);

  const vault = await openVault({
    at: { kind: 'postgres', url: new Secret(database.url) },
    keyRing: loadKeyRing(ringPath),
    clock: systemClock,
  });
  const keys = new Set<string>();
  const uids = new Set<string>();
  for (const line of acknowledged) {
    const [handle, holder, uid = '', keyId = '', sealed] = line.split(' ');
    expect((await vault.open(acme, handle as CardHandle)).reveal().holder).toBe(holder);
    expect(await vault.unseal(acme, 'email', sealed as Sealed)).toBe(holder);
    keys.add(keyId);
    uids.add(uid);
  }
  expect(keys.size).toBe(acknowledged.length);
  expect(uids.size).toBe(1);
  // A stored card that was never acknowledged has no owner, so the sweeper finds it.
  const rows = await runOnce<{ cards: string; ownerless: string }>(
    database.url,
    `SELECT (SELECT count(*) FROM cards) AS cards,
            (SELECT count(*) FROM cards JOIN ownerless_cards USING (handle, merchant)) AS ownerless`,
  );
  expect(Number(rows[0]?.cards)).toBeGreaterThanOrEqual(acknowledged.length);
  expect(rows[0]?.ownerless).toBe(rows[0]?.cards);
  expect((await vault.ownerlessCards((systemClock.now() + 1) as Instant, 1_000)).length).toBe(Math.min(1_000, Number(rows[0]?.cards)));
  await vault.close();
  await database.drop();
});
