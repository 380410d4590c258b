import { Secret } from '@app/kernel';
import * as fc from 'fast-check';
import { orderControl, fieldsAsDecoded, type SignedFields } from './control';
import { encodeForm, parseForm, type Form } from './forms/form-codec';

const key = new Secret('B17F59B4-A7DC-41B4-8FF9-37D986B43D20');
const received = (pairs: readonly (readonly [string, string])[]): Form => {
  const parsed = parseForm(Buffer.from(encodeForm(pairs)));
  if ('refused' in parsed) throw new Error(parsed.refused.message);
  return parsed.ok;
};
const controlOf = (fields: SignedFields): string =>
  orderControl({ login: fields.text('login'), clientOrderId: fields.text('client_orderid'), orderId: fields.text('orderid') }, key);

describe('fields as decoded, before trimming', () => {
  it('reproduce the text that a client signed with the line feed of our response [W496]', () => {
    const control = orderControl({ login: 'acme', clientOrderId: 'o-1', orderId: '1234567890\n' }, key);
    const form = received([['login', 'acme'], ['client_orderid', 'o-1'], ['orderid', '1234567890\n'], ['control', `${control}\n`]]); // prettier-ignore
    const decoded = fieldsAsDecoded(form);
    expect(controlOf(form)).not.toBe(control);
    expect(decoded && controlOf(decoded)).toBe(control);
    expect(decoded?.text('control')).toBe(control);
    expect(decoded?.text('not-sent')).toBe('');
  });

  it('are provided only if trimming changes a value that may be signed', () => {
    const value = fc.string({ unit: fc.constantFrom('a', '1', ' ', '\n', '\t', '\u00a0'), maxLength: 4 });
    fc.assert(
      fc.property(value, value, value, (login, order, control) => {
        const form = received([['login', login], ['client_orderid', order], ['control', control]]); // prettier-ignore
        const isPadded = /^[\t-\r ]|[\t-\r ]$/.test(login) || /^[\t-\r ]|[\t-\r ]$/.test(order);
        const decoded = fieldsAsDecoded(form);
        expect(decoded !== undefined).toBe(isPadded);
        if (decoded !== undefined) expect([decoded.text('login'), decoded.text('client_orderid')]).toStrictEqual([login, order]);
      }),
    );
  });
});
