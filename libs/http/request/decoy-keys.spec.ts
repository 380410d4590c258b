import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { Secret, type MerchantLogin } from '@app/kernel';
import { DecoyKeys } from './decoy-keys';

const key = (modulusLength: number): KeyObject => generateKeyPairSync('rsa', { modulusLength }).publicKey;
const merchant = (login: string, controlKey: string, oauthPublicKey?: KeyObject) => ({
  login: login as MerchantLogin,
  controlKey: new Secret(controlKey),
  rebillControl: 'with-endpoint' as const,
  ...(oauthPublicKey && { oauthPublicKey }),
});
const short = merchant('short', 'ab'.repeat(16), key(2_048));
const long = merchant('long', 'AB-'.repeat(128), key(3_072));
const unsigned = merchant('unsigned', 'cd'.repeat(40));
const bitsOf = (made: KeyObject): number | undefined => made.asymmetricKeyDetails?.modulusLength;

describe('the decoy keys of unknown merchants (safety, T10)', () => {
  const decoyKeys = new DecoyKeys({ merchants: [short, long, unsigned] });

  it("have the size of the real merchant's key for a known entry point, but differ from it [W499]", () => {
    for (const one of [short, long, unsigned]) {
      const { controlKey, rebillControl } = decoyKeys.control(one, '1001');
      expect(controlKey.reveal()).toHaveLength(one.controlKey.reveal().length);
      expect(controlKey.reveal()).not.toBe(one.controlKey.reveal());
      expect(rebillControl).toBe('with-endpoint');
    }
    expect([bitsOf(decoyKeys.oauth(short, '1001')), bitsOf(decoyKeys.oauth(long, '1001'))]).toStrictEqual([2_048, 3_072]);
    expect(decoyKeys.oauth(long, '1001').equals(long.oauthPublicKey as KeyObject)).toBe(false);
  });

  it("have a size chosen from the merchants' key sizes for an unknown entry point, constant for each id [W499]", () => {
    const ids = Array.from({ length: 100 }, (_, index) => String(9_000 + index));
    const controls = ids.map((id) => decoyKeys.control(undefined, id).controlKey.reveal().length);
    expect(new Set(controls)).toStrictEqual(new Set([32, 384, 80]));
    expect(ids.map((id) => decoyKeys.control(undefined, id).controlKey.reveal().length)).toStrictEqual(controls);
    const bits = ids.map((id) => bitsOf(decoyKeys.oauth(undefined, id)));
    expect(new Set(bits)).toStrictEqual(new Set([2_048, 3_072]));
    expect(ids.map((id) => bitsOf(decoyKeys.oauth(unsigned, id)))).toStrictEqual(bits);
  });

  it('follow a change of the merchants when it is taken, and keep the keys of known sizes', () => {
    const keys = new DecoyKeys({ merchants: [short] });
    const before = keys.oauth(short, '1001');
    const take = keys.prepare({ merchants: [short, long] });
    expect(() => keys.control(long, '1001')).toThrow('not in the configuration');
    take();
    expect(keys.control(long, '1001').controlKey.reveal()).toHaveLength(384);
    expect([keys.oauth(short, '1001') === before, bitsOf(keys.oauth(long, '1001'))]).toStrictEqual([true, 3_072]);
  });

  it('end with the former key of their merchant, so that both cost as much at any moment', () => {
    const former = { key: new Secret('ef'.repeat(24)), notAfter: '2027-01-31T12:00:00.000Z' };
    const { controlKey, formerControlKey } = new DecoyKeys({ merchants: [{ ...short, formerControlKey: former }] }).control(undefined, '1');
    expect([controlKey.reveal().length, formerControlKey?.key.reveal().length, formerControlKey?.notAfter]).toStrictEqual([
      32,
      48,
      former.notAfter,
    ]);
    expect(formerControlKey?.key.reveal()).not.toBe(former.key.reveal());
  });

  it('differ between processes', () => {
    const other = new DecoyKeys({ merchants: [short, long] });
    const again = new DecoyKeys({ merchants: [short, long] });
    const sizes = (keys: DecoyKeys) =>
      Array.from({ length: 64 }, (_, index) => keys.control(undefined, String(index)).controlKey.reveal().length);
    expect(sizes(other)).not.toStrictEqual(sizes(again));
  });

  it('have 2048 bits if no merchant signs v4 requests', () => {
    expect(bitsOf(new DecoyKeys({ merchants: [unsigned] }).oauth(unsigned, '1001'))).toBe(2_048);
  });
});
