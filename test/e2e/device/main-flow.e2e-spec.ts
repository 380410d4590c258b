import type { DeviceStatus, Invoice } from '@app/device-client';
import { Secret } from '@app/kernel';
import type { TransferFee } from '@app/gateway-protocol';
import { EMAIL, saleOrder, transferOrder, verificationOrder } from '../../support/devices/device-orders';
import { orch } from '../../support/processes/orch';
import { CARD_NUMBERS, clientCardIdOf, finalOf, ThreeParties, type App } from '../../support/devices/three-parties';
import { until } from '../../support/until';

jest.setTimeout(60_000);

let parties: ThreeParties;
beforeAll(async () => {
  parties = await ThreeParties.start({ parts: { whole: { bins: [{ bin: '555555', cardType: 'MASTERCARD', country: 'CAN' }] } } });
});
afterAll(() => parties?.dispose());

const cheapest = (fees: readonly TransferFee[]): TransferFee | undefined =>
  [...fees].sort((one, other) => one.commissionCentis - other.commissionCentis)[0];

const asMerchant = async (invoiceId: string) => {
  const { fields } = await parties.merchant.status({ clientOrderId: invoiceId });
  return { fields, order: { clientOrderId: invoiceId, orderId: fields['paynet-order-id'] ?? '' } };
};
const deliveriesOf = async (orderId: string): Promise<string> =>
  (await orch(['deliveries', orderId, '--json'], parties.gateway.orchEnvironment)).out;

describe('an app, a merchant server and the gateway as separate programs (interface, sections 4.2 to 4.8)', () => {
  let app: App;
  beforeAll(async () => {
    app = await parties.app(EMAIL);
  });

  it('verify a card and return a client card id for it [W57, W68, W69, W97, W435]', async () => {
    const run = await app.session.run(verificationOrder());
    const status = finalOf(run);
    expect(status).toMatchObject({ state: 'APPROVED', bankOrderId: expect.stringMatching(/^PNTEST-[12]\d{9}$/) });
    expect(status).not.toHaveProperty('orderId');
    expect(clientCardIdOf(run)).toMatch(/^.{1,128}$/);
  });

  it('charge a sale by card, and then by client card id with and without security code [W57, W70, W71, W98, W101, W123, W124, W126, W151, W402]', async () => {
    const first = await app.session.run(saleOrder());
    expect(finalOf(first)).toMatchObject({
      state: 'APPROVED',
      orderId: expect.stringMatching(/^[12]\d{9}$/),
      transaction: { amountCentis: 1_042, orderCreatedDate: expect.any(String), transactionCreatedDate: expect.any(String) },
    });
    const clientCardId = clientCardIdOf(first);
    for (const securityCode of [new Secret('123'), undefined]) {
      const reference = { clientCardId, ...(securityCode && { securityCode }) };
      const again = await app.session.run(saleOrder('123', { source: { reference } }));
      expect(finalOf(again)).toMatchObject({ state: 'APPROVED' });
      expect(clientCardIdOf(again)).toBe(clientCardId);
    }
  });

  it('transfer money for the cheapest fee, which is shown at initiate and charged as offered [W59, W60, W72-74, W91, W100, W101, W106, W125, W127, W131, W405, W430, W432, W433, W435, W437]', async () => {
    const invoices: Invoice[] = [];
    const states: DeviceStatus['state'][] = [];
    const offered: (readonly TransferFee[])[] = [];
    const run = await app.session.run(transferOrder('123', { fromBin: '444433', toBin: '555555' }), {
      onInvoice: (invoice) => void invoices.push(invoice),
      onStatus: ({ state }) => void (states.at(-1) === state || states.push(state)),
      chooseFee: (fees) => {
        offered.push(fees);
        return cheapest(fees);
      },
    });
    expect(invoices).toMatchObject([{ endpointId: '1004', rates: { min: '15.00', max: '15.00' } }]);
    expect(offered.map((fees) => fees.map((fee) => ({ ...fee })))).toStrictEqual([
      [
        { assignedId: 'sim-a', commissionCentis: 1_500, currency: 'USD' },
        { assignedId: 'sim-b', commissionCentis: 1_000, currency: 'USD' },
      ],
    ]);
    const ended = finalOf(run);
    expect(ended).toMatchObject({ state: 'APPROVED', transaction: { amountCentis: 100_000, commissionCentis: 1_000 } });
    expect(states.filter((state) => state !== 'PROCESSING')).toStrictEqual(['TRANSFER_FEE_REQUEST', 'APPROVED']);

    const source = clientCardIdOf(run);
    const destination = clientCardIdOf(run, 'destinationCard');
    const repeat = transferOrder('123', {
      source: { reference: { clientCardId: source } },
      destination: { reference: { clientCardId: destination } },
    });
    const again = await app.session.run(repeat, { chooseFee: cheapest });
    expect(finalOf(again)).toMatchObject({ state: 'APPROVED', transaction: { commissionCentis: 1_000 } });
    expect([clientCardIdOf(again), clientCardIdOf(again, 'destinationCard')]).toStrictEqual([source, destination]);
    // A source card may receive; a card that only received may not pay (protocol decisions, D8.18).
    const back = await app.session.run(transferOrder('123', { destination: { reference: { clientCardId: source } } }), {
      chooseFee: cheapest,
    });
    expect(finalOf(back)).toMatchObject({ state: 'APPROVED' });
    const wrongWay = await app.session.run(saleOrder('123', { source: { reference: { clientCardId: destination } } }));
    expect(wrongWay).toMatchObject({ step: 'follow', ending: { kind: 'refused', cause: 'PROCESSING_FAILED' } });
  });

  it('send the payer to the authentication page, and approve after the correct password [W56, W405]', async () => {
    const pages: string[] = [];
    const run = await app.session.run(saleOrder('321', { currency: 'EUR' }), {
      onRedirect: async (url) => {
        pages.push(url);
        await parties.payer.authenticate(url, 'hint');
      },
    });
    expect(finalOf(run)).toMatchObject({ state: 'APPROVED', secure3DAuthStatus: 'AUTHENTICATED' });
    expect(pages).toHaveLength(1);
  });
});

describe('an order of the device interface in the other interfaces (protocol decisions, sections 1 and 6)', () => {
  let orderId: string;
  let invoiceId: string;
  beforeAll(async () => {
    const app = await parties.app(EMAIL);
    const run = await app.session.run(saleOrder());
    ({ orderId = '' } = finalOf(run) as { orderId?: string });
    invoiceId = run.step === 'follow' ? run.invoice.invoiceId : '';
  });

  it("is shown by the merchant's status request under its invoiceId", async () => {
    const { fields } = await asMerchant(invoiceId);
    expect(fields).toMatchObject({
      type: 'status-response',
      status: 'approved',
      'merchant-order-id': invoiceId,
      'paynet-order-id': orderId,
      'transaction-type': 'sale',
      amount: '10.42',
      currency: 'USD',
      email: EMAIL,
      bin: '444433',
      'last-four-digits': '1111',
      'end-point-id': '1001',
    });
  });

  it('has a card that can be registered and charged without the app', async () => {
    const { order } = await asMerchant(invoiceId);
    const { fields } = await parties.merchant.createCardRef(order);
    expect(fields).toMatchObject({ type: 'create-card-ref-response', status: 'approved', 'card-ref-id': expect.any(String) });
    const charge = await parties.merchant.accepted(parties.merchant.rebill(fields['card-ref-id'] ?? ''));
    expect(await parties.merchant.finalStatus(charge)).toMatchObject({ status: 'approved', 'last-four-digits': '1111' });
  });

  it("a transfer's status shows its stage, its type, and the country of its receiving card [W53, W204]", async () => {
    const app = await parties.app(EMAIL);
    const run = await app.session.run(transferOrder(), { chooseFee: cheapest });
    expect(finalOf(run)).toMatchObject({ state: 'APPROVED' });
    const { fields } = await asMerchant(run.step === 'follow' ? run.invoice.invoiceId : '');
    expect(fields).toMatchObject({
      status: 'approved',
      'transaction-type': 'transfer',
      'order-stage': 'transfer_approved',
      'destination-card-country-alpha-three-code': 'CAN',
      'last-four-digits': '1111',
      'end-point-id': '1004',
    });
  });

  it('is printed by `orch show` with its invoiceId and outcome, without the card number', async () => {
    const shown = await orch(['show', orderId], parties.gateway.orchEnvironment);
    expect(shown).toMatchObject({ code: 0, problems: '' });
    for (const word of [invoiceId, 'approved']) expect(shown.out).toContain(word);
    expect(shown.out).not.toContain(CARD_NUMBERS.source);
  });

  it('is reported to the merchant server by one callback at its end [W153]', async () => {
    const deliveries = await until(
      async () => {
        const out = await deliveriesOf(orderId);
        return out.includes('"delivered"') && out.trim().split('\n');
      },
      { what: 'the callback to be delivered' },
    );
    expect(deliveries.map((line) => JSON.parse(line) as object)).toMatchObject([{ target: 'callback', status: 'delivered' }]);
  });
});
