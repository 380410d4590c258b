import { alpha2Of, alpha3Of, COUNTRIES } from './country';

describe('the countries of ISO 3166-1', () => {
  it('have three letters each, no two the same', () => {
    const codes = [...COUNTRIES].map((code) => alpha3Of(code) ?? '');
    expect(codes.filter((code) => !/^[A-Z]{3}$/.test(code))).toStrictEqual([]);
    expect(new Set(codes).size).toBe(COUNTRIES.size);
  });

  it.each([
    ['US', 'USA'],
    ['GB', 'GBR'],
    ['DE', 'DEU'],
    ['CH', 'CHE'],
    ['KM', 'COM'],
    ['MF', 'MAF'],
  ])('%s is %s', (two, three) => expect(alpha3Of(two)).toBe(three));

  it('are not guessed', () => {
    for (const stranger of ['', 'us', 'UK', 'XK', 'USA']) expect(alpha3Of(stranger)).toBeUndefined();
    for (const stranger of ['', 'usa', 'US', 'XKX']) expect(alpha2Of(stranger)).toBeUndefined();
  });

  it('are the same by two letters and by three', () => {
    for (const code of COUNTRIES) expect(alpha2Of(alpha3Of(code) ?? '')).toBe(code);
  });
});
