import { CallbackReceiver } from '../../support/merchants/callback-receiver';
import { Merchant } from '../../support/merchants/merchant';
import type { Fields } from '../../support/merchants/signed-requests';
import { sandboxConfiguration } from '../../support/processes/sandbox-configuration';
import { Service } from '../../support/processes/service';
import { until } from '../../support/until';

jest.setTimeout(30_000);

const GATE = { adapter: 'simulator', currencies: ['USD'] };
const OTHER_CARD = '4111111111111111';

let receiver: CallbackReceiver;
let service: Service;
let acme: Merchant;

beforeAll(async () => {
  receiver = await CallbackReceiver.start();
  const configuration = sandboxConfiguration({
    ports: [receiver.port],
    endpoints: [
      { id: '1101', currency: 'USD', gates: ['sim-no', 'sim-b'] },
      { id: '1102', currency: 'USD', gates: ['sim-out', 'sim-no', 'sim-b'] },
      { id: '1103', currency: 'USD', gates: ['sim-poor', 'sim-b'] },
      { id: '1104', currency: 'USD', gates: ['sim-out', 'sim-out-too'] },
      { id: '1105', currency: 'USD', gates: ['sim-no', 'sim-out'] },
      { id: '1106', currency: 'USD', gates: ['sim-a', 'sim-b'] },
      { id: '1107', currency: 'USD', gates: ['sim-cvv', 'sim-b'] },
      {
        id: '1201',
        currency: 'USD',
        gates: ['sim-a'],
        screening: {
          minAmount: '1.00',
          maxAmount: '50.00',
          blockedBins: ['41111111'],
          blockedCountries: ['KP'],
          blockedIps: ['198.51.100.0/24'],
        },
      },
      { id: '1202', currency: 'USD', gates: ['sim-a'], screening: { perCard: { count: 3, hours: 24 } } },
      { id: '1203', currency: 'USD', gates: ['sim-a'], screening: { perIp: { count: 2, hours: 1 } } },
    ],
    gates: [
      { ...GATE, alias: 'sim-b', descriptor: 'test-b' },
      { ...GATE, alias: 'sim-no', descriptor: 'test-no', simulate: { decline: 100 } },
      { ...GATE, alias: 'sim-poor', descriptor: 'test-poor', simulate: { decline: 116 } },
      { ...GATE, alias: 'sim-out', descriptor: 'test-out', simulate: { unavailable: true } },
      { ...GATE, alias: 'sim-out-too', descriptor: 'test-out-too', simulate: { unavailable: true } },
      { ...GATE, alias: 'sim-cvv', descriptor: 'test-cvv', cvvRequired: true },
    ],
  });
  service = await Service.start({ configuration });
  acme = new Merchant(service);
}, 60_000);

afterAll(async () => {
  await receiver.stop();
  await service.dispose();
});

const saleAt = async (at: string, fields: Fields = {}) => acme.finalStatus(await acme.accepted(acme.sale(fields, { at })));
const gatesCharged = (orderId: string | undefined): readonly string[] => {
  const ledger = service.ledger();
  try {
    return ledger.requests().flatMap((request) => (request.orderId === orderId ? [request.gate] : []));
  } finally {
    ledger.close();
  }
};

describe('a cascade (decisions, section 7)', () => {
  it.each([['after a gate that cannot be asked, and decline 100', '1102', ['sim-no', 'sim-b']]])(
    'asks the next gate %s, and the order shows the gate that approved [W358]',
    async (_, at, gates) => {
      const status = await saleAt(at);
      expect(status).toMatchObject({ status: 'approved', 'order-stage': 'sale_approved', descriptor: 'test-b' });
      expect(gatesCharged(status['paynet-order-id'])).toEqual(gates);
    },
  );

  it("ends on any other decline, because that is the issuer's decision [W359]", async () => {
    const status = await saleAt('1103');
    expect(status).toMatchObject({ status: 'declined', 'error-code': '116', descriptor: 'test-poor' });
    expect(gatesCharged(status['paynet-order-id'])).toEqual(['sim-poor']);
  });

  it('waits for an unknown outcome, and sends the CVV to the next gate if it resolves to decline 100 [W361]', async () => {
    const status = await saleAt('1106', { cvv2: '218' });
    expect(status).toMatchObject({ status: 'declined', 'error-code': '100', descriptor: 'test-b' });
    expect(gatesCharged(status['paynet-order-id'])).toEqual(['sim-a', 'sim-b']);
  });

  it('asks no other gate if an unknown outcome resolves to an approval', async () => {
    const status = await saleAt('1106', { cvv2: '217' });
    expect(status).toMatchObject({ status: 'approved', descriptor: 'test-a' });
    expect(gatesCharged(status['paynet-order-id'])).toEqual(['sim-a']);
  });

  it('applies to recurrent payments too, without gates that need a CVV', async () => {
    const cardRefId = await acme.registeredCard();
    const order = await acme.accepted(acme.rebill(cardRefId, {}, { at: '1102' }));
    expect(await acme.finalStatus(order)).toMatchObject({ status: 'approved', descriptor: 'test-b' });
    const withoutCvv = await acme.accepted(acme.rebill(cardRefId, {}, { at: '1107' }));
    expect(await acme.finalStatus(withoutCvv)).toMatchObject({ status: 'approved', descriptor: 'test-b' });
    const withCvv = await acme.accepted(acme.rebill(cardRefId, { cvv2: '123' }, { at: '1107' }));
    expect(await acme.finalStatus(withCvv)).toMatchObject({ status: 'approved', descriptor: 'test-cvv' });
  });

  it('sends one callback at its end after any number of attempts [W319]', async () => {
    const path = `/cascade-${acme.newOrderId()}`;
    const status = await saleAt('1102', { server_callback_url: receiver.url(path) });
    const first = await until(() => receiver.at(path)[0], { what: 'the callback' });
    expect(JSON.parse(first.body)).toMatchObject({ status: 'approved', orderid: status['paynet-order-id'], descriptor: 'test-b' });
    expect(receiver.at(path)).toHaveLength(1);
  });
});

describe('screening (decisions, sections 4 and 9)', () => {
  const filtered = { status: 'filtered', 'order-stage': 'sale_filtered', 'error-code': '120', amount: '10.42' };

  it.each<[string, Fields]>([
    ['address, in its mapped form', { ipaddress: '::ffff:198.51.100.77' }],
    ['amount above', { amount: '50.01' }],
  ])('ends the order filtered with code 120 before any gate is asked: %s [W21, W211, W251, W263]', async (_, fields) => {
    const status = await saleAt('1201', fields);
    expect(status).toMatchObject({ ...filtered, amount: fields['amount'] ?? '10.42' });
    expect(status).not.toHaveProperty('descriptor');
    expect(gatesCharged(status['paynet-order-id'])).toEqual([]);
  });

  it('approves a card exactly as often as its limit allows for thirty simultaneous orders (safety, T35)', async () => {
    const statuses = await Promise.all(Array.from({ length: 30 }, () => saleAt('1202')));
    expect(statuses.filter(({ status }) => status === 'approved')).toHaveLength(3);
    expect(statuses.filter(({ status }) => status === 'filtered')).toHaveLength(27);
    expect(await saleAt('1202', { credit_card_number: OTHER_CARD })).toMatchObject({ status: 'approved' });
  });

  it("counts an address's recurrent payments too, also after a restart", async () => {
    const cardRefId = await acme.registeredCard();
    expect(await saleAt('1203')).toMatchObject({ status: 'approved' });
    const rebill = async () => acme.finalStatus(await acme.accepted(acme.rebill(cardRefId, {}, { at: '1203' })));
    expect(await rebill()).toMatchObject({ status: 'approved' });
    await service.restart();
    expect(await rebill()).toMatchObject({ status: 'filtered', 'error-code': '120' });
    expect(await saleAt('1203', { ipaddress: '203.0.113.8' })).toMatchObject({ status: 'approved' });
  }, 60_000);

  it('issues no reference for a filtered order [W292]', async () => {
    const order = await acme.accepted(acme.sale({ amount: '0.50' }, { at: '1201' }));
    await acme.finalStatus(order);
    const { fields } = await acme.createCardRef(order);
    expect(fields).toMatchObject({ type: 'create-card-ref-response', status: 'filtered', 'error-code': '120' });
    expect(fields).not.toHaveProperty('card-ref-id');
  });
});
