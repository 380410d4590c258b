import { fieldsOf, type CallbackMember, type GroupAAnswerKind } from '@app/gateway-protocol';

const CONTROL = '5d2e1a0c9b8f7e6d5c4b3a291807f6e5d4c3b2a1';
const SERIAL = '00000000-0000-0000-0000-000000000052';
const CARD_REFERENCE = 'ab3de5fgh7jklm9npqrc';

/** Sandbox values without the checksum. Fields that are not here are optional. */
const FIELDS: Readonly<Record<string, string>> = {
  login: 'acme',
  client_orderid: 'order-1795287518',
  orderid: '2140706369',
  order_desc: 'A pair of shoes',
  amount: '10.42',
  currency: 'USD',
  first_name: 'John',
  last_name: 'Smith',
  card_printed_name: 'JOHN SMITH',
  credit_card_number: '4444333322221111',
  expire_month: '12',
  expire_year: '2035',
  cvv2: '123',
  address1: '12 Main Street',
  city: 'Springfield',
  zip_code: '12345',
  country: 'US',
  state: 'CA',
  email: 'john.smith@example.com',
  phone: '12025550123',
  ipaddress: '192.0.2.10',
  cardrefid: CARD_REFERENCE,
  comment: 'The customer sent one shoe back',
  redirect_url: 'https://shop.example/back',
  server_callback_url: 'https://shop.example/callback',
  control: CONTROL,
};
/** Left out of short requests. */
const LONG: ReadonlySet<string> = new Set(['first_name', 'last_name', 'redirect_url', 'server_callback_url']);

export const requestExample = (Message: new () => object): Readonly<Record<string, string>> =>
  Object.fromEntries(
    fieldsOf(Message).flatMap(({ name }) => {
      const value = LONG.has(name) ? undefined : FIELDS[name];
      return value === undefined ? [] : [[name, value]];
    }),
  );

const ORDER = { 'serial-number': SERIAL, 'merchant-order-id': 'order-1795287518', 'paynet-order-id': '2140706369' };
const ANSWERS: Readonly<Record<GroupAAnswerKind, Readonly<Record<string, string>>>> = {
  async: { type: 'async-response', ...ORDER, 'end-point-id': '1001' },
  'card-ref': {
    type: 'create-card-ref-response',
    'serial-number': SERIAL,
    status: 'approved',
    'card-ref-id': CARD_REFERENCE,
    'end-point-id': '1001',
  },
  'card-ref-v4': {
    type: 'create-card-ref-response',
    'serial-number': SERIAL,
    status: 'approved',
    'card-ref-id': CARD_REFERENCE,
    'end-point-id': '1001',
  },
  'card-info': {
    type: 'get-card-info-response',
    'serial-number': SERIAL,
    'card-printed-name': 'JOHN SMITH',
    'expire-year': '2035',
    'expire-month': '12',
    bin: '444433',
    'last-four-digits': '1111',
  },
  status: {
    type: 'status-response',
    ...ORDER,
    status: 'approved',
    amount: '10.42',
    currency: 'USD',
    'initial-amount': '10.42',
    'transaction-type': 'sale',
    'order-stage': 'sale_approved',
    'end-point-id': '1001',
  },
};

export const answerExample = (kind: GroupAAnswerKind): Readonly<Record<string, string>> => ANSWERS[kind];

export const callbackExample = (): { readonly [Member in CallbackMember]?: string } => ({
  status: 'approved',
  orderid: '2140706369',
  merchant_order: 'order-1795287518',
  client_orderid: 'order-1795287518',
  type: 'sale',
  amount: '10.42',
  currency: 'USD',
  descriptor: 'test-a',
  control: CONTROL,
});
