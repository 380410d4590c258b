import { Merchant, type Answer, type Sending } from '../../support/merchants/merchant';
import type { Fields } from '../../support/merchants/signed-requests';
import { refusal } from '../../support/merchants/refusal';
import { OTHER_CONTROL_KEY, sandboxConfiguration } from '../../support/processes/sandbox-configuration';
import { Service } from '../../support/processes/service';

jest.setTimeout(60_000);

const configuration = sandboxConfiguration();
let service: Service;
let acme: Merchant;
let cardRefId: string;
let lastKey = 0;

beforeAll(async () => {
  service = await Service.start({ configuration });
  acme = new Merchant(service);
  cardRefId = await acme.registeredCard();
});
afterAll(() => service.dispose());

const newKey = (): string => `key-${process.pid}-${++lastKey}`;
const keyed = (key: string): Sending => ({ headers: { 'idempotency-key': key } });

interface Ordering {
  readonly fields: (fields?: Fields) => Fields;
  readonly send: (fields: Fields, sending?: Sending, merchant?: Merchant) => Promise<Answer>;
}
const SALE: Ordering = {
  fields: (fields) => acme.saleFields(fields),
  send: (fields, sending, merchant = acme) => merchant.post('sale', merchant.signedSale(fields, sending?.at), sending),
};
const REBILL: Ordering = {
  fields: (fields) => acme.rebillFields(cardRefId, fields),
  send: (fields, sending, merchant = acme) => merchant.post('make-rebill-sale', merchant.signedRebill(fields, sending?.at), sending),
};
const BOTH: [string, Ordering][] = [
  ['sale', SALE],
  ['make-rebill-sale', REBILL],
];

const chargesOf = (orderId: string | undefined): number => {
  const ledger = service.ledger();
  try {
    return ledger.requests().filter((request) => request.orderId === orderId && request.kind === 'charge').length;
  } finally {
    ledger.close();
  }
};

describe.each(BOTH)('an Idempotency-Key on %s (decisions, section 10)', (_operation, { fields, send }) => {
  it('returns the same response, order and serial for the same content, with the key quoted or bare [W234, W515]', async () => {
    const key = newKey();
    const request = fields();
    const first = await send(request, keyed(key));
    expect(first.fields).toMatchObject({ type: 'async-response', 'paynet-order-id': expect.any(String) });
    expect((await send(request, keyed(key))).body).toBe(first.body);
    expect((await send(request, keyed(`"${key}"`))).body).toBe(first.body);
    // Fields that are not content change nothing (decisions, section 4).
    expect((await send({ ...request, cvv2: '555', unknown: 'x' }, keyed(key))).body).toBe(first.body);
    const { 'merchant-order-id': clientOrderId = '', 'paynet-order-id': orderId = '', 'serial-number': serial = '' } = first.fields;
    const order = { clientOrderId, orderId };
    await acme.finalStatus(order);
    expect((await acme.status(order, { 'by-request-sn': serial })).fields).toMatchObject({ 'by-request-sn': serial });
    expect((await send(request, keyed(key))).body).toBe(first.body);
    expect(chargesOf(orderId)).toBe(1);
    // Without the key it repeats its client_orderid: the same order, another serial.
    const bare = (await send(request)).fields;
    expect(bare['paynet-order-id']).toBe(orderId);
    expect(bare['serial-number']).not.toBe(serial);
  });

  it('is refused with code 7 for other content: another field, another order [W516]', async () => {
    const key = newKey();
    const request = fields();
    await acme.accepted(send(request, keyed(key)));
    for (const other of [{ ...request, order_desc: 'Boots' }, { ...request, amount: '99.00' }, fields()]) {
      expect((await send(other, keyed(key))).fields).toMatchObject(refusal('7', 'Idempotency-Key'));
    }
    expect((await send(request, { ...keyed(key), at: 'group/2001' })).fields).toMatchObject(refusal('7', 'Idempotency-Key'));
  });

  it('is released after a refusal [W518]', async () => {
    const key = newKey();
    const request = fields();
    expect((await send({ ...request, amount: '0' }, keyed(key))).fields).toMatchObject(refusal('9', 'Amount'));
    expect((await send({ ...request, currency: 'EUR' }, keyed(key))).fields).toMatchObject(refusal('8', 'Currency'));
    const accepted = await send(request, keyed(key));
    expect(accepted.fields).toMatchObject({ type: 'async-response' });
    expect((await send(request, keyed(key))).body).toBe(accepted.body);
  });

  it('is not claimed by a request that is refused before the operation', async () => {
    const key = newKey();
    const request = fields();
    expect((await send({ ...request, control: '0'.repeat(40) }, keyed(key))).fields).toMatchObject(refusal('2', 'INVALID'));
    expect((await send({ ...request, ipaddress: 'x' }, keyed(key))).fields).toMatchObject(refusal('1', 'ipaddress'));
    await acme.accepted(send(request, keyed(key)));
  });

  it('makes one order with one serial for fifty simultaneous requests [W517]', async () => {
    const key = newKey();
    const request = fields();
    const answers = await Promise.all(Array.from({ length: 50 }, () => send(request, keyed(key))));
    expect(new Set(answers.map(({ body }) => body)).size).toBe(1);
    const [first] = answers;
    await acme.finalStatus({ clientOrderId: request['client_orderid'] ?? '', orderId: first?.fields['paynet-order-id'] ?? '' });
    expect(chargesOf(first?.fields['paynet-order-id'])).toBe(1);
  });

  it('accepts one of twenty simultaneous requests with different content and refuses the others with code 7', async () => {
    const key = newKey();
    const answers = await Promise.all(Array.from({ length: 20 }, () => fields()).map((request) => send(request, keyed(key))));
    expect(answers.filter(({ fields: { type } }) => type === 'async-response')).toHaveLength(1);
    expect(answers.filter(({ fields: answer }) => answer['error-code'] === '7')).toHaveLength(19);
  });

  it('returns the existing order of an earlier request, and the same serial for repeats', async () => {
    const request = fields();
    const { orderId } = await acme.accepted(send(request));
    const key = newKey();
    const first = await send(request, keyed(key));
    expect(first.fields['paynet-order-id']).toBe(orderId);
    expect((await send(request, keyed(key))).body).toBe(first.body);
  });
});

describe('an Idempotency-Key for another merchant or operation', () => {
  it('makes a separate order [W514]', async () => {
    const key = newKey();
    const other = new Merchant(service, { login: 'other', controlKey: OTHER_CONTROL_KEY, at: '9001' });
    const orders = [
      await acme.accepted(acme.sale({}, keyed(key))),
      await acme.accepted(acme.rebill(cardRefId, {}, keyed(key))),
      await other.accepted(other.sale({}, keyed(key))),
    ];
    expect(new Set(orders.map(({ orderId }) => orderId)).size).toBe(3);
  });
});

describe('an Idempotency-Key after a kill (safety, section 2.2)', () => {
  it('returns the same response, and is not stored in plain text', async () => {
    const key = `${newKey()}-never-to-be-stored`;
    // A real server keeps data of earlier runs.
    const clientOrderId = `kept-key-${newKey()}`;
    const first = await acme.sale({ client_orderid: clientOrderId }, keyed(key));
    const request = acme.saleFields({ client_orderid: clientOrderId });
    await service.kill();
    await service.restart();
    expect((await SALE.send(request, keyed(key))).body).toBe(first.body);
    expect((await service.stored()).includes(key)).toBe(false);
    expect(service.stdout).not.toContain(key);
  });
});
