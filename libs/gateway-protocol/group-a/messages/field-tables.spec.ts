import { Form } from '../forms/form-codec';
import { fieldsOf } from '../../shared/validation/message-fields';
import { validateMessage } from '../forms/validate-message';
import { AccountVerificationRequest, SaleRequest } from './initial-order.request';
import { CreateCardRefV4Request, CreateCardRefRequest } from './create-card-ref';
import { CaptureRequest, ReturnRequest, VoidRequest } from './follow-up.request';
import { GetCardInfoRequest } from './get-card-info';
import { MakeRebillSaleRequest } from './make-rebill-sale.request';
import { OrderStatusV4Request, OrderStatusRequest } from './order-status.request';
import { GROUP_A_OPERATIONS } from '../operations';

/** Examples for a field. An undefined value omits the parameter. */
interface FieldRow {
  readonly field: string;
  readonly required: boolean;
  readonly fits: readonly string[];
  readonly refused: readonly (readonly [value: string, complaint: string])[];
}

const named = (value: string): readonly [name: string, value: string] => [
  value.length <= 60 ? JSON.stringify(value) : `${JSON.stringify([...value].slice(0, 8).join(''))} and on, ${value.length} units,`,
  value,
];

/** Tests a field's rows with an otherwise valid request. */
const DESCRIBED = new Set<unknown>();
const describeFieldTable = <Message extends object>(
  title: string,
  Message: new () => Message,
  valid: Readonly<Record<string, string>>,
  rows: readonly FieldRow[],
): void => {
  const validated = (changed: Readonly<Record<string, string | undefined>>) =>
    validateMessage(
      Message,
      Form.of(Object.entries({ ...valid, ...changed }).flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const]))),
    );

  DESCRIBED.add(Message);
  describe(title, () => {
    it('accepts the valid request unchanged', () => expect(validated({})).toEqual({ ok: valid }));

    it('has the documented fields in the documented order', () =>
      expect(fieldsOf(Message).map(({ name }) => name)).toStrictEqual(rows.map(({ field }) => field)));

    for (const { field, required, fits, refused } of rows) {
      for (const [what, value] of [
        ['missing', undefined],
        ['empty', ''],
        ['blank', ' \t\r\n'],
      ] as const) {
        // prettier-ignore
        it(`${field}: ${what} is ${required ? 'refused' : 'absent'}`, () => {
          const { [field]: _absent, ...rest } = valid;
          const answer = validated({ [field]: value });
          expect(answer).toEqual(required ? { refused: { field, message: `${field} is required` } } : { ok: rest });
          if ('ok' in answer) expect(field in answer.ok).toBe(false);
        });
      }
      it.each(fits.map(named))(`${field}: %s fits`, (_name, value) =>
        expect(validated({ [field]: value })).toMatchObject({ ok: { [field]: value } }),
      );
      it.each(fits.slice(0, 1))(`${field}: padding is trimmed`, (value) =>
        expect(validated({ [field]: `\n ${value}\t ` })).toMatchObject({ ok: { [field]: value } }),
      );
      it.each(refused.map(([value, complaint]) => [...named(value), complaint] as const))(
        `${field}: %s is refused`,
        (_name, value, complaint) => {
          expect(validated({ [field]: value })).toEqual({ refused: { field, message: `${field} ${complaint}` } });
        },
      );
    }
  });
};

const CONTROL = '32d2d34c1715aff2224989ad6ff60b1889b2a63b';
const NO_CONTROL_CHARACTERS = 'must not hold control characters';
const letters = (count: number): string => 'ä'.repeat(count);
const astral = (count: number): string => '💳'.repeat(count);

/** A character beyond U+FFFF counts as one. */
const text = (field: string, required: boolean, max: number): FieldRow => ({
  field,
  required,
  fits: ['x', letters(max), astral(max), 'a\tb'],
  refused: [letters(max + 1), astral(max + 1), 'x'.repeat(100_000)].map((value) => [value, `must be at most ${max} characters`]),
});
const signedText = (field: string, required: boolean, max: number): FieldRow => ({
  ...text(field, required, max),
  fits: ['x', letters(max), astral(max), '4444333322221111'],
  refused: [
    [letters(max + 1), `must be at most ${max} characters`],
    ['a\nb', NO_CONTROL_CHARACTERS],
    ['a\u0085b', NO_CONTROL_CHARACTERS],
    ['a\u007fb', NO_CONTROL_CHARACTERS],
  ],
});
const longText = (field: string, required: boolean): FieldRow => ({
  field,
  required,
  fits: ['x', 'x'.repeat(65_536), letters(32_768), astral(16_384), '<script>a&b=c</script>\r\nline'],
  refused: ['x'.repeat(65_537), `${letters(32_768)}x`, `${astral(16_384)}x`].map((value) => [
    value,
    'must be at most 65536 bytes of UTF-8',
  ]),
});
const NO_AMOUNT = ['10,5', '1.234', '19.9910', '.5', '5.', '-1', '+1', '1e3', '0x10', '01', '1 0', 'ten', '٣', '10000000000', 'Infinity'];
const amount = (field: string): FieldRow => ({
  field,
  required: true,
  fits: ['10.5', '10.50', '0', '0.94', '10.15', '1', '9999999999', '9999999.99', '19.9900', '9999999.99000000'],
  refused: [...NO_AMOUNT, '9999999.990000000', '99999999.99', '15000000.00'].map((value) => [
    value,
    'must be an amount such as 10.50, at most 10 characters before any zeros that follow two decimals',
  ]),
});
const reportedAmount: FieldRow = {
  field: 'amount',
  required: true,
  fits: ['10.5', '0.94', '9999999999', '15000000.00', '9999999999.99', '9999999999.99000'],
  refused: [...NO_AMOUNT, '9999999999.990000'].map((value) => [value, 'must be an amount such as 10.50, at most 16 characters']),
};
const currency: FieldRow = {
  field: 'currency',
  required: true,
  fits: ['USD', 'EUR', 'JPY'],
  refused: ['usd', 'US', 'USDX', 'XXX', '840', 'ABC'].map((value) => [value, 'must be an ISO 4217 code in upper case']),
};
const cvv2: FieldRow = {
  field: 'cvv2',
  required: false,
  fits: ['123', '0123'],
  refused: ['12', '12345', '12a', '١٢٣'].map((value) => [value, 'must be 3 or 4 digits']),
};
const ipaddress: FieldRow = {
  field: 'ipaddress',
  required: true,
  fits: ['203.0.113.9', '2001:db8::1', '::ffff:203.0.113.9', '2001:0db8:0000:0000:0000:ffff:255.255.255.255'],
  refused: ['1.2.3', '1.2.3.256', '01.2.3.4', 'localhost', 'fe80::1%eth0', '1.2.3.4, 5.6.7.8', '2001:db8::g'].map((value) => [
    value,
    'must be an IPv4 or IPv6 address',
  ]),
};
const address = (field: string): FieldRow => ({
  field,
  required: false,
  fits: ['https://shop.example/back?a=1', 'http://203.0.113.9:8080/', 'https://shop.example/'.padEnd(1_024, 'x')],
  refused: [
    ['https://shop.example/'.padEnd(1_025, 'x'), 'must be at most 1024 characters'],
    ...['shop.example', 'javascript:alert(1)', 'https://u:p@shop.example/', 'https://shop.example/\r\nX: y'].map(
      (value) => [value, 'must be an absolute http or https address without user name'] as const,
    ),
  ],
});
const oneOf = (field: string, one: string, other: string): FieldRow => ({
  field,
  required: false,
  fits: [one, other],
  refused: [one.toLowerCase(), 'OTHER', `${one},${other}`, 'constructor'].map((value) => [value, `must be ${one} or ${other}`]),
});

describeFieldTable(
  'interface 2.2: create-card-ref v2 request [W4]',
  CreateCardRefRequest,
  { login: 'acme', client_orderid: 'inv-1', orderid: 'pabcdefghijklmnr', control: CONTROL },
  [signedText('login', true, 20), signedText('client_orderid', true, 128), signedText('orderid', true, 128), text('control', true, 40)],
);

describeFieldTable(
  'interface 2.3: get-card-info request [W12, W162]',
  GetCardInfoRequest,
  { login: 'acme', cardrefid: 'ab3de5fgh7jklm9npqrc', control: CONTROL },
  [signedText('login', true, 20), signedText('cardrefid', true, 20), text('control', true, 128)],
);

describeFieldTable(
  'interface 2.4: recurrent payment request [W15, W16, W162, W286]',
  MakeRebillSaleRequest,
  {
    client_orderid: 'inv-1',
    login: 'acme',
    cardrefid: 'ab3de5fgh7jklm9npqrc',
    order_desc: 'March',
    amount: '10.42',
    enumerate_amounts: '10.42,5',
    currency: 'USD',
    cvv2: '123',
    ipaddress: '203.0.113.9',
    control: CONTROL,
    comment: 'c',
    purpose: 'p',
    redirect_url: 'https://shop.example/a',
    redirect_success_url: 'https://shop.example/b',
    redirect_fail_url: 'https://shop.example/c',
    server_callback_url: 'https://shop.example/d',
    merchant_data: 'm',
    recurrent_scenario: 'REGULAR',
    recurrent_initiator: 'MERCHANT',
  },
  [
    signedText('client_orderid', true, 128),
    signedText('login', true, 20),
    signedText('cardrefid', true, 20),
    longText('order_desc', true),
    amount('amount'),
    {
      field: 'enumerate_amounts',
      required: false,
      fits: ['10', '10.5,9,8.25', `${'10.50,'.repeat(21)}10`],
      refused: [
        ['10,', 'must be amounts such as 10.50, separated by commas without blanks'],
        ['10;9', 'must be amounts such as 10.50, separated by commas without blanks'],
        ['10, 9', 'must be amounts such as 10.50, separated by commas without blanks'],
        ['10,1e3', 'must be amounts such as 10.50, separated by commas without blanks'],
        [`${'10.50,'.repeat(21)}100`, 'must be at most 128 characters'],
      ],
    },
    currency,
    cvv2,
    ipaddress,
    text('control', true, 40),
    text('comment', false, 50),
    text('purpose', false, 128),
    address('redirect_url'),
    address('redirect_success_url'),
    address('redirect_fail_url'),
    address('server_callback_url'),
    longText('merchant_data', false),
    oneOf('recurrent_scenario', 'REGULAR', 'IRREGULAR'),
    oneOf('recurrent_initiator', 'CARDHOLDER', 'MERCHANT'),
  ],
);

describeFieldTable(
  'interface 2.5: order status request [W29]',
  OrderStatusRequest,
  {
    login: 'acme',
    client_orderid: 'inv-1',
    orderid: 'pabcdefghijklmnr',
    'by-request-sn': '00000000-0000-0000-0000-000000000001',
    control: CONTROL,
  },
  [
    signedText('login', true, 20),
    signedText('client_orderid', true, 128),
    signedText('orderid', false, 128),
    text('by-request-sn', false, 128),
    text('control', true, 40),
  ],
);

const sale = {
  client_orderid: 'inv-1',
  order_desc: 'Shoes',
  amount: '10.42',
  currency: 'USD',
  first_name: 'John',
  last_name: 'Smith',
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
  cell_phone: '+12025550101',
  ipaddress: '203.0.113.9',
  ssn: '1234',
  birthday: '19800229',
  site_url: 'www.shop.example',
  purpose: 'p',
  redirect_url: 'https://shop.example/a',
  redirect_success_url: 'https://shop.example/b',
  redirect_fail_url: 'https://shop.example/c',
  server_callback_url: 'https://shop.example/d',
  notify_url: 'https://shop.example/e',
  merchant_data: 'm',
  control: CONTROL,
};

const INITIAL_ORDER: readonly FieldRow[] = [
  { ...signedText('client_orderid', true, 128), fits: ['x', letters(128)] },
  longText('order_desc', true),
  amount('amount'),
  currency,
  text('first_name', false, 50),
  text('last_name', false, 50),
  text('card_printed_name', true, 128),
  {
    field: 'credit_card_number',
    required: true,
    fits: ['4444333322221111', '5555555555554444', '378282246310005', '000000000', '6304000000000000000'],
    refused: ['4444333322221112', '4444 3333 2222 1111', '4444-3333-2222-1111', '00000000', '00000000000000000000', '٤٤٤٤٣٣٣٣٢٢٢٢١١١١'].map(
      (value) => [value, 'must be a card number: 9 to 19 digits that pass the Luhn check'],
    ),
  },
  {
    field: 'expire_month',
    required: true,
    fits: ['01', '09', '10', '12'],
    refused: ['0', '00', '13', '123', 'x', '1.'].map((value) => [value, 'must be a month from 1 to 12']),
  },
  {
    field: 'expire_year',
    required: true,
    fits: ['2030', '1999'],
    refused: ['3', '203', '20300', '0030', '-1', 'xx'].map((value) => [value, 'must be a year of two or four digits']),
  },
  cvv2,
  text('address1', true, 50),
  text('city', true, 50),
  text('zip_code', true, 10),
  {
    field: 'country',
    required: true,
    fits: ['US'],
    refused: ['us', 'USA', 'U', 'ZZ', 'UK', '840'].map((value) => [value, 'must be an ISO 3166 alpha-2 code in upper case']),
  },
  {
    field: 'state',
    required: true,
    fits: ['NY', 'DC', 'PR'],
    refused: ['ny', 'XX', 'NSW', 'NYC'].map((value) => [value, 'must be a state code of US in upper case']),
  },
  {
    field: 'email',
    required: true,
    fits: ['a@b.co', "o'brien+tag@mail.shop.example", 'jürgen@bücher.example', `${'a'.repeat(37)}@shop.example`],
    refused: [
      [`${'a'.repeat(38)}@shop.example`, 'must be at most 50 characters'],
      ...[
        'john',
        'john@',
        '@shop.example',
        'john@shop',
        'a b@shop.example',
        'a@b@shop',
        'a..b@shop.example',
        'a@-shop.example',
        'a@shop..example',
        'a\n@shop.example',
      ].map((value) => [value, 'must be an e-mail address'] as const),
    ],
  },
  text('phone', true, 15),
  text('cell_phone', false, 15),
  ipaddress,
  text('ssn', false, 4),
  {
    field: 'birthday',
    required: false,
    fits: ['19800229', '20001231'],
    refused: ['19810229', '19801301', '19800100', '1980-02-29', '198002', '00000000', '1980022a'].map((value) => [
      value,
      'must be a day as YYYYMMDD',
    ]),
  },
  text('site_url', false, 128),
  text('purpose', false, 128),
  address('redirect_url'),
  address('redirect_success_url'),
  address('redirect_fail_url'),
  address('server_callback_url'),
  address('notify_url'),
  longText('merchant_data', false),
  text('control', true, 40),
];

describeFieldTable('protocol decisions 10: sale and preauth request [W458, W459]', SaleRequest, sale, INITIAL_ORDER);

const { amount: _amount, currency: _currency, ...verification } = sale;
describeFieldTable(
  'protocol decisions 10: account-verification request [W465]',
  AccountVerificationRequest,
  verification,
  INITIAL_ORDER.filter(({ field }) => field !== 'amount' && field !== 'currency').map((row) => {
    if (row.field === 'cvv2') return { ...row, required: true };
    return row.field === 'phone' ? { ...row, required: false } : row;
  }),
);

const FOLLOW_UP: readonly FieldRow[] = [
  signedText('login', true, 20),
  signedText('client_orderid', true, 128),
  signedText('orderid', true, 128),
];
const followUp = { login: 'acme', client_orderid: 'inv-1', orderid: 'pabcdefghijklmnr', control: CONTROL };
const partial = { ...followUp, amount: '10.42', currency: 'USD' };
const control = text('control', true, 40);

describeFieldTable('protocol decisions 10: void request [W470]', VoidRequest, followUp, [...FOLLOW_UP, control]);
// Amount and currency require each other.
describeFieldTable('protocol decisions 10: capture request [W468]', CaptureRequest, partial, [
  ...FOLLOW_UP,
  reportedAmount,
  currency,
  control,
]);
describeFieldTable('protocol decisions 10: return request [W469]', ReturnRequest, { ...partial, comment: 'c' }, [
  ...FOLLOW_UP,
  reportedAmount,
  currency,
  text('comment', false, 50),
  control,
]);

it.each([CaptureRequest, ReturnRequest])('%p: accepts amount and currency only together or both absent [W471]', (Message) => {
  expect(validateMessage(Message, Form.of(Object.entries(followUp)))).toEqual({ ok: followUp });
});

describeFieldTable(
  'interface 2.2: create-card-ref v4 request [W5]',
  CreateCardRefV4Request,
  { client_orderid: 'inv-1', orderid: 'pabcdefghijklmnr', login: 'acme' },
  [signedText('client_orderid', true, 128), signedText('orderid', true, 128), signedText('login', false, 20)],
);

describeFieldTable(
  'interface 2.5: order status v4 request',
  OrderStatusV4Request,
  { client_orderid: 'inv-1', orderid: 'pabcdefghijklmnr', 'by-request-sn': '00000000-0000-0000-0000-000000000001', login: 'acme' },
  [
    signedText('client_orderid', true, 128),
    signedText('orderid', false, 128),
    text('by-request-sn', false, 128),
    signedText('login', false, 20),
  ],
);

it('every Group A message has a field table', () => {
  const messages = Object.values(GROUP_A_OPERATIONS).map(({ message }) => message);
  expect(messages.filter((message) => !DESCRIBED.has(message)).map(({ name }) => name)).toStrictEqual([]);
});
