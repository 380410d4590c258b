import { LATER_EVENT_WORDS, settlementFormat } from './settlement-format';

const GOOD = [
  'key-1',
  '1000000001',
  '00000000-0000-0000-0000-000000000001',
  'sale',
  'approved',
  '10.42',
  'USD',
  '0.10',
  '2026-01-01 00:00:00 UTC',
  'T-1',
  '123',
];
const withField = (name: string, value: string) => settlementFormat.read(GOOD.with(settlementFormat.columns.indexOf(name), value));

describe('a line of an upstream gateway’s settlement file', () => {
  it('reads as a settlement record', () => {
    expect(settlementFormat.read(GOOD)).toStrictEqual({
      original: 'key-1',
      reference: GOOD[2],
      operation: 'sale',
      status: 'approved',
      amount: { minor: 1_042n, currency: 'USD' },
      commissionMinor: 10n,
      processedAt: Date.parse('2026-01-01T00:00:00Z'),
      gateOrderId: '1000000001',
      rrn: '123',
    });
  });

  it.each([
    ['declined', 'declined'],
    ['filtered', 'declined'],
    ['error', 'declined'],
    ['processing', 'open'],
    ['a word of tomorrow', 'open'],
  ])('with the status %s reads as %s, and an unknown status as open', (status, read) => {
    expect(withField('status', status)).toMatchObject({ status: read });
  });

  it.each([
    ['account_verification', 'account-verification'],
    ['preauth', 'preauth'],
    ['transfer', 'transfer'],
    ['capture', 'capture'],
    ['reversal', 'return'],
    ['cancel', 'return'],
    ['void', 'void'],
  ])('of the type %s reads as a %s', (type, operation) => {
    expect(withField('transaction-type', type)).toMatchObject({ operation });
  });

  it.each(Object.values(LATER_EVENT_WORDS))('of the type %s is a later event, even if other values are invalid', (type) => {
    const fault = settlementFormat.read(GOOD.with(3, type).with(5, '-10.42').with(7, '+0.10'));
    expect(fault).toMatchObject({ column: 'transaction-type', original: 'key-1', isLaterEvent: true });
  });

  it.each(['amount', 'commission'])('with a sign in its %s is a fault that names the attempt and is not a later event', (column) => {
    expect(withField(column, '-0.10')).toStrictEqual({ column, must: expect.stringContaining('major units') as string, original: 'key-1' });
  });

  it('may omit the commission, the acquirer’s id and the reference', () => {
    expect(settlementFormat.read(GOOD.with(7, '').with(9, '').with(10, ''))).not.toHaveProperty('commissionMinor');
  });

  it('lists as references every column except type, status, currency and date', () => {
    const others = settlementFormat.columns.filter((column) => !settlementFormat.references.includes(column));
    expect(others).toStrictEqual(['transaction-type', 'status', 'currency', 'transaction-date']);
    const unknown = settlementFormat.references.filter((column) => !settlementFormat.columns.includes(column));
    expect(unknown).toStrictEqual([]);
  });

  it.each(['=1+1', 'заказ 7', '👛'.repeat(128)])('accepts any merchant order id up to the length limit: %s', (original) => {
    expect(withField('merchant-order-id', original)).toMatchObject({ original });
    expect(withField('merchant-order-id', `${original}${'x'.repeat(128)}`)).toMatchObject({ column: 'merchant-order-id' });
  });

  it.each(settlementFormat.columns.map((column) => [column]))('with an invalid %s is a fault that names the column', (column) => {
    expect(withField(column, '\u0085')).toMatchObject({ column });
  });
});
