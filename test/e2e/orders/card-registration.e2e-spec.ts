import { lastingHeaders } from '../../support/isolation/lasting-headers';
import { Merchant, type Answer } from '../../support/merchants/merchant';
import type { Fields, Order } from '../../support/merchants/signed-requests';
import { refusal } from '../../support/merchants/refusal';
import { OTHER_CONTROL_KEY, sandboxConfiguration } from '../../support/processes/sandbox-configuration';
import { Service } from '../../support/processes/service';

jest.setTimeout(30_000);

const SERIAL = /^00000000-0000-0000-0000-[0-9a-f]{12}$/;
const CARD_REF_ID = /^[a-z][a-z0-9]{18}c$/;

let service: Service;
let acme: Merchant;
let other: Merchant;

beforeAll(async () => {
  const configuration = sandboxConfiguration({
    endpoints: [{ id: '1005', currency: 'USD', gates: ['sim-out'] }],
    gates: [{ alias: 'sim-out', adapter: 'simulator', currencies: ['USD'], simulate: { unavailable: true } }],
  });
  service = await Service.start({ configuration });
  acme = new Merchant(service);
  other = new Merchant(service, { login: 'other', controlKey: OTHER_CONTROL_KEY, at: '9001' });
}, 60_000);

afterAll(() => service.dispose());

const withoutSerial = ({ status, headers, body, fields }: Answer) => ({
  status,
  headers: lastingHeaders(headers),
  length: headers['content-length'],
  body: body.replace(fields['serial-number'] ?? '-', ''),
});

describe('create-card-ref (interface, section 2.2)', () => {
  it.each([
    ['by endpoint', '1001'],
    ['by group (decisions, section 1)', 'group/2001'],
    ['by another entry point of the merchant, end-point-id being that of the order (decisions, section 1) [W184]', '1002'],
  ])('%s returns the reference and every field of the table for an approved order [W7, W8, W165, W464]', async (_title, at) => {
    const { fields } = await acme.createCardRef(await acme.approvedSale(), {}, { at });
    expect(fields).toStrictEqual({
      type: 'create-card-ref-response',
      'serial-number': expect.stringMatching(SERIAL),
      status: 'approved',
      'card-ref-id': expect.stringMatching(CARD_REF_ID),
      'unq-card-ref-id': expect.stringMatching(/^\S{1,64}$/),
      'end-point-id': '1001',
    });
    expect(fields['card-ref-id']).not.toMatch(/\d{9}/);
  });

  it('returns the same reference with a new serial for repeated and simultaneous requests (decisions, section 4) [W287]', async () => {
    const order = await acme.approvedSale();
    const answers = await Promise.all(Array.from({ length: 20 }, () => acme.createCardRef(order)));
    const later = await acme.createCardRef(order, {}, { headers: { 'idempotency-key': '"another"' } });
    const all = [...answers, later].map(({ fields }) => fields);
    expect(new Set(all.map((fields) => fields['card-ref-id'])).size).toBe(1);
    expect(all[0]?.['card-ref-id']).toMatch(CARD_REF_ID);
    expect(new Set(all.map((fields) => fields['serial-number'])).size).toBe(all.length);
  });

  it('issues a reference per order, and a unique reference per card number and merchant (decisions, section 4) [W2, W288]', async () => {
    const register = async (merchant: Merchant, fields: Fields = {}) =>
      (await merchant.createCardRef(await merchant.approvedSale(fields))).fields;
    const first = await register(acme);
    const sameCard = await register(acme, { expire_year: '2041', card_printed_name: 'J. SMITH' });
    const otherCard = await register(acme, { credit_card_number: '5555555555554444' });
    const othersAnswer = await register(other);
    expect(sameCard['card-ref-id']).not.toBe(first['card-ref-id']);
    expect(sameCard['unq-card-ref-id']).toBe(first['unq-card-ref-id']);
    expect(otherCard['unq-card-ref-id']).not.toBe(first['unq-card-ref-id']);
    expect(othersAnswer['unq-card-ref-id']).not.toBe(first['unq-card-ref-id']);
  });

  it('is refused with code 4 for an order that is not final (interface, section 2.1) [W1, W293]', async () => {
    const order = await acme.accepted(acme.sale({ cvv2: '321' }, { at: '1003' }));
    const { fields } = await acme.createCardRef(order);
    expect(fields).toStrictEqual({
      ...refusal('4', 'not in a final status'),
      'serial-number': expect.stringMatching(SERIAL),
      'merchant-order-id': order.clientOrderId,
    });
  });

  it.each([
    ['declined', { cvv2: '119' }, '1001', '119', 'not permitted'],
    ['error', {}, '1005', '122', ''],
  ])(
    'returns status and reason without a reference for an order that ended %s (decisions, section 4) [W11, W292]',
    async (status, sale, at, code, said) => {
      const order = await acme.accepted(acme.sale(sale, { at }));
      await acme.finalStatus(order);
      expect((await acme.createCardRef(order)).fields).toStrictEqual({
        type: 'create-card-ref-response',
        'serial-number': expect.stringMatching(SERIAL),
        status,
        'error-message': expect.stringContaining(said),
        'error-code': code,
        'end-point-id': at,
      });
    },
  );

  it('registers a recurrent payment like any other order, with the same unique reference', async () => {
    const first = (await acme.createCardRef(await acme.approvedSale())).fields;
    const order = await acme.accepted(acme.rebill(first['card-ref-id'] ?? ''));
    await acme.finalStatus(order);
    const { fields } = await acme.createCardRef(order);
    expect(fields).toMatchObject({ status: 'approved', 'unq-card-ref-id': first['unq-card-ref-id'] });
    expect(fields['card-ref-id']).toMatch(CARD_REF_ID);
    expect(fields['card-ref-id']).not.toBe(first['card-ref-id']);
  });

  it("responds alike to another merchant's order and an unknown order (decisions, section 4) [W271]", async () => {
    const order = await acme.approvedSale();
    const othersAnswer = await other.createCardRef(order);
    expect(othersAnswer.fields).toMatchObject(refusal('3', 'Order not found'));
    const unknown = { ...order, orderId: `${order.orderId.slice(0, -3)}zzr` };
    const malformed = { ...order, orderId: 'nonsense' };
    expect(withoutSerial(await other.createCardRef(unknown))).toStrictEqual(withoutSerial(othersAnswer));
    expect(withoutSerial(await other.createCardRef(malformed))).toStrictEqual(withoutSerial(othersAnswer));
  });

  it('reports an order as unknown if the client_orderid belongs to another order', async () => {
    const [one, two] = [await acme.approvedSale(), await acme.approvedSale()];
    const crossed: Order = { clientOrderId: one.clientOrderId, orderId: two.orderId };
    expect((await acme.createCardRef(crossed)).fields).toMatchObject(refusal('3', 'Order not found'));
  });

  it.each([
    ['login', { login: undefined }, '2', 'INVALID_CONTROL_CODE'],
    ['login of another merchant', { login: 'other' }, '2', 'INVALID_CONTROL_CODE'],
    ['client_orderid', { client_orderid: undefined }, '1', 'client_orderid'],
    ['client_orderid of 129 characters', { client_orderid: 'x'.repeat(129) }, '1', 'client_orderid'],
    ['orderid', { orderid: undefined }, '1', 'orderid'],
    ['control', { control: '' }, '2', 'INVALID_CONTROL_CODE'],
    ['control in capitals', { control: 'A'.repeat(40) }, '2', 'INVALID_CONTROL_CODE'],
  ])('is refused if a field is missing or wrong: %s [W4, W11]', async (_title, fields: Fields, code, said) => {
    const order: Order = { clientOrderId: acme.newOrderId(), orderId: 'pabcdefghijklmnr' };
    expect((await acme.createCardRef(order, fields)).fields).toMatchObject(refusal(code, said));
  });
});

describe('get-card-info (interface, section 2.3)', () => {
  it.each([
    ['by endpoint', '1001'],
    ['by group', 'group/2001'],
  ])('%s returns every field of the table [W13, W166]', async (_title, at) => {
    const cardRefId = await acme.registeredCard({ card_printed_name: 'Ann O’Hara & Söhne', expire_month: '1', expire_year: '39' });
    expect((await acme.cardInfo(cardRefId, {}, { at })).fields).toStrictEqual({
      type: 'get-card-info-response',
      'serial-number': expect.stringMatching(SERIAL),
      'card-printed-name': 'Ann O’Hara & Söhne',
      'expire-year': '2039',
      'expire-month': '01',
      bin: '444433',
      'last-four-digits': '1111',
    });
  });

  it("responds alike to another merchant's reference and an unknown reference (decisions, section 4)", async () => {
    const cardRefId = await acme.registeredCard();
    const othersAnswer = await other.cardInfo(cardRefId);
    expect(othersAnswer.fields).toMatchObject(refusal('5', 'Card reference not found'));
    expect(withoutSerial(await other.cardInfo('abcdefghijklmnopqrsc'))).toStrictEqual(withoutSerial(othersAnswer));
    expect(withoutSerial(await other.cardInfo('77'))).toStrictEqual(withoutSerial(othersAnswer));
  });

  it.each([
    ['login', { login: undefined }, '2', 'INVALID_CONTROL_CODE'],
    ['login of 21 characters', { login: 'a'.repeat(21) }, '2', 'INVALID_CONTROL_CODE'],
    ['cardrefid', { cardrefid: undefined }, '1', 'cardrefid'],
    ['cardrefid of 21 characters', { cardrefid: 'a'.repeat(21) }, '1', 'cardrefid'],
    ['control', { control: '' }, '2', 'INVALID_CONTROL_CODE'],
    ['control of 129 characters', { control: '0'.repeat(129) }, '2', 'INVALID_CONTROL_CODE'],
  ])('is refused if a field is missing or wrong: %s [W12, W14]', async (_title, fields: Fields, code, said) => {
    expect((await acme.cardInfo('abcdefghijklmnopqrsc', fields)).fields).toMatchObject(refusal(code, said));
  });

  it('shows only the first six and last four digits of a card number (safety, section 5.1)', async () => {
    const order = await acme.approvedSale();
    const registered = await acme.createCardRef(order);
    const info = await acme.cardInfo(registered.fields['card-ref-id'] ?? '');
    for (const { body } of [registered, info, await acme.status(order)]) expect(body).not.toContain('33332222');
  });
});
