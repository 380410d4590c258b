import type { OrderId } from '@app/kernel';
import type { Answer, Fields, Merchant } from '../support/merchant';
import { sandboxConfiguration } from '../support/sandbox-configuration';
import { fromBoth, TwoApis } from '../support/two-apis';

jest.setTimeout(120_000);

const BURSTS = 20;
/** From each instance. */
const BURST_SIZES = [1, 2, 1, 5, 10];
const ROUNDS = 5;

let apis: TwoApis;
let merchants: readonly [Merchant, Merchant];
let acme: Merchant;
let cardRefId: string;

beforeAll(async () => {
  apis = await TwoApis.start({ configuration: sandboxConfiguration() });
  merchants = apis.merchants();
  [acme] = merchants;
  cardRefId = await acme.registeredCard();
});
afterAll(() => apis.dispose());

const told = (answers: readonly Answer[], name: string): ReadonlySet<string | undefined> =>
  new Set(answers.map(({ fields }) => fields[name]));

/** An operation that makes orders; with its CVV each is submitted by the instance that accepted it, and nobody waits for a worker. */
const ORDERINGS: readonly { readonly fields: () => Fields; readonly send: (merchant: Merchant, fields: Fields) => Promise<Answer> }[] = [
  { fields: () => acme.saleFields(), send: (merchant, fields) => merchant.post('sale', merchant.signedSale(fields)) },
  {
    fields: () => acme.rebillFields(cardRefId, { cvv2: '123' }),
    send: (merchant, fields) => merchant.post('make-rebill-sale', merchant.signedRebill(fields)),
  },
];

describe('equal requests at two instances at once (safety, B9 and F9; architecture, rule 1)', () => {
  it(`${BURSTS} bursts of payments and recurrent payments: one order and one charge each, a serial for every answer`, async () => {
    const orderIds: string[] = [];
    const serials = new Set<string | undefined>();
    let requests = 0;
    for (let burst = 0; burst < BURSTS; burst++) {
      const { fields, send } = ORDERINGS[burst % ORDERINGS.length] as (typeof ORDERINGS)[number];
      const request = fields();
      const answers = await fromBoth(merchants, (merchant) => send(merchant, request), BURST_SIZES[burst % BURST_SIZES.length]);
      requests += answers.length;
      for (const { fields: answered } of answers) serials.add(answered['serial-number']);
      expect(told(answers, 'type')).toStrictEqual(new Set(['async-response']));
      const [orderId, ...others] = told(answers, 'paynet-order-id');
      expect(others).toStrictEqual([]);
      orderIds.push(orderId ?? '');
      const order = { clientOrderId: request['client_orderid'] ?? '', orderId: orderId ?? '' };
      for (const merchant of merchants) expect(await merchant.finalStatus(order)).toMatchObject({ status: 'approved' });
    }
    expect(serials.size).toBe(requests);
    expect(new Set(orderIds).size).toBe(BURSTS);
    const ledger = apis.replicas.ledger();
    try {
      const sent = ledger.requests().filter(({ kind }) => kind === 'charge');
      for (const id of orderIds) {
        expect(sent.filter(({ orderId }) => orderId === id)).toHaveLength(1);
        expect(ledger.approvedChargesByOrder().get(id as OrderId)).toBe(1);
      }
      expect(ledger.violations()).toStrictEqual([]);
    } finally {
      ledger.close();
    }
  });

  it('two contents under one client_orderid: one of them is the order at both, the other is refused with code 7 at both', async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const request = acme.saleFields();
      const amounts = ['10.00', '20.00'];
      const answers = await Promise.all(
        amounts.map((amount) => fromBoth(merchants, (merchant) => merchant.post('sale', merchant.signedSale({ ...request, amount })))),
      );
      const accepted = answers.filter((same) => told(same, 'type').has('async-response'));
      const refused = answers.filter((same) => told(same, 'error-code').has('7'));
      expect([accepted.length, refused.length]).toStrictEqual([1, 1]);
      expect(told(accepted.flat(), 'paynet-order-id').size).toBe(1);
      expect(told(refused.flat(), 'type')).toStrictEqual(new Set(['validation-error']));
      const order = { clientOrderId: request['client_orderid'] ?? '', orderId: accepted[0]?.[0]?.fields['paynet-order-id'] ?? '' };
      const amount = amounts[answers.findIndex((same) => same === accepted[0])];
      for (const merchant of merchants) expect(await merchant.finalStatus(order)).toMatchObject({ status: 'approved', amount });
    }
  });

  it('one card registered at both is one reference, and both know it', async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const order = await acme.approvedSale();
      const answers = await fromBoth(merchants, (merchant) => merchant.createCardRef(order), 2);
      expect(told(answers, 'type')).toStrictEqual(new Set(['create-card-ref-response']));
      const [reference, ...others] = told(answers, 'card-ref-id');
      expect(others).toStrictEqual([]);
      const infos = await fromBoth(merchants, (merchant) => merchant.cardInfo(reference ?? ''));
      expect(told(infos, 'type')).toStrictEqual(new Set(['get-card-info-response']));
      const cards = infos.map(({ fields: { 'serial-number': _, ...card } }) => card);
      expect(cards).toStrictEqual([cards[0], cards[0]]);
    }
  });
});
