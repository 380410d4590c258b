import { Secret } from '@app/kernel';
import { callbackBody, callbackPairs, CALLBACK_MEMBERS } from './callback';
import { encodeForm } from './forms/form-codec';

const key = new Secret('test-merchant-control');
const facts = { status: 'approved', orderid: '1234567', client_orderid: 'hf-abc', type: 'sale', amount: '10.42', currency: 'USD' } as const;

describe('merchant callback (protocol decisions, section 6)', () => {
  it('tells the members that apply, in order, signed', () => {
    expect(callbackPairs({ ...facts, merchantdata: undefined, 'last-four-digits': '1111' }, key)).toStrictEqual([
      ['status', 'approved'],
      ['orderid', '1234567'],
      ['merchant_order', 'hf-abc'],
      ['client_orderid', 'hf-abc'],
      ['type', 'sale'],
      ['amount', '10.42'],
      ['currency', 'USD'],
      ['last-four-digits', '1111'],
      ['control', '652ace404c4dfe8bba069ecee594ec23a89340e1'],
    ]);
  });

  it('is one flat JSON object of strings, or a query of the same members', () => {
    const body = callbackBody({ ...facts, merchantdata: 'a&status=declined","status":"declined' }, key);
    const members = JSON.parse(body) as Record<string, unknown>;
    expect(Object.keys(members)).toStrictEqual([
      'status', 'orderid', 'merchant_order', 'client_orderid', 'type', 'amount', 'currency', 'merchantdata', 'control',
    ]); // prettier-ignore
    expect(members).toMatchObject({ status: 'approved', merchantdata: 'a&status=declined","status":"declined' });
    expect(new URLSearchParams(encodeForm(callbackPairs(facts, key))).get('client_orderid')).toBe('hf-abc');
  });

  it('copies no member that the callback does not have', () => {
    const names = callbackPairs({ ...facts, cvv2: '123' } as typeof facts, key).map(([name]) => name);
    expect(names.every((name) => CALLBACK_MEMBERS.includes(name))).toBe(true);
  });
});
