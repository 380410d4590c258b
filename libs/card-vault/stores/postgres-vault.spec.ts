import { randomUUID } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Secret, systemClock, systemRandom, type Card, type CardHandle, type MerchantLogin, type Sealed } from '@app/kernel';
import type { EventId, StreamName } from '@app/event-store';
import { MemoryEventStore } from '@app/event-store/stores/memory';
import { OWNERLESS_KEPT_MS, SweepOwnerlessCards } from '@app/orders';
import { openRelay, startPostgresAlone, type Postgres, type Relay } from '@app/databases/testing';
import type { EnvelopeCardVault } from '../envelope/envelope-card-vault';
import { openPostgresVault, openVault } from '../open-vault';
import { CACHED_ORDER_KEY_MS } from '../keys/order-keys';
import { CardErased, VaultUnavailable, type OrderKeyId } from '../port';
import { describeCardVault } from '../testing/card-vault.contract';
import { instant, newKeyRing } from '../testing/keys';
import { newPostgresTestVault, type PostgresTestVault } from '../testing/postgres-test-vault';
import { bytesOf, type VaultSettings } from '../testing/test-vault';

jest.setTimeout(60_000);

let server: Postgres;
beforeAll(async () => {
  server = await startPostgresAlone();
});
afterAll(() => server.stop());

describeCardVault('the vault on PostgreSQL', () => newPostgresTestVault(server.url));

const acme = 'acme' as MerchantLogin;
const settings: VaultSettings = { keyRing: newKeyRing(), clock: systemClock, random: systemRandom, orderKeysAhead: 64 };
const card = (more: Partial<Card> = {}): Card => ({
  number: '4444333322221111',
  expiryMonth: 7,
  expiryYear: 2031,
  holder: 'JOHN SMITH',
  ...more,
});
const keepIn = (vault: EnvelopeCardVault, one: Card = card()) => vault.keep(acme, new Secret(one), 'payment-stream');
const cardIn = async (vault: EnvelopeCardVault, handle: CardHandle): Promise<Card> => (await vault.open(acme, handle)).reveal();

const CONNECTIONS_MAX = 8;

/** The server ends a connection with some delay: each open one may refuse one more read. */
const answered = async <Answer>(ask: () => Promise<Answer>): Promise<Answer> => {
  for (let refusals = 0; ; refusals++) {
    try {
      return await ask();
    } catch (error) {
      if (!(error instanceof VaultUnavailable) || refusals === CONNECTIONS_MAX) throw error;
    }
  }
};

describe('several processes on one PostgreSQL vault', () => {
  let testVault: PostgresTestVault;
  const vaults: EnvelopeCardVault[] = [];
  const openOne = async (more: Partial<VaultSettings> = {}): Promise<EnvelopeCardVault> => {
    const vault = await testVault.openVault({ ...settings, ...more });
    vaults.push(vault);
    return vault;
  };
  const openThree = () => Promise.all([openOne(), openOne(), openOne()]);

  beforeEach(async () => {
    testVault = await newPostgresTestVault(server.url);
  });
  afterEach(async () => {
    await Promise.all(vaults.splice(0).map((vault) => vault.close()));
    await testVault.remove();
  });

  it('start concurrently on an empty database', async () => {
    const five = await Promise.all(Array.from({ length: 5 }, () => openOne()));
    const { handle } = await keepIn(five[0] as EnvelopeCardVault);
    for (const vault of five) expect(await cardIn(vault, handle)).toEqual(card());
  });

  it('start concurrently with different key rings, and only one key ring is accepted', async () => {
    const started = await Promise.allSettled(Array.from({ length: 5 }, () => openOne({ keyRing: newKeyRing() })));
    expect(started.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    for (const one of started) if (one.status === 'rejected') expect(one.reason).toMatchObject({ name: 'KeyRingFault' });
    const names = await testVault.query('SELECT name FROM known_answers ORDER BY name');
    expect(names.map(({ name }) => name)).toEqual(['index:1', 'kek:1', 'service']);
  });

  it('issue order keys from separate blocks, and each process opens texts sealed by the others', async () => {
    const [a, b, c] = await openThree();
    const taken = await Promise.all([a, b, c].map((vault) => Promise.all(Array.from({ length: 200 }, () => vault.takeKey()))));
    const ids = taken.flat().map(({ id }) => id);
    expect(new Set(ids).size).toBe(600);
    const blocks = taken.map((keys) => new Set(keys.map(({ id }) => id.slice(0, 16))));
    expect(new Set(blocks.flatMap((set) => [...set])).size).toBe(blocks.reduce((sum, set) => sum + set.size, 0));
    const sealed = taken.map((keys) => keys[0]?.seal(acme, 'customer', 'a@b.c') as Sealed);
    for (const vault of [a, b, c]) {
      expect(await Promise.all(sealed.map((text) => vault.unseal(acme, 'customer', text)))).toEqual(['a@b.c', 'a@b.c', 'a@b.c']);
    }
    const wrapped = await testVault.query('SELECT wrapped FROM order_keys');
    expect(new Set(wrapped.map((row) => bytesOf(row['wrapped']).toString('hex'))).size).toBe(wrapped.length);
  });

  it('assign one uid to a number that each process keeps 50 times concurrently', async () => {
    const three = await openThree();
    const kept = await Promise.all(three.flatMap((vault) => Array.from({ length: 50 }, () => keepIn(vault))));
    expect(new Set(kept.map(({ uid }) => uid)).size).toBe(1);
    expect(await testVault.query('SELECT count(*) AS count FROM card_uids')).toEqual([{ count: '1' }]);
    expect(await testVault.query('SELECT count(*) AS count FROM cards')).toEqual([{ count: '150' }]);
  });

  it('stop using a key within a minute after another process erased it', async () => {
    let nowMs = 1_000_000;
    const [eraser, reader] = [await openOne(), await openOne({ clock: { now: () => instant(nowMs) } })];
    const sealed = (await eraser.takeKey()).seal(acme, 'customer', 'a@b.c');
    expect(await reader.unseal(acme, 'customer', sealed)).toBe('a@b.c');
    await eraser.erase([eraser.keyOf(sealed)]);
    expect(await eraser.unseal(acme, 'customer', sealed)).toBeUndefined();
    nowMs += CACHED_ORDER_KEY_MS;
    expect(await reader.unseal(acme, 'customer', sealed)).toBeUndefined();
  });

  it('erase the same keys concurrently in different orders', async () => {
    const [a, b, c] = await openThree();
    const keys = await Promise.all(Array.from({ length: 300 }, () => a.takeKey()));
    const ids = keys.map(({ id }) => id);
    const turned = (by: number): OrderKeyId[] => [...ids.slice(by), ...ids.slice(0, by)];
    for (let round = 0; round < 3; round++) {
      await Promise.all([a.erase(turned(round)), b.erase(turned(round + 100).reverse()), c.erase(turned(round + 200))]);
    }
    const left = await testVault.query("SELECT id FROM order_keys WHERE wrapped <> decode(repeat('00', length(wrapped)), 'hex')");
    expect(left.filter(({ id }) => ids.includes(id as OrderKeyId))).toEqual([]);
  });

  it('sweep concurrently, shred each ownerless card and keep each card of an order', async () => {
    let nowMs = 1_000_000;
    const clock = { now: () => instant(nowMs) };
    const three = await Promise.all([openOne({ clock }), openOne({ clock }), openOne({ clock })]);
    const log = new MemoryEventStore(clock);
    const kept: CardHandle[] = [];
    for (let at = 0; at < 60; at++) {
      const owner = `payment-${at}` as StreamName;
      const { handle } = await three[0].keep(acme, new Secret(card()), owner);
      kept.push(handle);
      const accepted = { id: randomUUID() as EventId, type: 'OrderAccepted', data: JSON.stringify({ card: handle }), metadata: '{}' };
      if (at % 2 === 0) await log.append(owner, 'no_stream', [accepted]);
    }
    nowMs += OWNERLESS_KEPT_MS + 1;
    const swept = await Promise.all(three.map((vault) => new SweepOwnerlessCards(vault, log, clock).sweep()));
    for (const { owned, shredded } of swept) expect([owned, shredded].every((count) => count <= 30)).toBe(true);
    for (const [at, handle] of kept.entries()) {
      if (at % 2 === 0) expect(await cardIn(three[1], handle)).toEqual(card());
      else await expect(three[1].open(acme, handle)).rejects.toThrow(CardErased);
    }
    expect(await three[2].ownerlessCards(clock.now(), 10)).toEqual([]);
  });

  it('keep every acknowledged card although the server terminates connections at random', async () => {
    const [a, b] = await openThree();
    const kept: CardHandle[] = [];
    let refused = 0;
    const keepOn = async (vault: EnvelopeCardVault): Promise<void> => {
      while (kept.length < 300) {
        try {
          kept.push((await keepIn(vault)).handle);
        } catch (error) {
          expect(error).toBeInstanceOf(VaultUnavailable);
          refused++;
        }
      }
    };
    const endConnections = async (): Promise<void> => {
      while (kept.length < 300) {
        const before = kept.length;
        await testVault.query("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'card-vault'");
        while (kept.length < Math.min(before + 50, 300)) await new Promise((resolve) => setImmediate(resolve));
      }
    };
    await Promise.all([...Array.from({ length: 8 }, () => [keepOn(a), keepOn(b)]).flat(), endConnections()]);
    expect(refused).toBeGreaterThan(0);
    for (const handle of kept) expect(await answered(() => cardIn(b, handle))).toEqual(card());
    // Rows stored without an acknowledgement have no owner, so the sweeper finds them.
    const torn = await testVault.query(
      `SELECT handle FROM cards WHERE handle NOT IN (SELECT handle FROM ownerless_cards)
         OR merchant NOT IN (SELECT merchant FROM card_uids)`,
    );
    expect(torn).toEqual([]);
  });
});

describe('an unavailable PostgreSQL vault', () => {
  let testVault: PostgresTestVault;
  let relay: Relay;
  let vault: EnvelopeCardVault;

  beforeEach(async () => {
    testVault = await newPostgresTestVault(server.url);
    relay = await openRelay(testVault.url.reveal());
    vault = await openPostgresVault({ ...settings, url: new Secret(relay.url) });
  });
  afterEach(async () => {
    relay.set('closed');
    await vault.close();
    await relay.close();
    await testVault.remove();
  });

  it('rejects every operation, reports the reason without its password and recovers', async () => {
    const { handle } = await keepIn(vault);
    relay.set('closed');
    await expect(keepIn(vault)).rejects.toThrow(VaultUnavailable);
    await expect(vault.open(acme, handle)).rejects.toThrow(VaultUnavailable);
    await expect(vault.shred(acme, handle)).rejects.toThrow(VaultUnavailable);
    await expect(vault.ownerlessCards(instant(9e12), 10)).rejects.toThrow(VaultUnavailable);
    expect(vault.takeKeyNow()).toBeDefined();
    while (vault.takeKeyNow() !== undefined);
    await expect(vault.takeKey()).rejects.toThrow(VaultUnavailable);
    const { isReady, problem = '' } = await vault.ready();
    expect(isReady).toBe(false);
    expect(problem).toMatch(/^PostgreSQL at 127\.0\.0\.1:\d+, database postgres: ./);
    expect(problem).not.toContain(new URL(relay.url).password);
    relay.set('open');
    expect(await vault.ready()).toMatchObject({ isReady: true, problem: undefined });
    expect(await cardIn(vault, handle)).toEqual(card());
    await keepIn(vault);
    expect(vault.takeKeyNow()).toBeDefined();
  });

  it('rejects within its timeouts if the network drops all packets', async () => {
    relay.set('silent');
    const startedAt = performance.now();
    const asked = await Promise.allSettled(Array.from({ length: 20 }, () => keepIn(vault)));
    expect(asked.map((one) => one.status === 'rejected' && one.reason instanceof VaultUnavailable)).toEqual(Array(20).fill(true));
    expect(performance.now() - startedAt).toBeLessThan(20_000);
    relay.set('closed');
    relay.set('open');
    await keepIn(vault);
  });

  it('rejects if another session locks a table too long, and waits for a shorter lock', async () => {
    await testVault.query('BEGIN');
    await testVault.query('LOCK TABLE cards');
    await expect(keepIn(vault)).rejects.toThrow('it does not answer in time');
    const waiting = keepIn(vault);
    await testVault.query('COMMIT');
    await waiting;
  });

  it('reports that it takes no writes if its server is a standby or read-only', async () => {
    const readOnly = new URL(relay.url);
    readOnly.searchParams.set('options', `${readOnly.searchParams.get('options')} -c default_transaction_read_only=on`);
    await expect(openPostgresVault({ ...settings, url: new Secret(readOnly.href) })).rejects.toThrow('read-only transaction');
    const user = decodeURIComponent(readOnly.username);
    await testVault.query(`ALTER ROLE ${user} SET default_transaction_read_only = on`);
    try {
      await testVault.query("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'card-vault'");
      let told = await vault.ready();
      for (let asked = 0; asked < 8 && told.problem?.includes('takes no writes') !== true; asked++) told = await vault.ready();
      expect(told).toMatchObject({ isReady: false, problem: 'the server of the vault takes no writes: a standby, or set to read only' });
    } finally {
      await testVault.query(`ALTER ROLE ${user} RESET default_transaction_read_only`);
    }
  });
});

describe('opening a PostgreSQL vault', () => {
  let testVault: PostgresTestVault;
  beforeEach(async () => {
    testVault = await newPostgresTestVault(server.url);
  });
  afterEach(() => testVault.remove());
  const openAt = (change: (url: URL) => void): Promise<EnvelopeCardVault> => {
    const url = new URL(testVault.url.reveal());
    change(url);
    return openVault({ ...settings, at: { kind: 'postgres', url: new Secret(url.href) } });
  };

  it('succeeds with the address of the setting', async () => {
    const vault = await openAt(() => undefined);
    const { handle } = await keepIn(vault);
    await vault.shred(acme, handle);
    await expect(vault.open(acme, handle)).rejects.toThrow(CardErased);
    await vault.close();
  });

  it('fails with a one-line message if no server listens', async () => {
    await expect(openAt((url) => (url.port = '1'))).rejects.toThrow(
      'PostgreSQL at 127.0.0.1:1, database postgres: nothing listens on port 1',
    );
  });

  it('fails if the server would lose a commit in a crash', async () => {
    const opening = openAt((url) => url.searchParams.set('options', `${url.searchParams.get('options')} -c synchronous_commit=off`));
    await expect(opening).rejects.toThrow('the server of the vault has synchronous_commit off');
  });

  it('fails if a newer release wrote the tables', async () => {
    await (await testVault.openVault(settings)).close();
    await testVault.query('UPDATE schema_versions SET version = 99');
    await expect(testVault.openVault(settings)).rejects.toThrow('schema 99 is newer than this release knows');
  });
});

/** The files of an external server are not accessible. */
const withOwnFiles = process.env['TEST_POSTGRES_URL'] === undefined ? describe : describe.skip;

withOwnFiles('the files of a PostgreSQL vault', () => {
  let testVault: PostgresTestVault;
  let vault: EnvelopeCardVault;
  let dataFolder: string;
  beforeEach(async () => {
    testVault = await newPostgresTestVault(server.url);
    vault = await testVault.openVault(settings);
    dataFolder = String((await testVault.query('SHOW data_directory'))[0]?.['data_directory']);
  });
  afterEach(async () => {
    await vault.close();
    await testVault.remove();
  });
  const tableFile = async (table: string): Promise<Buffer> => {
    await testVault.query('CHECKPOINT');
    const [row] = await testVault.query('SELECT pg_relation_filepath(?::regclass) AS path', table);
    return readFileSync(join(dataFolder, String(row?.['path'])));
  };

  it("contain no shredded card or erased order key after VACUUM FULL by the vault's role", async () => {
    const handles = (await Promise.all(Array.from({ length: 20 }, () => keepIn(vault)))).map(({ handle }) => handle);
    const blobs = await testVault.query('SELECT handle, blob FROM cards');
    const wrapped = new Map(blobs.map(({ handle, blob }) => [handle, bytesOf(blob).subarray(17, 49)]));
    const key = await vault.takeKey();
    const [row] = await testVault.query('SELECT wrapped FROM order_keys WHERE id = ?', key.id);
    const wrappedKey = bytesOf(row?.['wrapped']);
    expect((await tableFile('cards')).includes(wrapped.get(handles[0]) as Buffer)).toBe(true);
    expect((await tableFile('order_keys')).includes(wrappedKey)).toBe(true);
    for (const handle of handles.slice(0, 10)) await vault.shred(acme, handle);
    await vault.erase([key.id]);
    await testVault.query('VACUUM FULL cards');
    await testVault.query('VACUUM FULL order_keys');
    const file = await tableFile('cards');
    expect(handles.map((handle) => file.includes(wrapped.get(handle) as Buffer))).toEqual(handles.map((_, at) => at >= 10));
    expect((await tableFile('order_keys')).includes(wrappedKey)).toBe(false);
    for (const handle of handles.slice(10)) expect(await cardIn(vault, handle)).toEqual(card());
  });

  it('contain no card number, name or text, including the write-ahead log', async () => {
    const number = '4929420573595709';
    const [holder, text] = ['ZEBEDEE CANARY', 'zebedee@canary.example'];
    const { handle } = await keepIn(vault, card({ number, holder }));
    (await vault.takeKey()).seal(acme, 'email', text);
    await testVault.query('CHECKPOINT');
    const files = readdirSync(dataFolder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
    const found = new Set<string>();
    for (const file of files) {
      const path = join(file.parentPath, file.name);
      const bytes = existsSync(path) ? readFileSync(path) : Buffer.alloc(0);
      for (const word of [number, holder, text, handle]) {
        const spellings = [Buffer.from(word), Buffer.from(word, 'utf16le'), Buffer.from(Buffer.from(word).toString('hex'))];
        if (spellings.some((spelling) => bytes.includes(spelling))) found.add(word);
      }
    }
    expect([...found]).toEqual([handle]);
  });
});
