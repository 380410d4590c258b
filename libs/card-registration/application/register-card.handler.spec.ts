import type { CardRefId, ClientOrderId, EndpointId, MerchantLogin, OrderId, Sealed } from '@app/kernel';
import type { ServiceDigests } from '@app/card-vault';
import { MemoryEventStore } from '@app/event-store/stores/memory';
import type { OrderFact } from '@app/orders/domain';
import { sampleCard, sampleGates, VirtualClock } from '@app/testing';
import { IssuedReferences } from './issued-references';
import { RegisterCardHandler } from './register-card.handler';

const MERCHANT = 'acme' as MerchantLogin;
const CARD_REF = 'csample0reference00c' as CardRefId;
const DESTINATION_REF = 'dsample0reference00c' as CardRefId;
const order = (end: OrderFact['end'] = { kind: 'approved' }): OrderFact => ({
  orderKind: 'payment',
  orderId: 'p0sample0order1r' as OrderId,
  clientOrderId: 'inv-1' as ClientOrderId,
  endpointId: '1001' as EndpointId,
  card: sampleCard(),
  customer: 'sealed-customer' as Sealed,
  end,
});

const setUp = (fact: OrderFact | undefined) => {
  const clock = new VirtualClock();
  const store = new MemoryEventStore(clock);
  const digests: Pick<ServiceDigests, 'cardRefId'> = {
    cardRefId: (_merchant, _order, use) => (use === 'source' ? CARD_REF : DESTINATION_REF),
  };
  const handler = new RegisterCardHandler({
    store,
    orders: { orderOf: () => Promise.resolve(fact) },
    digests: digests,
    gates: sampleGates(),
    clock,
  });
  const register = (serial = '1', withDestination?: boolean) =>
    handler.handle({
      merchant: MERCHANT,
      clientOrderId: 'inv-1' as ClientOrderId,
      orderId: 'p0sample0order1r' as OrderId,
      ...(withDestination !== undefined && { withDestination }),
      serial,
    });
  return { register, store };
};

describe('RegisterCardHandler', () => {
  it('issues the reference of an approved order with its card and customer', async () => {
    const { register, store } = setUp(order());
    await expect(register()).resolves.toEqual({
      reason: 'registered',
      cardRefId: CARD_REF,
      uid: sampleCard().uid,
      endpointId: '1001',
    });
    await expect(new IssuedReferences(store).find(MERCHANT, CARD_REF)).resolves.toMatchObject({
      use: 'source',
      card: sampleCard(),
      customer: 'sealed-customer',
      orderId: 'p0sample0order1r',
    });
  });

  it('returns the same reference for a repeat and appends one event', async () => {
    const { register, store } = setUp(order());
    const first = await register('1');
    await expect(register('2')).resolves.toEqual(first);
    const events: string[] = [];
    for await (const item of store.subscribe(['cardReference'], 'start')) {
      if (item.kind === 'caught-up') break;
      if (item.kind === 'event') events.push(item.event.type);
    }
    expect(events).toEqual(['CardReferenceIssued']);
  });

  it('issues a destination reference to the same card on request, also after the source reference', async () => {
    const { register, store } = setUp(order());
    await register('1');
    const both = {
      reason: 'registered',
      cardRefId: CARD_REF,
      destinationCardRefId: DESTINATION_REF,
      uid: sampleCard().uid,
      endpointId: '1001',
    };
    await expect(register('2', true)).resolves.toEqual(both);
    await expect(register('3', true)).resolves.toEqual(both);
    const references = new IssuedReferences(store);
    const { use: sourceUse, cardRefId: _source, issuedAt: _issuedAt, ...source } = (await references.find(MERCHANT, CARD_REF)) ?? {};
    await expect(references.find(MERCHANT, DESTINATION_REF)).resolves.toMatchObject({ use: 'destination', ...source });
    expect(sourceUse).toBe('source');
  });

  it('issues no destination reference if none is requested', async () => {
    const { register, store } = setUp(order());
    await register('1', false);
    await expect(new IssuedReferences(store).find(MERCHANT, DESTINATION_REF)).resolves.toBeUndefined();
  });

  it('hides a reference from another merchant', async () => {
    const { register, store } = setUp(order());
    await register();
    await expect(new IssuedReferences(store).find('other' as MerchantLogin, CARD_REF)).resolves.toBeUndefined();
  });

  it.each([
    ['an unknown order', undefined, { reason: 'order-unknown' }],
    ['an order that is not final', order({ kind: 'open' }), { reason: 'order-not-final' }],
    [
      'a declined order',
      order({ kind: 'refused', status: 'declined', code: 116 }),
      { reason: 'order-not-approved', end: { kind: 'refused', status: 'declined', code: 116 }, endpointId: '1001' },
    ],
  ])('rejects %s and appends nothing', async (_what, fact, refusal) => {
    const { register, store } = setUp(fact);
    await expect(register()).resolves.toEqual(refusal);
    await expect(register('2', true)).resolves.toEqual(refusal);
    await expect(new IssuedReferences(store).find(MERCHANT, DESTINATION_REF)).resolves.toBeUndefined();
    await expect(new IssuedReferences(store).find(MERCHANT, CARD_REF)).resolves.toBeUndefined();
  });
});
