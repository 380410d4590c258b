import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { encodeForm, GROUP_A_OPERATIONS, GROUP_A_PATHS, JSON_ANSWER_TYPE, parseFormAnswer } from '@app/gateway-protocol';
import { Merchant, type Answer, type Sending } from '../../support/merchants/merchant';
import { SANDBOX_CONTROL_KEY, type Fields } from '../../support/merchants/signed-requests';
import { refusal } from '../../support/merchants/refusal';
import { OTHER_CONTROL_KEY, sandboxConfiguration } from '../../support/processes/sandbox-configuration';
import { Service } from '../../support/processes/service';

jest.setTimeout(30_000);

const MIB = 1_048_576;

let service: Service;
let acme: Merchant;
let cardRefId: string;

beforeAll(async () => {
  service = await Service.start({ configuration: sandboxConfiguration() });
  acme = new Merchant(service);
  cardRefId = await acme.registeredCard();
}, 60_000);

afterAll(() => service.dispose());

const withoutSerial = ({ status, headers, body, fields }: Answer) => ({
  status,
  type: headers['content-type'],
  body: body.replace(fields['serial-number'] ?? '-', ''),
});

describe('response bodies (decisions, section 3)', () => {
  const NASTY = 'a&status=approved\n<script>alert(1)</script> 100 % ü €';

  it('end every value with a newline, percent-encode values and write a blank as a plus [W221, W231]', async () => {
    const order = await acme.approvedSale({ merchant_data: NASTY, card_printed_name: 'ANN  LEE' });
    const { status, headers, body, fields } = await acme.status(order);
    expect(status).toBe(200);
    expect(headers['content-type']).toBe('text/html;charset=utf-8');
    expect(Number(headers['content-length'])).toBe(Buffer.byteLength(body));
    expect(body).toMatch(/^(?:[a-z0-9_-]+=(?:[A-Za-z0-9*._+-]|%[0-9A-F]{2})*\n&)+end-point-id=1001\n$/);
    expect(body).toContain('&cardholder-name=ANN++LEE\n');
    expect(body).toContain('&merchantdata=a%26status%3Dapproved%0A%3Cscript%3E');
    expect(fields).toMatchObject({ merchantdata: NASTY, status: 'approved', 'cardholder-name': 'ANN  LEE' });
    expect(body.match(/(^|&)status=/g)).toHaveLength(1);
  });

  it.each([
    ['an accepted order', () => acme.sale(), ['type', 'serial-number', 'merchant-order-id', 'paynet-order-id', 'end-point-id']],
    ['a refused one', () => acme.sale({ amount: '0' }), ['type', 'serial-number', 'merchant-order-id', 'error-message', 'error-code']],
    ['a form that cannot be read', () => acme.postBody('sale/1001', '%'), ['type', 'serial-number', 'error-message', 'error-code']],
  ])('have their keys in table order: %s [W206, W223]', async (_title, ask, keys) => {
    const { status, body } = await ask();
    expect(status).toBe(200);
    expect([...parseFormAnswer(body).keys()]).toStrictEqual(keys);
  });

  it.each([
    ['asked for alone', JSON_ANSWER_TYPE],
    ['among others', `text/html;q=0.9, ${JSON_ANSWER_TYPE};q=0.5`],
    ['in capitals', JSON_ANSWER_TYPE.toUpperCase()],
  ])('are one flat JSON object of strings with the same data if requested: %s [W224]', async (_title, accept) => {
    const order = await acme.approvedSale({ merchant_data: NASTY });
    const form = await acme.status(order);
    const json = await acme.status(order, {}, { headers: { accept } });
    expect(json.status).toBe(200);
    expect(json.headers['content-type']).toBe(JSON_ANSWER_TYPE);
    expect(JSON.parse(json.body)).toStrictEqual({ ...form.fields, 'serial-number': json.fields['serial-number'] });
    expect(Object.keys(json.fields)).toStrictEqual(Object.keys(form.fields));
  });

  it('are JSON for refusals too, with the same HTTP status [W224]', async () => {
    for (const answer of [await acme.sale({ amount: 'x' }, { json: true }), await acme.sale({}, { json: true, at: '7777' })]) {
      expect(answer.status).toBe(200);
      expect(answer.headers['content-type']).toBe(JSON_ANSWER_TYPE);
      expect(answer.fields['type']).toBe('validation-error');
    }
    const large = await acme.postBody('sale/1001', 'a'.repeat(MIB + 1), { accept: JSON_ANSWER_TYPE });
    expect([large.status, large.headers['content-type']]).toStrictEqual([413, JSON_ANSWER_TYPE]);
  });

  it.each([['*/*'], ['application/json'], [`${JSON_ANSWER_TYPE};q=0`], ['text/html'], ['']])(
    'are a form unless Accept names the JSON type (%s)',
    async (accept) => {
      const { headers } = await acme.sale({ amount: '0' }, { headers: { accept } });
      expect(headers['content-type']).toBe('text/html;charset=utf-8');
    },
  );

  it('forbid sniffing, storing, framing and loading (safety, T21)', async () => {
    const answers = [
      await acme.sale(),
      await acme.sale({}, { at: '7777' }),
      await acme.postBody('sale/1001', '%'),
      await acme.postBody('sale/1001', 'a'.repeat(MIB + 1)),
      await service.request('/paynet/api/v2/sale/1001'),
      await service.request('/nowhere'),
      await service.request('/health/ready'),
    ];
    expect(answers.map(({ status }) => status)).toStrictEqual([200, 200, 200, 413, 405, 404, 200]);
    for (const { headers } of answers) {
      expect(headers).toMatchObject({
        'x-content-type-options': 'nosniff',
        'cache-control': 'no-store',
        'content-security-policy': expect.stringContaining("default-src 'none'"),
      });
      for (const absent of ['x-powered-by', 'etag', 'server', 'set-cookie']) expect(headers).not.toHaveProperty(absent);
    }
  });
});

describe('reading a request body, which precedes all other checks (decisions, section 3) [W227]', () => {
  const FORM = 'application/x-www-form-urlencoded';
  // The entry point does not exist, so that checking it first would give code 2.
  const ask = (body: string | Buffer, headers: Readonly<Record<string, string>> = {}) => acme.postBody('sale/7777', body, headers);

  it.each<[string, Readonly<Record<string, string>>]>([
    ['text/plain', { 'content-type': 'text/plain' }],
    ['another character set', { 'content-type': `${FORM}; charset=iso-8859-1` }],
  ])('refuses content type %s with code 1 [W225]', async (_title, headers) => {
    expect((await ask('client_orderid=x', headers)).fields).toMatchObject(refusal('1', 'Content-Type'));
  });

  it.each([[FORM], [`${FORM}; charset=UTF-8`], [`${FORM};charset="utf-8"`], [FORM.toUpperCase()]])(
    'accepts content type %s',
    async (type) => {
      expect((await ask('client_orderid=x', { 'content-type': type })).fields).toMatchObject(refusal('2', 'INVALID_CONTROL_CODE'));
    },
  );

  it.each<[string, string | Buffer, string]>([
    ['a single percent sign', 'a=%', 'Percent-encoding'],
    ['a byte that no UTF-8 begins with', 'a=%ff', 'UTF-8'],
    ['a raw byte that is no UTF-8', Buffer.from([0x61, 0x3d, 0xff]), 'UTF-8'],
    ['an encoded NUL', 'a=1%002', 'NUL'],
    ['a parameter given twice', 'a=1&a=1', 'twice'],
    ['1,001 parameters', Array.from({ length: 1_001 }, (_value, index) => `p${index}=1`).join('&'), '1000 parameters'],
  ])('refuses a form with %s with code 1 [W66, W226]', async (_title, body, said) => {
    const { status, fields } = await ask(body);
    expect(status).toBe(200);
    expect(fields).toMatchObject(refusal('1', said));
    expect(fields).not.toHaveProperty('merchant-order-id');
  });

  it('accepts a form of 1,000 parameters', async () => {
    const body = Array.from({ length: 1_000 }, (_value, index) => `p${index}=1`).join('&');
    expect((await ask(body)).fields).toMatchObject(refusal('2', 'INVALID_CONTROL_CODE'));
  });

  it('accepts 1 MiB, and refuses one more byte with status 413 [W228]', async () => {
    const body = (bytes: number) => `a=${'1'.repeat(bytes - 2)}`;
    expect(await ask(body(MIB))).toMatchObject({ status: 200, fields: refusal('2', 'INVALID_CONTROL_CODE') });
    const large = await ask(body(MIB + 1));
    expect(large).toMatchObject({ status: 413, fields: refusal('1', '1 MiB') });
    expect(large.fields['serial-number']).toMatch(/^0{8}-/);
  });

  it('refuses a compressed body', async () => {
    const { status, fields } = await ask(gzipSync('client_orderid=x'), { 'content-encoding': 'gzip' });
    expect(status).toBe(200);
    expect(fields).toMatchObject(refusal('1', 'Content-Encoding'));
  });

  it('reads an empty body as a form without fields', async () => {
    expect((await acme.postBody('sale/1001', '')).fields).toMatchObject(refusal('1', 'amount'));
    expect((await acme.postBody('status/1001', '')).fields).toMatchObject(refusal('2', 'INVALID_CONTROL_CODE'));
  });
});

describe('paths and methods (interface, section 4.1; decisions, section 1)', () => {
  const paths = [...GROUP_A_PATHS.keys()].flatMap((operation) => [`/paynet/api/${operation}/1001`, `/paynet/api/${operation}/group/2001`]);

  it.each(paths)('%s accepts only POST: any other method gets 405 with Allow [W65, W177]', async (path) => {
    for (const method of ['GET', 'HEAD', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']) {
      const { status, headers } = await service.request(path, { method });
      expect([method, status, headers['allow']]).toStrictEqual([method, 405, 'POST']);
    }
  });

  it.each([
    '/',
    '/paynet',
    '/paynet/api/v2/sale',
    '/paynet/api/v2/refund/1001',
    '/paynet/api/v4/sale/1001',
    '/paynet/api/constructor/sale/1001',
    '/api/v2/sale/1001',
    '/metrics',
    '/paynet/payer/payment-x/y/z',
    // Paths are exact: the case matters, and a final slash is refused.
    '/PAYNET/api/v2/sale/1001',
    '/paynet/api/v2/Sale/1001',
    '/paynet/api/v2/s%61le/1001',
    '/paynet/api/v2/sale/%31001',
    '/paynet/api/v2/sale/1001/',
    '/paynet/simulator/Authentication/sim-3ds/x',
    '/health/ready/',
  ])('%s is unknown and gets 404 for any method [W164, W178]', async (path) => {
    for (const method of ['GET', 'POST']) {
      const { status, body } = await service.request(path, { method, headers: { 'content-type': 'application/x-www-form-urlencoded' } });
      expect([status, body]).toStrictEqual([404, 'Not Found\n']);
    }
  });

  it.each([
    '/paynet/api/v2/status/%',
    '/paynet/api/v2/status/%zz',
    '/paynet/api/v2/status/%ff',
    `/paynet/api/v2/status/${'1'.repeat(4_000)}`,
  ])('an unreadable path gets no 5xx: %s', async (path) => {
    const { status } = await service.request(path, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: 'a=1',
    });
    expect([200, 400, 404]).toContain(status);
  });
});

describe('a configured path prefix (decisions, section 1)', () => {
  it('applies to operations, payer pages and receipts, which have no other path [W180]', async () => {
    const pathPrefix = '/gate/of-acme';
    const prefixed = await Service.start({ configuration: sandboxConfiguration({ whole: { pathPrefix } }) });
    try {
      const merchant = new Merchant(prefixed, { pathPrefix });
      const order = await merchant.approvedSale();
      const receiptId = (await merchant.finalStatus(order))['receipt-id'] ?? '';
      expect((await prefixed.request(`${pathPrefix}/view-receipt/1001/${receiptId}/`)).status).toBe(200);
      const secure = await merchant.accepted(merchant.sale({ cvv2: '321' }, { at: '1003' }));
      const { 'redirect-to': page = '' } = await merchant.statusWhen(secure, ({ html }) => html !== undefined, 'the authentication page');
      expect(page.startsWith(`${prefixed.baseUrl}${pathPrefix}/payer/`)).toBe(true);
      expect((await prefixed.send(page)).status).toBe(200);
      for (const path of ['api/v2/status/1001', `view-receipt/1001/${receiptId}/`, page.slice(page.indexOf('payer/'))])
        expect((await prefixed.request(`/paynet/${path}`)).status).toBe(404);
    } finally {
      await prefixed.dispose();
    }
  });
});

describe('unknown parameters (decisions, section 3)', () => {
  const MARK = 'never-to-be-stored-8472';

  it("are ignored, never stored, and not part of the order's content [W230]", async () => {
    const fields = acme.signedSale(acme.saleFields({ purpose: 'known' }));
    const unknown = { unheard_of: MARK, [MARK]: 'x', login: 'acme', __proto__x: MARK, 'a[b]': MARK, constructor: MARK };
    const first = await acme.accepted(acme.post('sale', { ...fields, ...unknown }));
    const second = await acme.accepted(acme.postBody('sale/1001', `${encodeForm(Object.entries(fields))}&__proto__=${MARK}&toString=1`));
    expect(second.orderId).toBe(first.orderId);
    const { fields: status, body } = await acme.status(first, { unheard_of: MARK });
    expect(status['type']).toBe('status-response');
    expect(body).not.toContain(MARK);
    await acme.finalStatus(first);
    const bytes = await service.stored();
    expect(bytes.includes(first.clientOrderId)).toBe(true);
    expect(bytes.includes(MARK)).toBe(false);
    expect(service.stdout).not.toContain(MARK);
  });
});

describe('a failed authentication (interface, section 7.1; decisions, section 4)', () => {
  const CLIENT_ORDERID = 'order-of-nobody';
  type Ask = (merchant: Merchant, fields: Fields, sending: Sending) => Promise<Answer>;
  const ORDER = { clientOrderId: CLIENT_ORDERID, orderId: 'pabcdefghijklmnr' };
  const ASKS: readonly (readonly [operation: string, ask: Ask, hasLogin: boolean])[] = [
    ['sale', (merchant, fields, sending) => merchant.sale({ client_orderid: CLIENT_ORDERID, ...fields }, sending), false],
    [
      'make-rebill-sale',
      (merchant, fields, sending) => merchant.rebill(cardRefId, { client_orderid: CLIENT_ORDERID, ...fields }, sending),
      true,
    ],
    ['create-card-ref', (merchant, fields, sending) => merchant.createCardRef(ORDER, fields, sending), true],
    [
      'get-card-info',
      (merchant, fields, sending) => merchant.cardInfo(cardRefId, { client_orderid: CLIENT_ORDERID, ...fields }, sending),
      true,
    ],
    ['status', (merchant, fields, sending) => merchant.status(ORDER, fields, sending), true],
    ...(['capture', 'return', 'void'] as const).map((operation) => {
      const ask: Ask = (merchant, fields, sending) =>
        merchant.post(operation, merchant.signedOrder(merchant.orderFields(ORDER, fields)), sending);
      return [operation, ask, true] as const;
    }),
    [
      'make-rebill-preauth',
      (merchant, fields, sending) => {
        const asked = merchant.rebillFields(cardRefId, { client_orderid: CLIENT_ORDERID, ...fields });
        return merchant.post('make-rebill-preauth', merchant.signedRebill(asked, sending.at), sending);
      },
      true,
    ],
    [
      'preauth',
      (merchant, fields, sending) => {
        const asked = merchant.saleFields({ client_orderid: CLIENT_ORDERID, ...fields });
        return merchant.post('preauth', merchant.signedSale(asked, sending.at), sending);
      },
      false,
    ],
  ];

  it.each(ASKS)(
    "%s: returns identical bytes for unknown names, another merchant's names and every wrong checksum [W156, W181, W240, W462]",
    async (_operation, ask, hasLogin) => {
      const forger = new Merchant(service, { controlKey: OTHER_CONTROL_KEY });
      const wrong: [string, Promise<Answer>][] = [
        ['wrong key', ask(forger, {}, {})],
        ['checksum of zeros', ask(acme, { control: '0'.repeat(40) }, {})],
        ['no checksum', ask(acme, { control: '' }, {})],
        ['checksum in upper case', ask(acme, { control: 'ABCDEF0123'.repeat(4) }, {})],
        ['unknown endpoint', ask(acme, {}, { at: '7777' })],
        ['another merchant’s endpoint', ask(acme, {}, { at: '9001' })],
        ['another merchant’s endpoint and key', ask(forger, hasLogin ? {} : { control: 'x' }, { at: '9001' })],
        ['unknown group', ask(acme, {}, { at: 'group/7777' })],
        ['another merchant’s group', ask(acme, {}, { at: 'group/9101' })],
        ['group id on the endpoint path', ask(acme, {}, { at: '2001' })],
        ['endpoint id on the group path', ask(acme, {}, { at: 'group/1001' })],
        ...(hasLogin
          ? ([
              ['unknown login', ask(acme, { login: 'nobody' }, {})],
              ['another merchant’s login', ask(acme, { login: 'other' }, {})],
              ['login in capitals', ask(acme, { login: 'ACME' }, {})],
              ['no login', ask(acme, { login: '' }, {})],
            ] as [string, Promise<Answer>][])
          : []),
      ];
      const first = await (wrong[0]?.[1] ?? Promise.reject(new Error('nothing asked')));
      expect(first.fields).toStrictEqual({
        type: 'validation-error',
        'serial-number': expect.stringMatching(/^00000000-0000-0000-0000-[0-9a-f]{12}$/),
        'merchant-order-id': CLIENT_ORDERID,
        'error-message': 'INVALID_CONTROL_CODE',
        'error-code': '2',
      });
      for (const [how, answer] of wrong) expect([how, withoutSerial(await answer)]).toStrictEqual([how, withoutSerial(first)]);
    },
  );

  it('is reported before field errors, which therefore reveal nothing [W267]', async () => {
    const bad = { order_desc: undefined, currency: 'nonsense', ipaddress: 'x', credit_card_number: '1' };
    expect((await acme.sale({ ...bad, control: 'wrong' })).fields).toMatchObject(refusal('2', 'INVALID_CONTROL_CODE'));
    expect((await acme.rebill(cardRefId, { ...bad, control: 'wrong' })).fields).toMatchObject(refusal('2', 'INVALID_CONTROL_CODE'));
    expect((await acme.sale(bad)).fields).toMatchObject(refusal('1', 'order_desc'));
  });

  it('is reported after an unreadable amount, except for an unknown entry point or login [W267]', async () => {
    expect((await acme.sale({ amount: '1,5', control: 'wrong' })).fields).toMatchObject(refusal('1', 'amount'));
    expect((await acme.sale({ amount: '1,5' }, { at: '7777' })).fields).toMatchObject(refusal('2', 'INVALID_CONTROL_CODE'));
    expect((await acme.rebill(cardRefId, { amount: '1,5', login: 'nobody' })).fields).toMatchObject(refusal('2', 'INVALID_CONTROL_CODE'));
  });

  it('omits an invalid client_orderid [W265]', async () => {
    for (const client_orderid of ['x'.repeat(129), 'a\u0007b', '']) {
      const { fields } = await acme.sale({ client_orderid, control: 'wrong' });
      expect(fields).toMatchObject(refusal('2', 'INVALID_CONTROL_CODE'));
      expect(fields).not.toHaveProperty('merchant-order-id');
    }
  });
});

const checked = new Set<string>();

describe("checksums computed from the interface's lists without this service's code (interface, section 5.1; decisions, section 5)", () => {
  const sha1 = (...parts: readonly string[]): string => createHash('sha1').update(parts.join(''), 'utf8').digest('hex');

  const ROWS: readonly (readonly [string, () => Fields | Promise<Fields>, (fields: Fields) => readonly (string | undefined)[]])[] = [
    ['sale', () => acme.saleFields({ amount: '0.94' }), ({ client_orderid, email }) => ['1001', client_orderid, '94', email]],
    [
      'make-rebill-sale',
      () => acme.rebillFields(cardRefId, { amount: '10.15' }),
      ({ login, client_orderid, cardrefid, currency }) => ['1001', login, client_orderid, cardrefid, '1015', currency],
    ],
    [
      'create-card-ref',
      async () => acme.orderFields(await acme.approvedSale()),
      ({ login, client_orderid, orderid }) => [login, client_orderid, orderid],
    ],
    [
      'status',
      async () => acme.orderFields(await acme.approvedSale()),
      ({ login, client_orderid, orderid }) => [login, client_orderid, orderid],
    ],
    ['get-card-info', () => ({ login: 'acme', cardrefid: cardRefId }), ({ login, cardrefid }) => [login, cardrefid]],
  ];
  ROWS.forEach(([operation]) => checked.add(operation));

  it.each(ROWS)('%s: are accepted only with the values in this order [W134, W135, W296]', async (operation, fieldsOf, signed) => {
    const fields = await fieldsOf();
    const parts = signed(fields).map((part) => part ?? '');
    const wrong = [
      sha1(...[...parts].reverse(), SANDBOX_CONTROL_KEY),
      sha1(SANDBOX_CONTROL_KEY, ...parts),
      sha1(...parts),
      sha1(parts.join('|'), SANDBOX_CONTROL_KEY),
      sha1(...parts, SANDBOX_CONTROL_KEY.replaceAll('-', '')),
    ];
    for (const control of wrong) expect((await acme.post(operation, { ...fields, control })).fields).toMatchObject({ 'error-code': '2' });
    const { fields: answer } = await acme.post(operation, { ...fields, control: sha1(...parts, SANDBOX_CONTROL_KEY) });
    expect(answer).not.toHaveProperty('error-code');
    expect(answer['type']).toMatch(/-response$/);
  });
});

describe('checksums of initial payments and follow-ups, computed the same way (decisions, section 5)', () => {
  const sha1 = (...parts: readonly string[]): string => createHash('sha1').update(parts.join(''), 'utf8').digest('hex');
  const NAMED = { login: 'acme', client_orderid: 'inv-1', orderid: 'pabcdefghijklmnr' };
  const PARTIAL = { ...NAMED, amount: '4.2', currency: 'USD' };
  const order = (fields: Fields) => [fields['login'], fields['client_orderid'], fields['orderid']];
  const orderAndAmount = (fields: Fields) => [...order(fields), '420', 'USD'];
  const verification = (): Fields => ({ ...acme.saleFields(), amount: undefined, currency: undefined });

  const ROWS: readonly (readonly [
    operation: string,
    at: string,
    fields: () => Fields,
    signed: (fields: Fields) => readonly (string | undefined)[],
  ])[] = [
    ['preauth', '1001', () => acme.saleFields({ amount: '0.94' }), (fields) => ['1001', fields['client_orderid'], '94', fields['email']]],
    ['account-verification', '1001', verification, (fields) => ['1001', fields['client_orderid'], fields['email']]],
    ['account-verification', 'group/2001', verification, (fields) => ['2001', fields['client_orderid'], fields['email']]],
    [
      'make-rebill-preauth',
      'group/2001',
      () => acme.rebillFields(cardRefId, { amount: '10.15' }),
      ({ login, client_orderid, cardrefid }) => ['2001', login, client_orderid, cardrefid, '1015', 'USD'],
    ],
    ['capture', '1001', () => NAMED, order],
    ['capture', '1001', () => PARTIAL, orderAndAmount],
    ['return', 'group/2001', () => NAMED, order],
    ['return', '1001', () => PARTIAL, orderAndAmount],
    ['void', '1001', () => NAMED, order],
  ];
  ROWS.forEach(([operation]) => checked.add(operation));

  it.each(ROWS)(
    '%s at %s: are accepted only with the values in this order [W169, W173, W174, W182, W296-298]',
    async (operation, at, fieldsOf, signed) => {
      const fields = fieldsOf();
      const parts = signed(fields).map((part) => part ?? '');
      for (const control of [
        sha1(...[...parts].reverse(), SANDBOX_CONTROL_KEY),
        sha1(...parts),
        sha1(...parts, '0', SANDBOX_CONTROL_KEY),
      ]) {
        expect((await acme.post(operation, { ...fields, control }, { at })).fields).toMatchObject({ 'error-code': '2' });
      }
      const { fields: answer } = await acme.post(operation, { ...fields, control: sha1(...parts, SANDBOX_CONTROL_KEY) }, { at });
      expect(answer['serial-number']).toMatch(/^0{8}-/);
      expect(answer['error-code']).not.toBe('2');
    },
  );

  it('cover every operation signed with a checksum', () => {
    const signed = Object.values(GROUP_A_OPERATIONS).flatMap(({ name, proof }) => (proof.kind === 'control' ? [name] : []));
    expect([...checked].sort()).toStrictEqual([...new Set<string>(signed)].sort());
  });
});

describe('amounts (decisions, section 2)', () => {
  it.each([
    ['0.1', '0.10'],
    ['9999999.99', '9999999.99'],
    ['9999999999', '9999999999.00'],
  ])('%j is read as %s', async (amount, shown) => {
    const order = await acme.accepted(acme.sale({ amount }));
    expect((await acme.status(order)).fields).toMatchObject({ amount: shown, 'initial-amount': shown });
  });

  it.each(['', '1.234', '1e3', '１', '10000000.00'])('%j is refused with code 1 [W18, W203, W256]', async (amount) => {
    expect((await acme.sale({ amount })).fields).toMatchObject({
      type: 'validation-error',
      'error-code': '1',
      'error-message': expect.stringMatching(/^amount /),
    });
  });

  it.each(['0.00'])('%j is out of range: code 9 [W256]', async (amount) => {
    expect((await acme.sale({ amount })).fields).toMatchObject(refusal('9', 'Amount'));
  });
});
