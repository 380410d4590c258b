import { createSecretKey, randomBytes } from 'node:crypto';
import { isLuhnValid, systemRandom, type MerchantLogin, type Random } from '@app/kernel';
import { blindIndex, drawUid, looksLikeCardNumber } from './digests';

const acme = 'acme' as MerchantLogin;
const key = createSecretKey(randomBytes(32));

describe('the blind index of a card number', () => {
  it('is the same for one number, merchant and key, and for no other [W288]', () => {
    const index = blindIndex(key, acme, '4444333322221111');
    expect(blindIndex(key, acme, '4444333322221111')).toEqual(index);
    const others = [
      blindIndex(key, acme, '4444333322221129'),
      blindIndex(key, 'other' as MerchantLogin, '4444333322221111'),
      blindIndex(createSecretKey(randomBytes(32)), acme, '4444333322221111'),
      blindIndex(key, 'acme4' as MerchantLogin, '444333322221111'),
    ];
    for (const other of others) expect(other.equals(index)).toBe(false);
  });
});

describe('a card uid', () => {
  const draws = Array.from({ length: 20_000 }, () => drawUid(systemRandom));

  it('is a text of 20 characters without nine digits in a row, and never given twice', () => {
    expect(draws.filter(({ uid }) => !/^u(?!.*\d{9})[a-z2-9]{19}$/.test(uid))).toStrictEqual([]);
    expect(new Set(draws.map(({ uid }) => uid)).size).toBe(draws.length);
  });

  it('is an integer in [1e8, 2^53) that no card number looks like', () => {
    const numbers = draws.map(({ number }) => number);
    expect(numbers.filter((number) => !Number.isSafeInteger(number) || number < 1e8)).toStrictEqual([]);
    expect(numbers.filter((number) => String(number).length >= 12 && isLuhnValid(String(number)))).toStrictEqual([]);
    expect(new Set(draws.map(({ number }) => number)).size).toBe(draws.length);
  });

  it('has an integer spread evenly over its range', () => {
    const tenths = Array.from({ length: 10 }, () => 0);
    for (const { number } of draws) tenths[Math.floor((number / 2 ** 53) * 10)]! += 1;
    for (const count of tenths) expect(Math.abs(count - 2_000)).toBeLessThan(300);
  });

  it('draws again where the integer is too small or passes the Luhn check', () => {
    const numbers = [5n, 4444333322221111n, 123456789012345n];
    const random: Random = {
      bytes: (size) => (size === 7 ? Buffer.from((numbers.shift() ?? 0n).toString(16).padStart(14, '0'), 'hex') : systemRandom.bytes(size)),
      fraction: () => 0,
    };
    expect(looksLikeCardNumber(4444333322221111)).toBe(true);
    expect(drawUid(random).number).toBe(123456789012345);
  });

  it('gives up on a source of chance that repeats itself', () => {
    expect(() => drawUid({ bytes: (size) => new Uint8Array(size), fraction: () => 0 })).toThrow('repeats itself');
  });
});
