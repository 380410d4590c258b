import { Secret } from '@app/kernel';
import { callbackBody, callbackPairs, CALLBACK_MEMBERS, payerReturnPairs } from './callback';
import { encodeForm } from './forms/form-codec';

const key = new Secret('test-merchant-control');
const facts = { status: 'approved', orderid: '1234567', client_orderid: 'hf-abc', type: 'sale', amount: '10.42', currency: 'USD' } as const;

describe('merchant callback (protocol decisions, section 6)', () => {
  it('contains the members that apply, in order, with a valid control [W322]', () => {
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

  it('is one flat JSON object of strings, or a query with the same members', () => {
    const body = callbackBody({ ...facts, merchantdata: 'a&status=declined","status":"declined' }, key);
    const members = JSON.parse(body) as Record<string, unknown>;
    expect(Object.keys(members)).toStrictEqual([
      'status', 'orderid', 'merchant_order', 'client_orderid', 'type', 'amount', 'currency', 'merchantdata', 'control',
    ]); // prettier-ignore
    expect(members).toMatchObject({ status: 'approved', merchantdata: 'a&status=declined","status":"declined' });
    expect(new URLSearchParams(encodeForm(callbackPairs(facts, key))).get('client_orderid')).toBe('hf-abc');
  });

  it('gives the reason under both spellings and omits members with an empty value [W324, W503]', () => {
    const declined = { ...facts, status: 'declined', error_code: '116', error_message: 'Not sufficient funds', 'approval-code': '' };
    const members = Object.fromEntries(callbackPairs(declined, key));
    expect(members).toMatchObject({ 'error-code': '116', 'error-message': 'Not sufficient funds', error_code: '116' });
    expect(members).not.toHaveProperty('approval-code');
  });

  it('limits the payer’s return to the members that clients read and omits customer data [W505]', () => {
    const given = {
      ...facts,
      descriptor: 'ACME*SHOP',
      'card-type': 'VISA',
      'card-exp-month': '01',
      'card-exp-year': '2030',
      'processor-tx-id': 'PNTEST-1',
      error_code: '116',
      error_message: 'Not sufficient funds',
      name: 'JOHN SMITH',
      email: 'john.smith@example.com',
      merchantdata: 'basket 7',
    };
    expect(payerReturnPairs(given, key)).toStrictEqual([
      ['status', 'approved'],
      ['orderid', '1234567'],
      ['merchant_order', 'hf-abc'],
      ['client_orderid', 'hf-abc'],
      ['descriptor', 'ACME*SHOP'],
      ['error_code', '116'],
      ['error_message', 'Not sufficient funds'],
      ['error-code', '116'],
      ['error-message', 'Not sufficient funds'],
      ['card-type', 'VISA'],
      ['card-exp-month', '01'],
      ['card-exp-year', '2030'],
      ['processor-tx-id', 'PNTEST-1'],
      ['control', '652ace404c4dfe8bba069ecee594ec23a89340e1'],
    ]);
  });

  it('copies only members that a callback defines', () => {
    const names = callbackPairs({ ...facts, cvv2: '123' } as typeof facts, key).map(([name]) => name);
    expect(names.every((name) => CALLBACK_MEMBERS.includes(name))).toBe(true);
  });
});
