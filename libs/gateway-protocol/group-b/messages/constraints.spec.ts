import { at, BODY_NAMES, classOf, pathsOf, read, refusal, sampleOf, shown, withValue } from '../../testing/device-samples';

/** Examples for a member, in every message that has it (interface, section 2.6). */
interface Row {
  /** The end of its path. */
  readonly member: string;
  readonly fits: readonly unknown[];
  readonly refused: readonly (readonly [value: unknown, complaint: string])[];
}

const letters = (count: number): string => 'ä'.repeat(count);
const astral = (count: number): string => '💳'.repeat(count);
const said = (min: number, max: number): string => (min === max ? `must be ${min} characters` : `must be ${min} to ${max} characters`);

/** Both limits and one beyond each. A character beyond U+FFFF counts as one. */
const text = (member: string, min: number, max: number): Row => ({
  member,
  fits: [letters(min), letters(max), astral(Math.max(min, 1)), astral(max), 'x'.repeat(max)],
  refused: [
    ...(min === 0 ? [] : [['x'.repeat(min - 1), said(min, max)] as const, [astral(min - 1), said(min, max)] as const]),
    [letters(max + 1), said(min, max)],
    [astral(max + 1), said(min, max)],
    ['x'.repeat(100_000), said(min, max)],
    ['\ud83d'.repeat(max), 'must be well-formed Unicode'],
    [1234567890, 'must be text'],
  ],
});
/** Text covered by an HMAC (safety, T4). */
const signedText = (member: string, min: number, max: number): Row => {
  const row = text(member, min, max);
  const controlled = ['\n', '\u0000', '\u007f', '\u0085'].map((control) => `${control}${'x'.repeat(min)}`);
  return {
    ...row,
    refused: [
      ...row.refused,
      ...controlled.filter((value) => value.length <= max).map((value) => [value, 'must not hold control characters'] as const),
    ],
  };
};
const segment = (member: string, max: number): Row => {
  const row = signedText(member, 1, max);
  return { ...row, refused: [...row.refused, ['.', 'must not be . or ..'], ['..', 'must not be . or ..']] };
};
const integer = (member: string, min: number, max: number): Row => {
  const complaint = `must be an integer from ${min} to ${max}`;
  const wrong = [min - 1, max + 1, 1.5, String(min), Number.NaN, Infinity, true, [min]];
  return { member, fits: [min, min + 1, max - 1, max], refused: wrong.map((value) => [value, complaint]) };
};
const number = (member: string, min: number, max: number): Row => {
  const complaint = `must be a number from ${min} to ${max}`;
  const wrong = [min - 0.000_1, max + 0.000_1, Number.NaN, Infinity, '1', true];
  return { member, fits: [min, max, 0, 0.123_456_789], refused: wrong.map((value) => [value, complaint]) };
};
const texts = (member: string, min: number, max: number): Row => {
  const complaint = `must hold texts of ${min} to ${max} characters`;
  const wrong: readonly unknown[] = [
    ['x'.repeat(min - 1)],
    ['x'.repeat(max + 1)],
    ['x'.repeat(max), ''],
    [null],
    [12345678],
    [['x'.repeat(min)]],
  ];
  const long = 'must hold at most 100 entries';
  return {
    member,
    fits: [[], ['x'.repeat(min)], ['x'.repeat(max), 'x'.repeat(min)], Array.from({ length: 100 }, () => '203.0.113.9')],
    refused: [
      ...wrong.map((value) => [value, complaint] as const),
      [Array.from({ length: 101 }, () => '203.0.113.9'), long],
      ['203.0.113.9', 'must be a list'],
    ],
  };
};
const coded = (member: string, complaint: string, fits: readonly string[], refused: readonly string[]): Row => ({
  member,
  fits,
  refused: [...refused.map((value) => [value, complaint] as const), [7, 'must be text']],
});

const digits = (member: string): Row => ({
  member,
  fits: ['444433', '000000', 444_433, 100_000, 999_999],
  refused: [
    ...['44443', '4444333', '44443x', '', 44_443, 4_444_333, 444_433.5, -444_433].map((value) => [value, 'must be 6 digits'] as const),
    [true, 'must be text'],
  ],
});

const CENTIS_MAX = Number.MAX_SAFE_INTEGER;
const LUHN_9 = '100000009';
const LUHN_19 = '4000000000000000006';
const CODE = 'must be an ISO 4217 code in upper case';
const NUMBER = 'must be a card number: 9 to 19 digits that pass the Luhn check';

const ROWS: readonly (readonly [title: string, row: Row])[] = [
  ['section 2.6: consumer.device.serialNumber', signedText('consumer.device.serialNumber', 1, 50)],
  ['section 2.6: consumer.device.imei', text('consumer.device.imei', 14, 16)],
  ['section 2.6: consumer.ipAddresses[]', texts('consumer.ipAddresses', 7, 15)],
  ['section 2.6: location.lat', number('location.lat', -90, 90)],
  ['section 2.6: location.lng', number('location.lng', -180, 180)],
  ['section 2.6: session.accessToken', signedText('session.accessToken', 32, 128)],
  ['section 2.6: session.nonce', signedText('session.nonce', 32, 128)],
  ['section 2.6: session.signature', signedText('session.signature', 32, 128)],
  ['section 4.6: session.checkSignature', signedText('session.checkSignature', 32, 128)],
  ['section 2.6: session.token', text('session.token', 16, 36)],
  [
    'section 2.6: transaction.currency',
    coded('transaction.currency', CODE, ['USD', 'EUR', 'JPY'], ['usd', 'US', 'USDX', 'XXX', '840', 'ABC', '', ' USD']),
  ],
  ['section 2.6: transaction.amountCentis', integer('transaction.amountCentis', 1, CENTIS_MAX)],
  ['section 2.6: consumer.email', text('consumer.email', 3, 128)],
  [
    'section 2.6: consumer.birthDay',
    coded(
      'consumer.birthDay',
      'must be a day as ddMMyyyy',
      ['31121999', '29022000', '01011900'],
      ['1990-01-31', '3112199', '311219990', '19991231', '31021990', '29021900', '00011990', '01001990', '01131990', '٠١٠١١٩٩٠', ''],
    ),
  ],
  ['section 2.6: billing.address.city', text('billing.address.city', 1, 100)],
  [
    'section 2.6: billing.address.country',
    coded(
      'billing.address.country',
      'must be an ISO 3166 alpha-3 code in upper case',
      ['USA', 'DEU', 'CZE'],
      ['US', 'usa', 'USAX', 'XXX', '840', ''],
    ),
  ],
  ['section 2.6: billing.address.postcodeZip', text('billing.address.postcodeZip', 1, 10)],
  ['section 2.6: billing.address.state', text('billing.address.state', 2, 3)],
  ['section 2.6: billing.address.street', text('billing.address.street', 1, 50)],
  ['section 2.6: billing.address.street2', text('billing.address.street2', 1, 50)],
  ['section 2.6: billing.phone', text('billing.phone', 1, 20)],
  ['section 2.6: order.description', text('order.description', 0, 128)],
  ['section 2.6: order.siteUrl', text('order.siteUrl', 0, 128)],
  ['section 2.6: order.purpose', text('order.purpose', 0, 128)],
  ['section 2.6: expiry.month (decisions, section 8: 1 to 12)', integer('expiry.month', 1, 12)],
  ['section 2.6: expiry.year, four digits', integer('expiry.year', 1_000, 9_999)],
  ['section 2.6: holder.firstName', text('holder.firstName', 1, 50)],
  ['section 2.6: holder.lastName', text('holder.lastName', 1, 50)],
  ['section 2.6: holder.printedName', text('holder.printedName', 1, 50)],
  ...['sourceCard.number', 'card.number'].map((member): readonly [string, Row] => [
    `section 2.6: ${member}`,
    coded(
      member,
      NUMBER,
      ['4444333322221111', '5555555555554444', LUHN_9, LUHN_19],
      ['4444333322221112', '18', '10000008', '40000000000000000002', '4444 3333 2222 1111', '４４４４３３３３２２２２１１１１', ''],
    ),
  ]),
  ['section 2.6: securityCode', coded('securityCode', 'must be 3 or 4 digits', ['123', '0000'], ['12', '12345', '12a', '', '١٢٣', ' 123'])],
  ['section 2.6: reference.clientCardId', text('reference.clientCardId', 1, 128)],
  ['section 2.6: reference.clientCardId, flat, of the source', text('sourceCardRefId', 1, 128)],
  ['section 2.6: reference.clientCardId, flat, of the destination', text('destinationCardRefId', 1, 128)],
  ['section 2.6: reference.serverCardId', signedText('reference.serverCardId', 1, 64)],
  ['section 2.6: reference.uniqueReferenceCardId', integer('reference.uniqueReferenceCardId', 0, CENTIS_MAX)],
  ['section 2.6: bin', integer('Card.bin', 0, CENTIS_MAX)],
  ['section 2.6: fromBin, or as an integer', digits('fromBin')],
  ['section 2.6: toBin, or as an integer', digits('toBin')],
  ['section 2.6: error.code', text('error.code', 1, 128)],
  ['section 2.6: error.message', text('error.message', 0, 1_024)],
  ['section 4.4: endpointId', segment('endpointId', 20)],
  ['section 4.4: invoiceId (safety, T18)', segment('invoiceId', 128)],
  ['section 4.4: rates.min', text('rates.min', 1, 32)],
  ['section 4.4: rates.max', text('rates.max', 1, 32)],
  ['section 4.6: transaction.randomSumCentis', integer('transaction.randomSumCentis', 0, CENTIS_MAX)],
  ['section 3.2: bankOrderId', text('bankOrderId', 1, 128)],
  ['section 3.2: errorCode', integer('errorCode', -CENTIS_MAX, CENTIS_MAX)],
  ['section 3.2: errorMessage', text('errorMessage', 0, 128)],
  [
    'section 3.2: redirectUrl',
    {
      member: 'redirectUrl',
      fits: ['https://a.example/', 'http://a.example:8080/x?y=1', 'https://a.example/'.padEnd(128, 'x')],
      refused: [
        ['https://a.example/'.padEnd(129, 'x'), said(1, 128)],
        ['', said(1, 128)],
        ...['javascript:alert(1)', 'ftp://a.example/', '/relative', 'https://u:p@a.example/', 'https://'].map(
          (value) => [value, 'must be an absolute http or https address without user name'] as const,
        ),
      ],
    },
  ],
  [
    'section 3.2: secure3DAuthStatus',
    coded(
      'secure3DAuthStatus',
      'must be AUTHENTICATED or NOT_AUTHENTICATED or UNSUPPORTED',
      ['AUTHENTICATED', 'NOT_AUTHENTICATED', 'UNSUPPORTED'],
      ['UNKNOWN', 'authenticated', ''],
    ),
  ],
  [
    'section 3.2: randomSumAuthStatus',
    coded(
      'randomSumAuthStatus',
      'must be AUTHENTICATED or NOT_AUTHENTICATED',
      ['AUTHENTICATED', 'NOT_AUTHENTICATED'],
      ['UNSUPPORTED', 'authenticated', ''],
    ),
  ],
  ['section 4.7: orderId', text('orderId', 1, 128)],
  ['section 4.7: transaction.commissionCentis', integer('transaction.commissionCentis', 0, CENTIS_MAX)],
  ...['orderCreatedDate', 'transactionCreatedDate'].map((member): readonly [string, Row] => [
    `section 4.7: transaction.${member} (decisions, section 8)`,
    coded(
      `transaction.${member}`,
      'must be a time as YYYY-MM-DD HH:mm:ss ZZZ',
      ['2026-11-21 21:42:54 UTC', '2026-11-21 21:42:54 +03'],
      ['2026-11-21T21:42:54Z', '2026-11-21 21:42:54', '21.11.2026', ''],
    ),
  ]),
  ['section 4.7: transferFeeList assignedId', segment('transferFeeList.0.assignedId', 128)],
  ['section 4.7: transferFeeList commissionCentis', integer('transferFeeList.0.commissionCentis', 0, CENTIS_MAX)],
  ['section 4.7: transferFeeList currency', coded('transferFeeList.0.currency', CODE, ['USD'], ['usd', 'US', 'USDX', ''])],
];

/** Tested in another table. */
const ELSEWHERE = /(^|\.)(state|cause)$/;
const isAbout = (path: string, { member }: Row): boolean =>
  path === member || path.endsWith(`.${member}`) || (/^[A-Z]/.test(member) && path.endsWith(member));
const places = BODY_NAMES.flatMap((name) => pathsOf(classOf(name), sampleOf(name)).map((path) => ({ name, path })));

describe.each(ROWS)('interface, %s [W54, W86, W161, W369, W403]', (_title, row) => {
  const messages = places.filter(({ path }) => isAbout(path, row));

  it('applies to at least one message', () => expect(messages.length).toBeGreaterThan(0));

  it.each(messages)('$name, $path: accepts both boundaries', ({ name, path }) => {
    for (const value of row.fits) {
      const answer = read(name, withValue(sampleOf(name), path, value));
      expect([value, 'ok' in answer ? at(shown(answer.ok), path) : answer]).toStrictEqual([value, value]);
    }
  });

  it.each(messages)('$name, $path: refuses values beyond the boundaries without repeating them', ({ name, path }) => {
    for (const [value, complaint] of row.refused) {
      expect([value, read(name, withValue(sampleOf(name), path, value))]).toStrictEqual([value, refusal(path, complaint)]);
    }
  });
});

it('every member of every message has a row of constraints', () => {
  const isObject = ({ name, path }: (typeof places)[number]): boolean => {
    const value = at(sampleOf(name), path);
    return typeof value === 'object' && !path.endsWith('ipAddresses');
  };
  const bare = places.filter(
    (place) => !isObject(place) && !ELSEWHERE.test(place.path) && !ROWS.some(([, row]) => isAbout(place.path, row)),
  );
  expect(bare).toStrictEqual([]);
});
