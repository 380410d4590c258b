import { alpha2Of, alpha3Of, COUNTRIES } from './country';

describe('ISO 3166-1 countries', () => {
  it('have distinct codes of three letters', () => {
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
    ['XK', 'XKX'],
  ])('map %s to %s', (two, three) => expect(alpha3Of(two)).toBe(three));

  it('are undefined for unknown codes', () => {
    for (const unknown of ['', 'us', 'UK', 'USA']) expect(alpha3Of(unknown)).toBeUndefined();
    for (const unknown of ['', 'usa', 'US']) expect(alpha2Of(unknown)).toBeUndefined();
  });

  it('are found by their codes of two and three letters', () => {
    for (const code of COUNTRIES) expect(alpha2Of(alpha3Of(code) ?? '')).toBe(code);
  });
});
