import { EndableDeadline, type BootId, type Instant, type OrderId } from '@app/kernel';
import type { ServiceDigests } from '@app/card-vault';
import { egressPolicyOf } from '@app/http/client';
import { MakeRebillSaleRequest, SaleRequest } from '@app/gateway-protocol';
import { configurationFrom, type Merchant } from '@app/configuration';
import { GATE_ADAPTERS } from '@app/gateway-adapters/registry';
import type { Offer } from '@app/orders/domain';
import { sampleGates } from '@app/testing';
import { findAddressFault } from '@app/orders/http';
import type { ExistingOrders } from '@app/http/group-a';
import { InitialPaymentTranslations, type InitialPaymentPorts } from '@app/payment/http/payment.controller';
import { RebillTranslations, type RebillPorts } from '@app/recurring/http/recurring.controller';

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
const messageOf = <Message extends object>(Message: new () => Message, fields: object): Message =>
  Object.assign(Object.create(Message.prototype as object) as Message, FIELDS, fields);

/** Like the real handlers, finds an accepted order even if today's offer is refused. */
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
const { sale } = new InitialPaymentTranslations({ ...ports, handler: { handle } as unknown as InitialPaymentPorts['handler'] });
const { makeRebillSale: rebill } = new RebillTranslations({ ...ports, handler: { handle } as unknown as RebillPorts['handler'] });
const deadline = Object.assign(new EndableDeadline(), { named: () => undefined, mayAppendUnseen: () => undefined });
const admitted = { entryPoint, merchant, serial: SERIAL, amountMinor: 1_042n, receivedAt: 0 as Instant, deadline };
const CARD = { credit_card_number: '4444333322221111', expire_month: '12', expire_year: '2039', card_printed_name: 'JOHN SMITH' };
const performSale = (fields: object) =>
  sale.perform({ ...admitted, operation: 'sale', message: messageOf(SaleRequest, { ...CARD, ...fields }) });
const performRebill = (fields: object) =>
  rebill.perform({
    ...admitted,
    operation: 'make-rebill-sale',
    message: messageOf(MakeRebillSaleRequest, { cardrefid: 'csample0reference00c', ...fields }),
  });

describe('an address that the egress policy refuses (safety, T16)', () => {
  beforeEach(() => {
    handler.wasAccepted = false;
    handler.offers.length = 0;
  });

  it.each([
    ['sale', 'server_callback_url', performSale],
    ['sale', 'notify_url', performSale],
    ['recurrent payment', 'server_callback_url', performRebill],
  ])('in a %s is rejected with code 1 and the field name %s', async (_operation, field, perform) => {
    const answer = await perform({ [field]: 'http://10.0.0.1/x' });
    expect(answer).toMatchObject({
      kind: 'refused',
      name: 'malformed-field',
      message: `${field} must lead to a public address, and this one is private`,
    });
    expect(handler.offers).toEqual([{ kind: 'refused', reason: 'address-not-called' }]);
  });

  it.each([
    ['http://shop.example:9999/x', 'must have one of the ports 80, 443, 8080, 8443'],
    ['https://[fd00::1]/x', 'must lead to a public address, and this one is private'],
    ['https://127.0.0.1/x', 'must lead to a public address, and this one is loopback'],
    ['ftp://shop.example/x', 'must begin with https:// or http://'],
  ])('%s is rejected with the rule it breaks: it %s', async (address, fault) => {
    expect(await performSale({ notify_url: address })).toMatchObject({ kind: 'refused', message: `notify_url ${fault}` });
  });

  it('must begin with https:// if plain HTTP is disabled', () => {
    const closed = egressPolicyOf({ allow: [], ports: new Set([9443]), plainHttp: false }, true);
    const faultOf = (url: string) => findAddressFault(closed, [['notify_url', url]]);
    expect(faultOf('http://shop.example/x')).toBe('notify_url must begin with https://');
    expect(faultOf('https://shop.example:9999/x')).toBe('notify_url must have one of the ports 80, 443, 8080, 8443, 9443');
    expect(faultOf('https://jane@shop.example/x')).toBe('notify_url must be an absolute address without user name');
  });

  it.each([
    ['sale', performSale],
    ['recurrent payment', performRebill],
  ])('in a repeat of an accepted %s returns the same order (architecture, rule 1)', async (_operation, perform) => {
    handler.wasAccepted = true;
    const answer = await perform({ server_callback_url: 'http://10.0.0.1/x' });
    expect(answer).toMatchObject({ kind: 'accepted', orderId: 'p0sample0order1r' });
  });

  it('is rejected before a malformed card reference', async () => {
    const answer = await performRebill({ server_callback_url: 'http://10.0.0.1/x', cardrefid: 'nonsense' });
    expect(answer).toMatchObject({ kind: 'refused', name: 'malformed-field' });
    expect(await performRebill({ cardrefid: 'nonsense' })).toMatchObject({ kind: 'refused', name: 'unknown-card-reference' });
    expect(handler.offers).toEqual([]);
  });
});
