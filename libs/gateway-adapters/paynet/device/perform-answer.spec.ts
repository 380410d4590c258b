import { readDeviceAnswer, readPerformed } from './device-answer';

const read = (body: object | string) => readPerformed(readDeviceAnswer(typeof body === 'string' ? body : JSON.stringify(body)), 'inv-1');

describe('readPerformed', () => {
  it('returns performed with the session token for an acceptance of this invoice', () => {
    expect(read({ invoiceId: 'inv-1', session: { token: 'tok-1' } })).toStrictEqual({ kind: 'performed', token: 'tok-1' });
  });

  it.each(['INVALID_REQUEST', 'INVALID_CONFIGURATION'])('returns refused for error %s, with or without the invoice', (cause) => {
    expect(read({ invoiceId: 'inv-1', error: { cause, code: '1' } })).toStrictEqual({ kind: 'refused' });
    expect(read({ error: { cause, code: '1' } })).toStrictEqual({ kind: 'refused' });
  });

  it.each(['INTERNAL_ERROR', 'PROCESSING_FAILED', 'FILTERED', 'SOMETHING_NEW'])(
    'returns unknown for error %s, since the order may have been accepted',
    (cause) => {
      expect(read({ invoiceId: 'inv-1', error: { cause } })).toStrictEqual({ kind: 'unknown', cause: 'gate-undecided' });
    },
  );

  it.each([
    ['of another invoice', { invoiceId: 'inv-2', session: { token: 'tok-1' } }],
    ['without an invoice', { session: { token: 'tok-1' } }],
    ['without a token', { invoiceId: 'inv-1', session: {} }],
    ['a refusal of another invoice', { invoiceId: 'inv-2', error: { cause: 'INVALID_REQUEST' } }],
    ['nothing', ''],
    ['a page', '<html></html>'],
  ])('does not recognise an answer: %s', (_, body) => {
    expect(read(body)).toStrictEqual({ kind: 'unknown', cause: 'unrecognised-answer' });
  });
});
