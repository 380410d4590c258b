import { RESULT_CODES, COUNTRIES, CURRENCIES } from '@app/kernel';
import { errorCatalogueMarkdown, REFUSALS } from './errors';
import { inWireOrder, REFUSAL_FIELDS, refusalResponse } from '../group-a/messages';
import { STATES } from './validation/field-rules';

describe('interface 7.1: errors (protocol decisions, section 4)', () => {
  const entries = [...Object.values(REFUSALS), ...Object.values(RESULT_CODES)];

  it('use each code once, except 20, which has two causes [W254]', () => {
    const codes = entries.map(({ code }) => code as number);
    expect(codes.filter((code, index) => codes.indexOf(code) !== index)).toStrictEqual([20]);
  });

  it('give a failed authentication the form of the interface [W156]', () => {
    const response = refusalResponse({ name: 'authentication-failed', serialNumber: 's-1' });
    expect(inWireOrder(REFUSAL_FIELDS, response)).toStrictEqual([
      ['type', 'validation-error'],
      ['serial-number', 's-1'],
      ['error-message', 'INVALID_CONTROL_CODE'],
      ['error-code', '2'],
    ]);
  });

  it('name the faulty field, and the order if it could be read', () => {
    const response = refusalResponse({
      name: 'malformed-field',
      serialNumber: 's-1',
      clientOrderId: 'inv-1',
      message: 'amount is required',
    });
    expect(inWireOrder(REFUSAL_FIELDS, response)).toStrictEqual([
      ['type', 'validation-error'],
      ['serial-number', 's-1'],
      ['merchant-order-id', 'inv-1'],
      ['error-message', 'amount is required'],
      ['error-code', '1'],
    ]);
  });

  it('have the type error only for the codes 20, 21 and 99 [W253]', () => {
    const ofTypeError = Object.values(REFUSALS).filter(({ type }) => type === 'error');
    expect(ofTypeError.map(({ code }) => code)).toStrictEqual([20, 20, 21, 99]);
  });

  it('are all printed in the catalogue [W254]', () => {
    const markdown = errorCatalogueMarkdown();
    expect(markdown.split('\n').filter((line) => /^\| \d/.test(line))).toHaveLength(entries.length);
    expect(markdown).toContain('| 2 | validation-error | INVALID_CONTROL_CODE | authentication-failed |');
    expect(markdown).toContain('| 101 | declined | Expired card | expired-card |');
  });
});

describe('code lists (protocol decisions, section 2)', () => {
  it('contain the 249 countries of ISO 3166 and Kosovo, each with a name [W202]', () => {
    const names = new Intl.DisplayNames(['en'], { type: 'region', fallback: 'none' });
    expect(COUNTRIES.size).toBe(250);
    expect([...COUNTRIES].filter((code) => !/^[A-Z]{2}$/.test(code) || names.of(code) === undefined)).toStrictEqual([]);
    for (const unassigned of ['EU', 'UN', 'UK', 'AN', 'SU', 'ZZ']) expect(COUNTRIES.has(unassigned)).toBe(false);
  });

  it('contain three-letter currency codes of ISO 4217', () => {
    expect(CURRENCIES.size).toBeGreaterThan(160);
    expect([...CURRENCIES].filter((code) => !/^[A-Z]{3}$/.test(code))).toStrictEqual([]);
    for (const used of ['USD', 'EUR', 'GBP', 'JPY', 'CHF', 'RUB', 'KZT', 'TRY', 'CNY', 'INR', 'BRL', 'AED'])
      expect(CURRENCIES.has(used)).toBe(true);
    for (const unused of ['XXX', 'XTS', 'XAU', 'DEM', 'usd', 'EU']) expect(CURRENCIES.has(unused)).toBe(false);
  });

  it('contain 63 states of the USA (with DC, territories and military), 13 of Canada and 8 of Australia [W202]', () => {
    expect([...STATES].map(([country, codes]) => [country, codes.size])).toStrictEqual([
      ['US', 63],
      ['CA', 13],
      ['AU', 8],
    ]);
    // Postal codes of the USA: payers on a base or in Palau have no other state.
    for (const code of ['AA', 'AE', 'AP', 'FM', 'MH', 'PW', 'PR', 'DC']) expect(STATES.get('US')?.has(code)).toBe(true);
    for (const country of STATES.keys()) expect(COUNTRIES.has(country)).toBe(true);
  });
});
