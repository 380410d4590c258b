import { createSecretKey, randomBytes } from 'node:crypto';
import { isLuhnValid, systemRandom, type MerchantLogin, type Random } from '@app/kernel';
import { blindIndex, drawUid, looksLikeCardNumber } from './digests';

const acme = 'acme' as MerchantLogin;
const key = createSecretKey(randomBytes(32));

describe('the blind index of a card number', () => {
  it('is equal only for the same number, merchant and key [W288]', () => {
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

  it('is a unique text of 20 characters without nine consecutive digits', () => {
    expect(draws.filter(({ uid }) => !/^u(?!.*\d{9})[a-z2-9]{19}$/.test(uid))).toStrictEqual([]);
    expect(new Set(draws.map(({ uid }) => uid)).size).toBe(draws.length);
  });

  it('is a unique integer in [1e8, 2^53) that does not look like a card number', () => {
    const numbers = draws.map(({ number }) => number);
    expect(numbers.filter((number) => !Number.isSafeInteger(number) || number < 1e8)).toStrictEqual([]);
    expect(numbers.filter((number) => String(number).length >= 12 && isLuhnValid(String(number)))).toStrictEqual([]);
    expect(new Set(draws.map(({ number }) => number)).size).toBe(draws.length);
  });

  it('has an integer that is evenly distributed over its range', () => {
    const tenths = Array.from({ length: 10 }, () => 0);
    for (const { number } of draws) tenths[Math.floor((number / 2 ** 53) * 10)]! += 1;
    for (const count of tenths) expect(Math.abs(count - 2_000)).toBeLessThan(300);
  });

  it('is drawn again if the integer is too small or passes the Luhn check', () => {
    const numbers = [5n, 4444333322221111n, 123456789012345n];
    const random: Random = {
      bytes: (size) => (size === 7 ? Buffer.from((numbers.shift() ?? 0n).toString(16).padStart(14, '0'), 'hex') : systemRandom.bytes(size)),
      fraction: () => 0,
    };
    expect(looksLikeCardNumber(4444333322221111)).toBe(true);
    expect(drawUid(random).number).toBe(123456789012345);
  });

  it('throws if the random source repeats itself', () => {
    expect(() => drawUid({ bytes: (size) => new Uint8Array(size), fraction: () => 0 })).toThrow('repeats itself');
  });
});
