import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { systemRandom, type MerchantLogin, type Sealed } from '@app/kernel';
import { KeyRingFault } from '../keys/key-ring';
import { createKeyRing, loadOrCreateKeyRing } from '../keys/key-ring-file';
import { RingSealer } from './ring-sealer';

const folder = mkdtempSync(join(tmpdir(), 'ring-sealer-'));
afterAll(() => rmSync(folder, { recursive: true }));
const path = join(folder, 'keyring.json');
const ring = createKeyRing(path);
const ACME = 'acme' as MerchantLogin;

describe('loadOrCreateKeyRing', () => {
  it('creates the key ring at the first start and loads it unchanged later', () => {
    const first = join(folder, 'new', 'keyring.json');
    const sealed = new RingSealer(loadOrCreateKeyRing(first), systemRandom).seal(ACME, 'email', 'john@example.com');
    expect(new RingSealer(loadOrCreateKeyRing(first), systemRandom).unseal(ACME, 'email', sealed)).toBe('john@example.com');
    expect(statSync(first).mode & 0o777).toBe(0o600);
  });

  it('throws KeyRingFault if the key ring cannot be created', () => {
    expect(() => loadOrCreateKeyRing(join(path, 'below', 'keyring.json'))).toThrow(KeyRingFault);
  });
});

describe('a text sealed under a key ring', () => {
  const sealer = new RingSealer(ring, systemRandom);

  it('opens to the same text after a restart', () => {
    const later = new RingSealer(loadOrCreateKeyRing(path), systemRandom);
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        expect(later.unseal(ACME, 'email', sealer.seal(ACME, 'email', text))).toBe(text);
      }),
    );
  });

  it('does not reveal its plaintext and differs each time it is sealed', () => {
    const [first, second] = [sealer.seal(ACME, 'email', 'john@example.com'), sealer.seal(ACME, 'email', 'john@example.com')];
    expect(first).not.toBe(second);
    expect(Buffer.from(first.split('.')[3] ?? '', 'base64url').toString('latin1')).not.toContain('john');
  });

  it.each([
    ['another merchant', (sealed: Sealed) => sealer.unseal('other' as MerchantLogin, 'email', sealed)],
    ['another field', (sealed: Sealed) => sealer.unseal(ACME, 'nonce', sealed)],
    [
      'a changed text',
      (sealed: Sealed) => sealer.unseal(ACME, 'email', `${sealed.slice(0, -2)}${sealed.endsWith('AA') ? 'BB' : 'AA'}` as Sealed),
    ],
    [
      'another ring',
      (sealed: Sealed) => new RingSealer(createKeyRing(join(folder, 'other.json')), systemRandom).unseal(ACME, 'email', sealed),
    ],
    ['no sealed text', () => sealer.unseal(ACME, 'email', 'v1.x.y' as Sealed)],
  ])('does not open for %s', (_, unseal) => {
    expect(() => unseal(sealer.seal(ACME, 'email', 'john@example.com'))).toThrow(/not a sealed text|does not authenticate/);
  });
});
