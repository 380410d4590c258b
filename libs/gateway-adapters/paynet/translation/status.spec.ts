import { encodeForm } from '@app/gateway-protocol';
import type { Currency, Instant } from '@app/kernel';
import { readAnswer } from '../wire/answer-fields';
import { readStatus, type Expected } from './status';

const KEY = '6f1e8a60-0000-4000-8000-000000000001';
const SEEN_AT = 1_704_067_200_000 as Instant;
const FINAL_AT = Date.parse('2024-01-02T03:04:05Z');
const expected: Expected = {
  clientOrderId: KEY,
  gateOrderId: '1000000007',
  amount: { minor: 1_050n, currency: 'USD' as Currency },
  codes: {},
};

const APPROVED = {
  type: 'status-response',
  'serial-number': '00-9',
  'merchant-order-id': KEY,
  'paynet-order-id': '1000000007',
  status: 'approved',
  amount: '10.50',
  currency: 'USD',
  'transaction-type': 'sale',
  'order-stage': 'sale_approved',
  'processor-tx-id': 'TX-1',
  'processor-rrn': '123456789012',
  'approval-code': 'A1B2C3',
  'terminal-id': 'T-9',
  'transaction-date': '2024-01-02 03:04:05 UTC',
};
type Fields = Readonly<Record<string, string | undefined>>;
const read = (fields: Fields, about: Expected = expected) => readStatus(readAnswer(encodeForm(Object.entries(fields))), about, SEEN_AT);

describe('readStatus of an order', () => {
  it('returns an approval with the acquirer’s references', () => {
    expect(
      read({ ...APPROVED, 'verified-3d-status': 'AUTHENTICATED', eci: '05', 'loyalty-balance': '12', 'loyalty-program': 'Miles' }),
    ).toEqual({
      kind: 'approved',
      approvalCode: 'A1B2C3',
      transactionId: 'TX-1',
      rrn: '123456789012',
      terminalId: 'T-9',
      processedAt: FINAL_AT,
      payerAuthentication: 'AUTHENTICATED',
      eci: '05',
      gateOrderId: '1000000007',
      loyalty: { balance: '12', program: 'Miles' },
    });
  });

  it('accepts an approval without the optional references', () => {
    const { type, 'merchant-order-id': key, 'paynet-order-id': id, status, amount, currency } = APPROVED;
    const least = { type, 'merchant-order-id': key, 'paynet-order-id': id, status, amount, currency };
    expect(read(least)).toEqual({
      kind: 'approved',
      transactionId: '1000000007',
      processedAt: SEEN_AT,
      gateOrderId: '1000000007',
    });
  });

  it.each(['10.5', '10.50', '10.5000'])('accepts the amount written as %s', (amount) => {
    expect(read({ ...APPROVED, amount }).kind).toBe('approved');
  });

  it.each([
    ['another amount', { amount: '10.51' }],
    ['a tenth of it', { amount: '1.05' }],
    ['no amount', { amount: undefined }],
    ['an invalid amount', { amount: '10,50' }],
    ['another currency', { currency: 'EUR' }],
    ['another of our orders', { 'merchant-order-id': 'other' }],
    ['none of our orders', { 'merchant-order-id': undefined }],
    ['another of its own orders', { 'paynet-order-id': '1000000008' }],
  ])('does not recognise an approval of this order with %s', (_, changed: Fields) => {
    expect(read({ ...APPROVED, ...changed })).toEqual({ kind: 'unknown', cause: 'unrecognised-answer' });
  });

  it('needs no amount for an account verification, and no gate order id if it is unknown', () => {
    const verification = { ...expected, amount: undefined, gateOrderId: undefined };
    expect(read({ ...APPROVED, amount: undefined, currency: undefined }, verification).kind).toBe('approved');
  });

  it.each([
    ['declined', '116', 116],
    ['filtered', '120', 120],
    ['error', '99', 99],
    ['declined', undefined, 100],
    ['declined', 'no money', 100],
    ['declined', '12345678901234567890', 100],
  ])('returns a decline for status and code: %s %s', (status, code, expectedCode) => {
    const answer = read({ ...APPROVED, status, 'error-code': code, 'motivational-message': 'Use another card' });
    expect(answer).toMatchObject({ kind: 'declined', code: expectedCode, advice: 'Use another card', transactionId: 'TX-1' });
  });

  it.each(['121', '122'])('returns a decline for status error with code %s if the code table has no entry', (code) => {
    expect(read({ ...APPROVED, status: 'error', 'error-code': code })).toMatchObject({ kind: 'declined', code: Number(code) });
  });

  it('returns not-asked for status error if the gate’s code table maps the code to not-accepted', () => {
    const failed = { ...APPROVED, status: 'error', 'error-code': '121' };
    expect(read(failed, { ...expected, codes: { '121': 'not-accepted' } })).toEqual({ kind: 'not-asked', cause: 'unavailable' });
    expect(read({ ...failed, status: 'declined' }, { ...expected, codes: { '121': 'not-accepted' } })).toMatchObject({ kind: 'declined' });
  });

  it('uses the attempt key as transaction id if the gate gives no id', () => {
    const nameless = { ...APPROVED, 'processor-tx-id': '', 'paynet-order-id': '' };
    expect(read(nameless, { ...expected, gateOrderId: undefined })).toMatchObject({ kind: 'approved', transactionId: KEY });
  });

  it.each(['', ' '])('returns no approval code for the blank value %j', (code) => {
    expect(read({ ...APPROVED, 'approval-code': code })).not.toHaveProperty('approvalCode');
  });

  it.each(['processing', 'unknown', 'chain_declined', 'reversed', 'APPROVED!', undefined])('returns undecided for status %s', (status) => {
    expect(read({ ...APPROVED, status })).toEqual({ kind: 'undecided', gateOrderId: '1000000007' });
  });

  describe('if the payer must authenticate', () => {
    const waiting = { ...APPROVED, status: 'processing', html: '<html>go</html>', 'redirect-to': 'https://upstream.example/payer/1?a=b' };
    const payerNeeded = { kind: 'payer-needed', transactionId: 'TX-1', isHosted: true };

    it('returns the upstream gateway’s page address', () => {
      expect(read(waiting)).toEqual({ ...payerNeeded, page: { address: 'https://upstream.example/payer/1?a=b' } });
    });

    it.each([
      undefined,
      'javascript:alert(1)',
      'https://user:word@upstream.example/',
      '//upstream.example',
      `https://u.example/${'a'.repeat(2_048)}`,
    ])('returns the HTML page if the address is not a valid web address: %s', (address) => {
      expect(read({ ...waiting, 'redirect-to': address })).toEqual({ ...payerNeeded, page: { html: '<html>go</html>' } });
    });

    it('returns undecided if neither address nor page is usable', () => {
      const open = { kind: 'undecided', gateOrderId: '1000000007' };
      expect(read({ ...waiting, 'redirect-to': undefined, html: undefined })).toEqual(open);
      expect(read({ ...waiting, 'redirect-to': undefined, html: 'x'.repeat(65_537) })).toEqual(open);
    });

    it('does not recognise an answer for another order', () => {
      expect(read({ ...waiting, 'merchant-order-id': 'other' })).toEqual({ kind: 'unknown', cause: 'unrecognised-answer' });
    });
  });

  it.each([
    ['not-found', { kind: 'not-found' }],
    ['unknown', { kind: 'unknown', cause: 'gate-undecided' }],
    ['not-accepted', { kind: 'unknown', cause: 'gate-undecided' }],
    ['declined', { kind: 'declined', code: 4001, transactionId: '1000000007', processedAt: SEEN_AT, gateOrderId: '1000000007' }],
  ] as const)('maps a refusal to an outcome by the gate’s code table: %s [W509]', (meaning, outcome) => {
    const refused = { type: 'validation-error', 'error-code': '4001' };
    expect(read(refused, { ...expected, codes: { '4001': meaning } })).toEqual(outcome);
  });

  it.each(['2', '3', '4001', undefined])('does not recognise a refusal whose code is not in the table: %s [W509]', (code) => {
    expect(read({ type: 'validation-error', 'error-code': code })).toEqual({ kind: 'unknown', cause: 'unrecognised-answer' });
  });

  it.each(['20', '21', '99'])('returns unknown for a temporary error of the gateway: %s', (code) => {
    expect(read({ type: 'error', 'error-code': code })).toEqual({ kind: 'unknown', cause: 'gate-undecided' });
  });

  it.each([
    [
      'a refused checksum',
      encodeForm([
        ['type', 'validation-error'],
        ['error-code', '2'],
      ]),
    ],
    ['a page', '<html></html>'],
    ['nothing', ''],
  ])('does not recognise %s', (_, body) => {
    expect(readStatus(readAnswer(body), expected, SEEN_AT)).toEqual({ kind: 'unknown', cause: 'unrecognised-answer' });
  });

  it('omits references with invalid values', () => {
    const answer = read({
      ...APPROVED,
      'processor-tx-id': 'x'.repeat(129),
      'processor-rrn': 'é',
      'terminal-id': 'a\u0001b',
      'verified-3d-status': 'MAYBE',
    });
    expect(answer).toMatchObject({ kind: 'approved', transactionId: '1000000007' });
    expect(Object.keys(answer).sort()).toEqual(['approvalCode', 'gateOrderId', 'kind', 'processedAt', 'transactionId']);
  });
});

describe('readStatus of a follow-up', () => {
  const about: Expected = { ...expected, amount: undefined, followUp: { serial: '00-2', types: ['reversal', 'cancel'] } };
  const REVERSED = { ...APPROVED, 'transaction-type': 'reversal', 'order-stage': 'reversal_approved', 'by-request-sn': '00-2' };

  it.each(['reversal', 'cancel'])('accepts an answer to the same request with type %s', (type) => {
    expect(read({ ...REVERSED, 'transaction-type': type }, about).kind).toBe('approved');
  });

  it.each([
    ['the order’s own status', { 'by-request-sn': undefined, 'transaction-type': 'sale' }],
    ['another request', { 'by-request-sn': '00-3' }],
    ['another kind of transaction', { 'transaction-type': 'capture' }],
  ])('does not recognise %s', (_, changed: Fields) => {
    expect(read({ ...REVERSED, ...changed }, about)).toEqual({ kind: 'unknown', cause: 'unrecognised-answer' });
  });
});
