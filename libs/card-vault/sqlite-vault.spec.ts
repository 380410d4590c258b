import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { Secret, systemRandom, type Card, type CardHandle, type CardUid, type Instant, type MerchantLogin, type Sealed } from '@app/kernel';
import { openDatabase } from '@app/sqlite';
import { BoxRefused } from './envelope';
import type { EnvelopeCardVault } from './envelope-card-vault';
import { KeyRingFault } from './key-ring';
import { openSqliteVault, type SqliteVaultSettings } from './open-sqlite-vault';
import { orderKeyId } from './order-key';
import { CardErased, VaultUnavailable } from './port';
import { instant, newKeyRing } from './testing/keys';

/** A thread that compiles its own source starts slowly where the machine is busy. */
jest.setTimeout(60_000);

const root = mkdtempSync(join(tmpdir(), 'card-vault-'));
const keyRing = newKeyRing();
const acme = 'acme' as MerchantLogin;
const other = 'other' as MerchantLogin;
let nowMs = 1_000_000;

let folder: string;
let vault: EnvelopeCardVault;
const openVault = (more: Partial<SqliteVaultSettings> = {}): Promise<EnvelopeCardVault> =>
  openSqliteVault({ path: join(folder, 'vault.sqlite'), keyRing, clock: { now: () => nowMs as Instant }, orderKeysAhead: 64, ...more });

beforeEach(async () => {
  folder = mkdtempSync(join(root, 'one-'));
  vault = await openVault();
});
afterEach(() => vault.close());
afterAll(() => rmSync(root, { recursive: true }));

const card = (more: Partial<Card> = {}): Card => ({
  number: '4444333322221111',
  expiryMonth: 7,
  expiryYear: 2031,
  holder: 'JOHN SMITH',
  ...more,
});
const keep = (one: Card = card(), merchant = acme) => vault.keep(merchant, new Secret(one), 'payment-stream');
const opened = async (merchant: MerchantLogin, handle: CardHandle): Promise<Card> => (await vault.open(merchant, handle)).reveal();
/** Everything that lies on the disk: the database, its write-ahead log and the log's index. */
const bytesOnDisk = (): Buffer => Buffer.concat(readdirSync(folder).map((name) => readFileSync(join(folder, name))));
const stored = (sql: string, ...parameters: string[]): Uint8Array[] => {
  const db = openDatabase(join(folder, 'vault.sqlite'), { readOnly: true });
  try {
    return db
      .prepare(sql)
      .all(...parameters)
      .map((row) => Object.values(row as Record<string, Uint8Array>)[0] as Uint8Array);
  } finally {
    db.close();
  }
};

describe('a card in the vault', () => {
  it('opens to what was kept, after a restart too', async () => {
    const { handle, face } = await keep();
    expect(face).toEqual({ bin: '444433', lastFour: '1111', brand: 'VISA', expiryMonth: 7, expiryYear: 2031 });
    expect(await opened(acme, handle)).toEqual(card());
    await vault.close();
    vault = await openVault();
    expect(await opened(acme, handle)).toEqual(card());
  });

  it('comes out inside a secret that no print shows', async () => {
    const { handle } = await keep();
    const secret = await vault.open(acme, handle);
    expect(inspect(secret) + JSON.stringify(secret) + String(secret)).toBe('[redacted]"[redacted]"[redacted]');
  });

  it('is a bug to ask for where it was never kept, or by another merchant', async () => {
    const { handle } = await keep();
    await expect(vault.open(acme, 'never' as CardHandle)).rejects.toThrow('no card never of this merchant');
    await expect(vault.open(other, handle)).rejects.toThrow(`no card ${handle} of this merchant`);
  });

  it('has one uid for each number of a merchant: another expiry, the same; another merchant or number, another', async () => {
    const { uid, handle } = await keep();
    const again = await keep(card({ expiryYear: 2035, holder: 'J SMITH' }));
    expect(again.uid).toBe(uid);
    expect(again.handle).not.toBe(handle);
    expect((await keep(card(), other)).uid).not.toBe(uid);
    expect((await keep(card({ number: '5555555555554444' }))).uid).not.toBe(uid);
  });

  it('has one uid where 100 keep it at once', async () => {
    const kept = await Promise.all(Array.from({ length: 100 }, () => keep()));
    expect(new Set(kept.map(({ uid }) => uid)).size).toBe(1);
    expect(new Set(kept.map(({ handle }) => handle)).size).toBe(100);
  });

  it('has an integer for its uid, of its own merchant only', async () => {
    const { uid } = await keep();
    const number = await vault.uidNumber(acme, uid);
    expect(Number.isSafeInteger(number) && number >= 1e8).toBe(true);
    expect(await vault.uidNumber(acme, (await keep()).uid)).toBe(number);
    await expect(vault.uidNumber(other, uid)).rejects.toThrow('no card uid');
    await expect(vault.uidNumber(acme, 'u-none' as CardUid)).rejects.toThrow('no card uid');
  });

  it('is found by its number with a new index key beside the old one', async () => {
    const { uid } = await keep();
    await vault.close();
    const next = newKeyRing().indexKeys[0];
    vault = await openVault({ keyRing: { ...keyRing, indexKeys: [{ ...next, id: 2 }, ...keyRing.indexKeys] } });
    expect((await keep()).uid).toBe(uid);
  });

  it('is refused where its row was swapped with that of another card or merchant', async () => {
    const [ours, theirs, second] = [await keep(), await keep(card({ holder: 'EVE' }), other), await keep(card({ holder: 'ANN' }))];
    const db = openDatabase(join(folder, 'vault.sqlite'));
    const blobs = new Map(
      [ours, theirs, second].map(({ handle }) => [handle, stored('SELECT blob FROM cards WHERE handle = ?', handle)[0]]),
    );
    const put = db.prepare('UPDATE cards SET blob = ? WHERE handle = ?');
    put.run(blobs.get(theirs.handle) ?? '', ours.handle);
    put.run(blobs.get(ours.handle) ?? '', theirs.handle);
    db.prepare('UPDATE cards SET merchant = ? WHERE handle = ?').run(other, second.handle);
    db.close();
    await expect(vault.open(acme, ours.handle)).rejects.toThrow(BoxRefused);
    await expect(vault.open(other, theirs.handle)).rejects.toThrow(BoxRefused);
    await expect(vault.open(other, second.handle)).rejects.toThrow(BoxRefused);
  });

  it('is not kept a second time under a handle that chance repeats (safety, F42)', async () => {
    await vault.close();
    let draws = 0;
    // Handles are 16 bytes: they repeat, everything else does not.
    vault = await openVault({
      random: { bytes: (size) => (size === 16 ? new Uint8Array(16) : systemRandom.bytes(size)), fraction: () => draws++ },
    });
    const { handle } = await keep();
    await expect(keep(card({ holder: 'EVE' }))).rejects.toThrow(VaultUnavailable);
    expect(await opened(acme, handle)).toEqual(card());
  });
});

describe('a shredded card', () => {
  it('is erased, for good and for a restart; twice is once; the uid stays', async () => {
    const { handle, uid } = await keep();
    const kept = await keep();
    await vault.shred(acme, handle);
    await vault.shred(acme, handle);
    await expect(vault.open(acme, handle)).rejects.toThrow(CardErased);
    await vault.close();
    vault = await openVault();
    await expect(vault.open(acme, handle)).rejects.toThrow(CardErased);
    expect(await opened(acme, kept.handle)).toEqual(card());
    expect((await keep()).uid).toBe(uid);
  });

  it('is not for another merchant to shred', async () => {
    const { handle } = await keep();
    await expect(vault.shred(other, handle)).rejects.toThrow('no card');
    expect(await opened(acme, handle)).toEqual(card());
  });

  it('leaves its wrapped key nowhere on the disk, among hundreds that come and go', async () => {
    const kept = await Promise.all(
      Array.from({ length: 400 }, (_, at) => keep(card({ holder: `HOLDER ${at}` }), at % 3 === 0 ? other : acme)),
    );
    const wrappedOf = (handle: CardHandle): Buffer =>
      Buffer.from(stored('SELECT blob FROM cards WHERE handle = ?', handle)[0] ?? []).subarray(17, 49);
    const wrapped = kept.map(({ handle }) => wrappedOf(handle));
    expect(wrapped.every((bytes) => bytesOnDisk().includes(bytes))).toBe(true);
    const gone = kept.map((_, at) => at).filter((at) => at % 7 < 4);
    for (let from = 0; from < gone.length; from += 25) {
      await Promise.all(gone.slice(from, from + 25).map((at) => vault.shred(at % 3 === 0 ? other : acme, kept[at]?.handle as CardHandle)));
      await Promise.all(Array.from({ length: 5 }, () => keep()));
    }
    await vault.shred(acme, (await keep()).handle); // what came in between may stand in the log, what was shredded may not
    const disk = bytesOnDisk();
    for (const [at, bytes] of wrapped.entries()) expect(disk.includes(bytes)).toBe(!gone.includes(at));
    for (const at of kept.map((_, index) => index).filter((index) => !gone.includes(index))) {
      expect(await opened(at % 3 === 0 ? other : acme, kept[at]?.handle as CardHandle)).toEqual(card({ holder: `HOLDER ${at}` }));
    }
  });

  it('is clean in the log in a stream of other writes, whatever comes between', async () => {
    for (let round = 0; round < 100; round++) {
      const kept = await Promise.all(Array.from({ length: (round % 5) + 1 }, () => keep()));
      const others = Array.from({ length: 3 }, () => vault.takeKey());
      await Promise.all(kept.map(({ handle }) => vault.shred(acme, handle)));
      await Promise.all(others);
    }
  });

  it('leaves an empty write-ahead log when it resolves', async () => {
    const { handle } = await keep();
    expect(statSync(join(folder, 'vault.sqlite-wal')).size).toBeGreaterThan(0);
    await vault.shred(acme, handle);
    expect(statSync(join(folder, 'vault.sqlite-wal')).size).toBe(0);
  });

  it('says so where a reader holds the log, and is clean once it let go', async () => {
    const { handle } = await keep();
    const wrapped = Buffer.from(stored('SELECT blob FROM cards')[0] ?? []).subarray(17, 49);
    const reader = openDatabase(join(folder, 'vault.sqlite'), { readOnly: true });
    reader.exec('BEGIN');
    reader.prepare('SELECT count(*) AS count FROM cards').get();
    await expect(vault.shred(acme, handle)).rejects.toThrow('a reader holds the write-ahead log');
    await expect(vault.open(acme, handle)).rejects.toThrow(CardErased);
    reader.exec('COMMIT');
    reader.close();
    await vault.shred(acme, handle);
    expect(bytesOnDisk().includes(wrapped)).toBe(false);
  });
});

describe('a card without an owner', () => {
  it('is listed from an instant on until an order owns it', async () => {
    nowMs = 1_000;
    const first = await keep();
    nowMs = 2_000;
    const second = await keep(card(), other);
    const listed = (beforeMs: number) => vault.ownerlessCards(instant(beforeMs), 1_000);
    expect(await listed(1_000)).toEqual([]);
    expect(await listed(1_001)).toEqual([{ merchant: acme, handle: first.handle, owner: 'payment-stream' }]);
    await vault.markOwned(acme, first.handle);
    await vault.markOwned(acme, first.handle);
    expect(await listed(9_000)).toEqual([{ merchant: other, handle: second.handle, owner: 'payment-stream' }]);
    await vault.shred(other, second.handle);
    expect(await listed(9_000)).toEqual([]);
    expect(await opened(acme, first.handle)).toEqual(card());
    await expect(vault.markOwned(acme, second.handle)).rejects.toThrow('no card');
  });

  it.each([0, -1, 1.5, 1_001, Number.NaN])('is not listed with a limit of %d', async (limit) => {
    await expect(vault.ownerlessCards(instant(1), limit)).rejects.toThrow(RangeError);
  });
});

describe("an order's sealed text", () => {
  it('opens by its key, from the file too', async () => {
    const key = await vault.takeKey();
    const sealed = key.seal(acme, 'customer', '{"email":"j@example.com"}');
    expect(vault.keyOf(sealed)).toBe(key.id);
    expect(await vault.unseal(acme, 'customer', sealed)).toBe('{"email":"j@example.com"}');
    await vault.close();
    vault = await openVault();
    expect(await vault.unseal(acme, 'customer', sealed)).toBe('{"email":"j@example.com"}');
    await expect(vault.unseal(other, 'customer', sealed)).rejects.toThrow(BoxRefused);
    await expect(vault.unseal(acme, 'phone', sealed)).rejects.toThrow(BoxRefused);
  });

  it('is undefined once its key was erased, now and after a restart; others stay; twice is once', async () => {
    const [gone, kept] = [await vault.takeKey(), await vault.takeKey()];
    const sealed = [gone, kept].map((key) => key.seal(acme, 'customer', key.id)) as [Sealed, Sealed];
    const wrapped = Buffer.from(stored('SELECT wrapped FROM order_keys WHERE id = ?', gone.id)[0] ?? []);
    expect(bytesOnDisk().includes(wrapped)).toBe(true);
    await vault.erase([gone.id]);
    await vault.erase([gone.id]);
    expect(await vault.unseal(acme, 'customer', sealed[0])).toBeUndefined();
    expect(() => gone.seal(acme, 'customer', 'more')).toThrow('was erased');
    expect(bytesOnDisk().includes(wrapped)).toBe(false);
    await vault.close();
    vault = await openVault();
    expect(await vault.unseal(acme, 'customer', sealed[0])).toBeUndefined();
    expect(await vault.unseal(acme, 'customer', sealed[1])).toBe(kept.id);
  });

  it('is a bug to open where its key was never made', async () => {
    const { id } = await vault.takeKey();
    const stranger = orderKeyId(Buffer.alloc(12, 1), 1);
    const sealed = (await vault.takeKey()).seal(acme, 'x', 'y').replace(/\.[^.]+\./, `.${stranger}.`) as Sealed;
    await expect(vault.unseal(acme, 'x', sealed)).rejects.toThrow(`order key ${stranger} was never made`);
    await expect(vault.erase([stranger, id])).rejects.toThrow('1 order keys to erase are unknown');
  });

  it('has a key that was durable before it was handed out', async () => {
    for (let taken = 0; taken < 200; taken++) {
      const { id } = vault.takeKeyNow() ?? (await vault.takeKey());
      expect(stored('SELECT wrapped FROM order_keys WHERE id = ?', id)).toHaveLength(1);
    }
  });

  it('never shares its key with another order, also after a crash', async () => {
    const taken: string[] = [];
    const texts: Sealed[] = [];
    for (let life = 0; life < 4; life++) {
      const keys = await Promise.all(Array.from({ length: 50 }, () => vault.takeKey()));
      taken.push(...keys.map(({ id }) => id));
      texts.push(...keys.map((key) => key.seal(acme, 'x', key.id)));
      // What a kill at this moment leaves: the files as they are, log and all.
      const crashed = mkdtempSync(join(root, 'crashed-'));
      cpSync(folder, crashed, { recursive: true, filter: (path) => !path.endsWith('-shm') });
      await vault.close();
      folder = crashed;
      expect(existsSync(join(folder, 'vault.sqlite-wal'))).toBe(true);
      vault = await openVault();
    }
    expect(new Set(taken).size).toBe(200);
    for (const text of texts) expect(await vault.unseal(acme, 'x', text)).toBe(vault.keyOf(text));
  });
});

describe('the files of the vault', () => {
  it('hold no card number, name or text in any spelling', async () => {
    const number = '4929420573595709';
    const holder = 'ZEBEDEE CANARY';
    const text = 'zebedee@canary.example';
    await keep(card({ number, holder }));
    const { handle } = await keep(card({ number, holder }));
    (await vault.takeKey()).seal(acme, 'email', text);
    await vault.shred(acme, handle);
    await keep(card({ number, holder }));
    const disk = bytesOnDisk();
    const swapped = (buffer: Buffer): Buffer => Buffer.from(buffer).swap16();
    for (const word of [number, number.slice(6), holder, text]) {
      const plain = Buffer.from(word);
      const base64 = [0, 1, 2].map((shift) =>
        Buffer.concat([Buffer.alloc(shift, ' '), plain])
          .toString('base64')
          .slice(shift === 0 ? 0 : shift + 1)
          .replace(/.{0,3}=*$/, ''),
      );
      const spellings = [
        plain,
        Buffer.from(word, 'utf16le'),
        swapped(Buffer.from(word, 'utf16le')),
        ...[plain.toString('hex'), plain.toString('hex').toUpperCase(), ...base64].map((spelling) => Buffer.from(spelling)),
        ...base64.map((spelling) => Buffer.from(spelling.replaceAll('+', '-').replaceAll('/', '_'))),
        Buffer.from([...word].reverse().join('')),
      ];
      for (const spelling of spellings) expect(disk.includes(spelling)).toBe(false);
    }
    expect(disk.includes(Buffer.from(handle))).toBe(true); // the scan can find what is there
  });

  it('open with the key ring that wrote them and with no other', async () => {
    const { handle } = await keep();
    await vault.close();
    await expect(openVault({ keyRing: newKeyRing() })).rejects.toThrow(KeyRingFault);
    vault = await openVault();
    expect(await opened(acme, handle)).toEqual(card());
  });
});

describe('the state of the vault', () => {
  it('is ready with order keys in stock, and says why not once it is closed', async () => {
    expect(vault.ready()).toEqual({ isReady: true, problem: undefined, orderKeysAhead: expect.any(Number) });
    expect(vault.ready().orderKeysAhead).toBeGreaterThan(0);
    await vault.close();
    expect(vault.ready()).toEqual({ isReady: false, problem: 'the vault is closed', orderKeysAhead: 0 });
    await expect(keep()).rejects.toThrow(VaultUnavailable);
    await expect(vault.open(acme, 'x' as CardHandle)).rejects.toThrow(VaultUnavailable);
    await expect(vault.takeKey()).rejects.toThrow(VaultUnavailable);
  });

  it('is told where the file is none of ours', async () => {
    await expect(openVault({ path: '/dev/null/vault.sqlite' })).rejects.toThrow(/ENOTDIR|EEXIST/);
  });

  it('closes with keys being made, and twice', async () => {
    while (vault.takeKeyNow() !== undefined);
    await Promise.all([vault.close(), vault.close()]);
    expect(vault.takeKeyNow()).toBeUndefined();
  });
});
