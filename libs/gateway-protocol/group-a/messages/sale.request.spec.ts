import { Form } from '../forms/form-codec';
import { validateMessage } from '../forms/validate-message';
import { AccountVerificationRequest, cardOf, SaleRequest } from './initial-order.request';

const VALID = {
  client_orderid: 'inv-1',
  order_desc: 'Shoes',
  amount: '10.42',
  currency: 'USD',
  card_printed_name: 'JOHN SMITH',
  credit_card_number: '4444333322221111',
  expire_month: '12',
  expire_year: '2030',
  cvv2: '123',
  address1: '1 Main St',
  city: 'Springfield',
  zip_code: '12345',
  country: 'US',
  state: 'NY',
  email: 'john.smith@gmail.com',
  phone: '+12025550100',
  ipaddress: '203.0.113.9',
  control: 'c0',
};
const validated = (changed: Readonly<Record<string, string>>) =>
  validateMessage(SaleRequest, Form.of(Object.entries({ ...VALID, ...changed })));

describe('sale: the state depends on the country (interface 2.5; protocol decisions, section 2) [W38, W202]', () => {
  it.each([
    ['US', 'WY'],
    ['US', 'GU'],
    ['CA', 'QC'],
    ['AU', 'NSW'],
    ['DE', ''],
    ['DE', 'BY'],
    ['GB', 'ENG'],
  ])('accepts %s %j', (country, state) => expect(validated({ country, state })).toMatchObject({ ok: { country } }));

  it.each([
    ['US', '', 'state is required'],
    ['CA', '', 'state is required'],
    ['AU', '', 'state is required'],
    ['CA', 'NY', 'state must be a state code of CA in upper case'],
    ['AU', 'QC', 'state must be a state code of AU in upper case'],
    ['DE', 'Bavaria', 'state must be 2 or 3 characters'],
    ['DE', 'B', 'state must be 2 or 3 characters'],
  ])('refuses %s %j: %s', (country, state, message) =>
    expect(validated({ country, state })).toStrictEqual({ refused: { field: 'state', message } }),
  );
});

describe('sale: the card number', () => {
  it('has the same stored form for every notation of month and year [W460]', () => {
    const answer = validated({ expire_month: '3', expire_year: '31' });
    expect(answer).toMatchObject({ ok: { expire_month: '03', expire_year: '2031' } });
    if ('refused' in answer) throw new Error(answer.refused.message);
    const card = cardOf(answer.ok);
    expect(card.reveal()).toStrictEqual({ number: '4444333322221111', expiryMonth: 3, expiryYear: 2031, holder: 'JOHN SMITH' });
    expect(JSON.stringify({ card })).toBe('{"card":"[redacted]"}');
  });

  // Protocol decisions, section 4; safety, T33.
  const TEXTS = [
    'order_desc',
    'client_orderid',
    'first_name',
    'last_name',
    'card_printed_name',
    'address1',
    'city',
    'site_url',
    'purpose',
    'merchant_data',
  ];
  it.each(TEXTS)('is refused in %s [W284]', (field) => {
    expect(validated({ [field]: 'card 4444333322221111.' })).toStrictEqual({
      refused: { field, message: `${field} must not hold the card number` },
    });
  });

  // Nine digits fit into fields that are too short for sixteen.
  const SHORT_CARD = '490154200';
  it.each([
    ['phone', SHORT_CARD],
    ['cell_phone', `+${SHORT_CARD}`],
    ['zip_code', SHORT_CARD],
    ['email', `${SHORT_CARD}@shop.example`],
    ['control', SHORT_CARD],
  ])('is refused in %s if it has nine digits [W284]', (field, text) => {
    const fields = Object.entries({ ...VALID, credit_card_number: SHORT_CARD, [field]: text });
    const refused = { field, message: `${field} must not hold the card number` };
    expect(validateMessage(SaleRequest, Form.of(fields))).toStrictEqual({ refused });
    expect(validateMessage(AccountVerificationRequest, Form.of(fields))).toStrictEqual({ refused });
  });

  it.each([
    '4444 3333 2222 1111',
    '4444-3333-2222-1111',
    '4444\u20133333\u20132222\u20131111',
    '4-4-4-4 3.3.3.3 2/2/2/2 1_1_1_1',
    '4444\u200b3333\u00a02222\n1111',
    '４４４４３３３３２２２２１１１１',
    'x44443333222211119',
    'https://shop.example/?c=4444%203333%2D2222%31%31%31%31',
  ])('is detected as %j [W284]', (text) => {
    const message = 'order_desc must not hold the card number';
    expect(validated({ order_desc: text })).toStrictEqual({ refused: { field: 'order_desc', message } });
  });

  it.each(['redirect_url', 'server_callback_url', 'notify_url'])('is refused in the address %s [W284]', (field) => {
    const answer = validated({ [field]: 'https://shop.example/4444333322221111' });
    expect(answer).toStrictEqual({ refused: { field, message: `${field} must not hold the card number` } });
  });

  it.each(['5555555555554444', '4444 3333 2222 111', '4444 3333 and 2222 1111', '1111222233334444'])('is not detected in %j', (text) => {
    expect(validated({ order_desc: text })).toMatchObject({ ok: { order_desc: text } });
  });
});
