import { COUNTRIES, CURRENCIES } from '@app/kernel';
import { STATES } from './states';

describe('code lists (protocol decisions, section 2)', () => {
  it('holds the 249 countries of ISO 3166 and Kosovo, each known by name [W202]', () => {
    const names = new Intl.DisplayNames(['en'], { type: 'region', fallback: 'none' });
    expect(COUNTRIES.size).toBe(250);
    expect([...COUNTRIES].filter((code) => !/^[A-Z]{2}$/.test(code) || names.of(code) === undefined)).toStrictEqual([]);
    for (const unassigned of ['EU', 'UN', 'UK', 'AN', 'SU', 'ZZ']) expect(COUNTRIES.has(unassigned)).toBe(false);
  });

  it('holds currencies of ISO 4217, three letters each', () => {
    expect(CURRENCIES.size).toBeGreaterThan(160);
    expect([...CURRENCIES].filter((code) => !/^[A-Z]{3}$/.test(code))).toStrictEqual([]);
    for (const used of ['USD', 'EUR', 'GBP', 'JPY', 'CHF', 'RUB', 'KZT', 'TRY', 'CNY', 'INR', 'BRL', 'AED'])
      expect(CURRENCIES.has(used)).toBe(true);
    for (const unused of ['XXX', 'XTS', 'XAU', 'DEM', 'usd', 'EU']) expect(CURRENCIES.has(unused)).toBe(false);
  });

  it('holds 50 states with DC, six territories, three associated states and three of the military, 13 provinces and territories, 8 states and territories [W202]', () => {
    expect([...STATES].map(([country, codes]) => [country, codes.size])).toStrictEqual([
      ['US', 63],
      ['CA', 13],
      ['AU', 8],
    ]);
    // As the post of the USA has them: a payer on a base or in Palau has no other state to name.
    for (const code of ['AA', 'AE', 'AP', 'FM', 'MH', 'PW', 'PR', 'DC']) expect(STATES.get('US')?.has(code)).toBe(true);
    for (const country of STATES.keys()) expect(COUNTRIES.has(country)).toBe(true);
  });
});
