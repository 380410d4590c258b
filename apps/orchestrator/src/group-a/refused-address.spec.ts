import type { BootId, Instant, OrderId } from '@app/kernel';
import type { ServiceDigests } from '@app/card-vault';
import { egressPolicyOf } from '@app/egress';
import { MakeRebillSaleRequest, SaleRequest } from '@app/gateway-protocol';
import { configurationFrom, type Merchant } from '@app/configuration';
import { GATE_ADAPTERS } from '@app/gateway-adapters/registry';
import type { Offer } from '@app/order-processing/domain';
import { sampleGates } from '@app/testing';
import { InitialPaymentOperation, SALE, type TakesPayments } from './payment/initial-payment.operation';
import { MAKE_REBILL_SALE, MakeRebillOperation, type ChargesRegisteredCards } from './recurring/make-rebill.operation';
import type { ExistingOrders } from './existing-order';

const SERIAL = '00000000-0000-0000-0000-000000000001';
const { accounts } = configurationFrom(
  JSON.stringify({
    merchants: [
      {
        login: 'acme',
        controlKey: 'B17F59B4-A7DC-41B4-8FF9-37D986B43D20',
        endpoints: [{ id: '1001', currency: 'USD', gates: ['sim-a'] }],
      },
    ],
    gates: [{ alias: 'sim-a', adapter: 'simulator', currencies: ['USD'] }],
  }),
  { source: 'the test', folder: '/', environment: {}, adapters: GATE_ADAPTERS },
);
const entryPoint = accounts.entryPoint('endpoint', '1001');
const merchant = accounts.merchant('acme') as Merchant;
if (entryPoint === undefined) throw new Error('no entry point');

const FIELDS = { client_orderid: 'o-1', amount: '10.42', currency: 'USD', order_desc: 'shoes', ipaddress: '203.0.113.7' };
const made = <Message extends object>(Message: new () => Message, fields: object): Message =>
  Object.assign(Object.create(Message.prototype as object) as Message, FIELDS, fields);

/** Answers as the handlers do: an order that was accepted before is found whatever is offered today. */
const handler = { wasAccepted: false, offers: [] as Offer[] };
const handle = ({ offer }: { readonly offer: Offer }) => {
  handler.offers.push(offer);
  if (handler.wasAccepted) return Promise.resolve({ reason: 'accepted', orderId: 'p0sample0order1r' as OrderId, endpointId: '1001' });
  return Promise.resolve({ reason: offer.kind === 'refused' ? offer.reason : 'accepted', orderId: 'p0sample0order1r' as OrderId });
};
const ports = {
  accounts,
  gates: sampleGates(),
  digests: { contentDigest: () => 'digest' } as unknown as ServiceDigests,
  egress: egressPolicyOf({ allow: [], ports: new Set(), plainHttp: false }, false),
  bootId: 'boot' as BootId,
  payerMs: 900_000,
  orders: {} as ExistingOrders,
};
const sale = new InitialPaymentOperation(SALE, { ...ports, handler: { handle } as unknown as TakesPayments });
const rebill = new MakeRebillOperation(MAKE_REBILL_SALE, { ...ports, handler: { handle } as unknown as ChargesRegisteredCards });
const admitted = { entryPoint, merchant, serial: SERIAL, amountMinor: 1_042n, receivedAt: 0 as Instant };
const CARD = { credit_card_number: '4444333322221111', expire_month: '12', expire_year: '2039', card_printed_name: 'JOHN SMITH' };
const performSale = (fields: object) => sale.perform({ ...admitted, message: made(SaleRequest, { ...CARD, ...fields }) });
const performRebill = (fields: object) =>
  rebill.perform({ ...admitted, message: made(MakeRebillSaleRequest, { cardrefid: 'csample0reference00c', ...fields }) });

describe('an address that this house would never call (safety, T16)', () => {
  beforeEach(() => {
    handler.wasAccepted = false;
    handler.offers.length = 0;
  });

  it.each([
    ['sale', 'server_callback_url', performSale],
    ['sale', 'notify_url', performSale],
    ['recurrent payment', 'server_callback_url', performRebill],
  ])('in a %s is refused with code 1 naming %s', async (_operation, field, perform) => {
    const answer = await perform({ [field]: 'http://10.0.0.1/x' });
    expect(answer).toMatchObject({ kind: 'refused', name: 'malformed-field', message: expect.stringMatching(`^${field}: `) as string });
    expect(handler.offers).toEqual([{ kind: 'refused', reason: 'address-not-called' }]);
  });

  it.each([
    ['sale', performSale],
    ['recurrent payment', performRebill],
  ])('of a %s that was accepted under other rules changes nothing: the same order (architecture, rule 1)', async (_operation, perform) => {
    handler.wasAccepted = true;
    const answer = await perform({ server_callback_url: 'http://10.0.0.1/x' });
    expect(answer).toMatchObject({ kind: 'accepted', orderId: 'p0sample0order1r' });
  });

  it('is named also beside a reference that cannot be one', async () => {
    const answer = await performRebill({ server_callback_url: 'http://10.0.0.1/x', cardrefid: 'nonsense' });
    expect(answer).toMatchObject({ kind: 'refused', name: 'malformed-field' });
    expect(await performRebill({ cardrefid: 'nonsense' })).toMatchObject({ kind: 'refused', name: 'unknown-card-reference' });
    expect(handler.offers).toEqual([]);
  });
});
