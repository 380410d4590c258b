import fc from 'fast-check';
import { writeFormAnswer, writeJsonAnswer } from '@app/gateway-protocol';
import { readAnswer } from './answer-fields';

const shown = (body: string) => {
  const fields = readAnswer(body);
  return fields && Object.fromEntries(fields);
};

describe('readAnswer', () => {
  it('reads a form and removes the newline after each value', () => {
    expect(shown('type=async-response\n&serial-number=1%2D2\n&paynet-order-id=1000000000\n&merchant-order-id=a+b\n')).toEqual({
      type: 'async-response',
      'serial-number': '1-2',
      'paynet-order-id': '1000000000',
      'merchant-order-id': 'a b',
    });
  });

  it('reads a flat JSON object of any content type, with numbers and booleans as text', () => {
    expect(shown('\n {"type":"status-response","paynet-order-id":1000000000,"amount":10.5,"recurring":true,"html":null}')).toEqual({
      type: 'status-response',
      'paynet-order-id': '1000000000',
      amount: '10.5',
      recurring: 'true',
    });
  });

  it.each([
    ['nothing', ''],
    ['a newline', '\r\n'],
    ['the HTML page of a refusal', '<!DOCTYPE html><html><body>Access denied</body></html>'],
    ['a form without a type and a status', 'paynet-order-id=1&amount=10.00'],
    ['plain text', 'Service Unavailable'],
    ['JSON that is cut off', '{"type":"status-response","stat'],
    ['a JSON list', '[{"type":"status-response"}]'],
    ['JSON with something inside', '{"type":"status-response","order":{"id":1}}'],
    ['a number that lost its last digits', '{"type":"async-response","paynet-order-id":9007199254740993}'],
  ])('returns undefined for %s', (_, body) => {
    expect(readAnswer(body)).toBeUndefined();
  });

  it.each([
    ['orderid=7', 'paynet-order-id'],
    ['order_id=7', 'paynet-order-id'],
    ['client_orderid=7', 'merchant-order-id'],
    ['merchant_order=7', 'merchant-order-id'],
    ['recurring-payment-id=7', 'card-ref-id'],
    ['card_recurring_payment_id=7', 'card-ref-id'],
    ['dst-card-ref-id=7', 'destination-card-ref-id'],
    ['destination_card_recurring_payment_id=7', 'destination-card-ref-id'],
    ['error_code=7', 'error-code'],
    ['Status=7', 'status'],
  ])('accepts another name of a field: %s is %s', (pair, name) => {
    expect(shown(`type=x&${pair}`)).toMatchObject({ [name]: '7' });
  });

  it('prefers the interface’s own name, then the first of repeated fields', () => {
    expect(shown('type=x&orderid=other&paynet-order-id=own&status=approved&status=declined')).toEqual({
      type: 'x',
      'paynet-order-id': 'own',
      status: 'approved',
    });
  });

  it('omits empty fields', () => {
    expect(shown('type=x&error-code=\n&error-message= ')).toEqual({ type: 'x' });
  });

  it('reads names such as __proto__ and constructor as plain fields', () => {
    expect(readAnswer('type=x&__proto__=1&constructor=2')?.get('constructor')).toBe('2');
    expect(readAnswer('{"type":"x","__proto__":"1"}')?.get('--proto--')).toBe('1');
  });

  it('returns equal fields from the form and JSON encodings', () => {
    const name = fc.stringMatching(/^[a-z][a-z0-9-]{0,20}$/);
    const value = fc.string({ unit: 'binary', minLength: 1 }).map((text) => `x${text.toWellFormed()}x`);
    fc.assert(
      fc.property(fc.uniqueArray(fc.tuple(name, value), { selector: ([known]) => known }), (pairs) => {
        const all = [['type', 'status-response'] as const, ...pairs.filter(([known]) => known !== 'type')];
        expect(readAnswer(writeJsonAnswer(all))).toEqual(readAnswer(writeFormAnswer(all)));
      }),
    );
  });

  it('never throws on arbitrary bytes', () => {
    fc.assert(fc.property(fc.string({ unit: 'binary' }), (body) => void readAnswer(body)));
  });
});
