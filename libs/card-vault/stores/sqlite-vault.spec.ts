import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { Secret, systemRandom, type Card, type CardHandle, type MerchantLogin } from '@app/kernel';
import { openDatabase } from '@app/databases/sqlite';
import type { EnvelopeCardVault } from '../envelope/envelope-card-vault';
import { openSqliteVault } from '../open-vault';
import { CardErased } from '../port';
import { describeCardVault } from '../testing/card-vault.contract';
import { instant, newKeyRing } from '../testing/keys';
import { newSqliteTestVault, type SqliteTestVault } from '../testing/sqlite-test-vault';
import { bytesOf } from '../testing/test-vault';

jest.setTimeout(60_000);

describeCardVault('the vault on SQLite', newSqliteTestVault);

const settings = { keyRing: newKeyRing(), clock: { now: () => instant(1_000_000) }, random: systemRandom, orderKeysAhead: 64 };
const acme = 'acme' as MerchantLogin;
const other = 'other' as MerchantLogin;
describe('the vault in a SQLite file', () => {
  let testVault: SqliteTestVault;
  let vault: EnvelopeCardVault;

  beforeEach(async () => {
    testVault = await newSqliteTestVault();
    vault = await testVault.openVault(settings);
  });
  afterEach(async () => {
    await vault.close();
    await testVault.remove();
  });

  const card = (more: Partial<Card> = {}): Card => ({
    number: '4444333322221111',
    expiryMonth: 7,
    expiryYear: 2031,
    holder: 'JOHN SMITH',
    ...more,
  });
  const keep = (one: Card = card(), merchant = acme) => vault.keep(merchant, new Secret(one), 'payment-stream');
  const opened = async (merchant: MerchantLogin, handle: CardHandle): Promise<Card> => (await vault.open(merchant, handle)).reveal();
  const fileOf = (name: string): string => join(testVault.folder(), name);
  const bytesOnDisk = (): Buffer => Buffer.concat(readdirSync(testVault.folder()).map((name) => readFileSync(fileOf(name))));
  const wrappedOf = async (handle: CardHandle): Promise<Buffer> =>
    bytesOf((await testVault.query('SELECT blob FROM cards WHERE handle = ?', handle))[0]?.['blob']).subarray(17, 49);

  describe('a card shredded in a file', () => {
    it('leaves no wrapped key on disk among hundreds of other cards', async () => {
      const kept = await Promise.all(
        Array.from({ length: 150 }, (_, at) => keep(card({ holder: `HOLDER ${at}` }), at % 3 === 0 ? other : acme)),
      );
      const wrapped = await Promise.all(kept.map(({ handle }) => wrappedOf(handle)));
      expect(wrapped.every((bytes) => bytesOnDisk().includes(bytes))).toBe(true);
      const gone = kept.map((_, at) => at).filter((at) => at % 7 < 4);
      for (let from = 0; from < gone.length; from += 25) {
        await Promise.all(
          gone.slice(from, from + 25).map((at) => vault.shred(at % 3 === 0 ? other : acme, kept[at]?.handle as CardHandle)),
        );
        await Promise.all(Array.from({ length: 5 }, () => keep()));
      }
      await vault.shred(acme, (await keep()).handle); // later writes may be in the log, shredded data may not
      const disk = bytesOnDisk();
      for (const [at, bytes] of wrapped.entries()) expect(disk.includes(bytes)).toBe(!gone.includes(at));
      for (const at of kept.map((_, index) => index).filter((index) => !gone.includes(index))) {
        expect(await opened(at % 3 === 0 ? other : acme, kept[at]?.handle as CardHandle)).toEqual(card({ holder: `HOLDER ${at}` }));
      }
    });

    it('is shredded and cannot be opened again, also during other writes', async () => {
      for (let round = 0; round < 30; round++) {
        const kept = await Promise.all(Array.from({ length: (round % 5) + 1 }, () => keep()));
        const others = Array.from({ length: 3 }, () => vault.takeKey());
        await Promise.all(kept.map(({ handle }) => vault.shred(acme, handle)));
        for (const { handle } of kept) await expect(vault.open(acme, handle)).rejects.toThrow(CardErased);
        await Promise.all(others);
      }
    });

    it('leaves an empty write-ahead log', async () => {
      const { handle } = await keep();
      expect(statSync(fileOf('vault.sqlite-wal')).size).toBeGreaterThan(0);
      await vault.shred(acme, handle);
      expect(statSync(fileOf('vault.sqlite-wal')).size).toBe(0);
    });

    it('fails while a reader holds the write-ahead log, and is removed from disk afterwards', async () => {
      const { handle } = await keep();
      const wrapped = await wrappedOf(handle);
      const reader = openDatabase(fileOf('vault.sqlite'), { readOnly: true });
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

  describe("an order's key erased in a file", () => {
    it('leaves no wrapped key on disk', async () => {
      const { id } = await vault.takeKey();
      const wrapped = bytesOf((await testVault.query('SELECT wrapped FROM order_keys WHERE id = ?', id))[0]?.['wrapped']);
      expect(bytesOnDisk().includes(wrapped)).toBe(true);
      await vault.erase([id]);
      expect(bytesOnDisk().includes(wrapped)).toBe(false);
    });
  });

  describe('the files of the vault', () => {
    it('contain no card number, name or text in any encoding', async () => {
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
      expect(disk.includes(Buffer.from(handle))).toBe(true);
    });

    it('cannot be created at a path below a file', async () => {
      await expect(openSqliteVault({ ...settings, path: '/dev/null/vault.sqlite' })).rejects.toThrow(/ENOTDIR|EEXIST/);
    });
  });
});
