import { noFailpoints, Secret, type CardRefId, type ClientOrderId, type ContentDigest, type MerchantLogin, type Sealed } from '@app/kernel';
import type { OrderKeyId, OrderSealer } from '@app/card-vault';
import { StoreUnavailable } from '@app/event-store';
import { MemoryEventStore } from '@app/event-store/stores/memory';
import { routingStream, RoutingRulesRepository, ScreeningRulesRepository, type CvvSubmitQueue } from '@app/orders';
import { RULES_VERSION, sampleCard, samplePlan, seededRandom, textOrderIds, servedOffer, usd, VirtualClock } from '@app/testing';
import { packTexts } from '@app/orders/domain';
import type { CardReference } from '../domain/recurring';
import { recurringStream } from './recurring.codec';
import { ChargeRegisteredCardHandler, type ChargeRequest } from './charge-registered-card.handler';

const RULES = {
  blockedBins: ['444433'],
  blockedCountries: [],
  blockedIps: [],
  perCard: { count: 0, hours: 24 },
  perIp: { count: 0, hours: 1 },
};
const MERCHANT = 'acme' as MerchantLogin;
const known: CardReference = { kind: 'source', card: sampleCard(), customer: 'sealed-customer' as Sealed };

const setUp = (reference: CardReference = known) => {
  const clock = new VirtualClock();
  const store = new MemoryEventStore(clock);
  const handed: string[] = [];
  const rules = new ScreeningRulesRepository(store, clock);
  const state = { hasRoom: true, keysTaken: 0, isRecordAway: false, isSticky: false, routedBy: {}, unsealed: [] as string[] };
  const sealer: Pick<OrderSealer, 'takeKey' | 'unseal'> = {
    unseal: (_merchant, field) => {
      state.unsealed.push(field);
      return Promise.resolve(packTexts({ email: 'john@example.com' }));
    },
    takeKey: () => {
      state.keysTaken += 1;
      return Promise.resolve({ id: 'k1' as OrderKeyId, seal: (_merchant: string, field: string) => `k1.${field}` as Sealed });
    },
  };
  const cvvQueue = {
    hasRoomIn: (lane: string) => lane === 'acme/sim-a' && state.hasRoom,
    submitSoon: ({ stream }: Parameters<CvvSubmitQueue['submitSoon']>[0]) => handed.push(stream),
  };
  const handler = new ChargeRegisteredCardHandler({
    store,
    sealer: sealer as OrderSealer,
    references: { find: () => Promise.resolve(reference) },
    cvvQueue: cvvQueue as unknown as CvvSubmitQueue,
    screeningRules: {
      record: (named, envelope) => (state.isRecordAway ? Promise.reject(new StoreUnavailable('away')) : rules.record(named, envelope)),
    } as ScreeningRulesRepository,
    routingRules: new RoutingRulesRepository(store, clock),
    routes: {
      route: async (offer, { card, customer }) => {
        state.routedBy = { card, customer: state.isSticky ? await customer() : undefined };
        return offer;
      },
    },
    clock,
    orderIds: textOrderIds(seededRandom(1)),
    failpoints: noFailpoints,
  });
  let serial = 0;
  const charge = (overrides: Partial<ChargeRequest> = {}) =>
    handler.handle({
      merchant: MERCHANT,
      clientOrderId: 'inv-1' as ClientOrderId,
      contentDigest: 'ab'.repeat(32) as ContentDigest,
      cardRefId: 'csample0reference00c' as CardRefId,
      operation: 'sale',
      amount: usd(550n),
      details: { description: 'again', ipAddress: '10.0.0.1' },
      marks: {},
      offer: servedOffer(),
      serial: `00000000-0000-0000-0000-${String(++serial).padStart(12, '0')}`,
      ...overrides,
    });
  const events = async () => {
    const found: { type: string; data: string }[] = [];
    for await (const { type, data } of store.read(recurringStream(MERCHANT, 'inv-1' as ClientOrderId))) found.push({ type, data });
    return found;
  };
  return { charge, events, handed, state, rules, store };
};

describe('ChargeRegisteredCardHandler', () => {
  it('accepts the order with card and customer of the reference and queues no submit without a CVV', async () => {
    const { charge, events, handed } = setUp();
    const outcome = await charge({ marks: { scenario: 'REGULAR', initiator: 'MERCHANT' } });
    expect(outcome).toEqual({ reason: 'accepted', orderId: expect.stringMatching(/^r[a-z0-9]{14}r$/) as string, endpointId: '1001' });
    const [accepted, ...more] = await events();
    expect(more).toEqual([]);
    expect(JSON.parse(accepted?.data ?? '')).toMatchObject({
      cardRefId: 'csample0reference00c',
      customer: 'sealed-customer',
      details: 'k1.details',
      marks: { scenario: 'REGULAR', initiator: 'MERCHANT' },
      amount: { minor: '550', currency: 'USD' },
    });
    expect(handed).toEqual([]);
  });

  it('queues a CVV in this process', async () => {
    const { charge, handed } = setUp();
    await charge({ cvv: new Secret('123') });
    expect(handed).toHaveLength(1);
  });

  it('accepts one order for fifty equal concurrent requests', async () => {
    const { charge, events } = setUp();
    const outcomes = await Promise.all(Array.from({ length: 50 }, () => charge()));
    expect(new Set(outcomes.map((outcome) => JSON.stringify(outcome))).size).toBe(1);
    expect(await events()).toHaveLength(1);
  });

  it('rejects different content, an unknown reference and a destination reference without an append', async () => {
    const unknown = setUp({ kind: 'unknown' });
    await expect(unknown.charge()).resolves.toEqual({ reason: 'card-reference-unknown' });
    expect(await unknown.events()).toEqual([]);
    const destination = setUp({ kind: 'destination' });
    await expect(destination.charge()).resolves.toEqual({ reason: 'card-reference-not-usable' });
    expect(await destination.events()).toEqual([]);
    const { charge, events } = setUp();
    await charge();
    await expect(charge({ contentDigest: 'cd'.repeat(32) as ContentDigest })).resolves.toEqual({ reason: 'client-orderid-reused' });
    expect(await events()).toHaveLength(1);
  });

  it('takes no sealing key for a rejected request or a repeated one', async () => {
    const unknown = setUp({ kind: 'unknown' });
    await unknown.charge();
    await unknown.charge({ offer: { kind: 'refused', reason: 'currency-not-served' } });
    expect(unknown.state.keysTaken).toBe(0);
    const { charge, state } = setUp();
    const first = await charge();
    await expect(charge({ amount: usd(0n), contentDigest: 'cd'.repeat(32) as ContentDigest })).resolves.toEqual({
      reason: 'client-orderid-reused',
    });
    await expect(charge({ offer: { kind: 'refused', reason: 'currency-not-served' } })).resolves.toEqual(first);
    expect(state.keysTaken).toBe(1);
  });

  it('returns the first order for a repeat, even if the entry point would now refuse it', async () => {
    const { charge } = setUp();
    const first = await charge();
    await expect(charge({ offer: { kind: 'refused', reason: 'currency-not-served' } })).resolves.toEqual(first);
  });

  it('accepts nothing with a CVV while the CVV queue is full', async () => {
    const { charge, events, state } = setUp();
    state.hasRoom = false;
    await expect(charge({ cvv: new Secret('123') })).rejects.toBeInstanceOf(StoreUnavailable);
    expect(await events()).toEqual([]);
    await expect(charge()).resolves.toMatchObject({ reason: 'accepted' });
  });

  it('answers a repeat even if the CVV queue is full', async () => {
    const { charge, state, handed } = setUp();
    const cvv = new Secret('123');
    const first = await charge({ cvv });
    state.hasRoom = false;
    await expect(charge({ cvv })).resolves.toEqual(first);
    await expect(charge({ cvv, contentDigest: 'cd'.repeat(32) as ContentDigest })).resolves.toEqual({ reason: 'client-orderid-reused' });
    expect(handed).toHaveLength(1);
  });

  it('includes the amounts to try in sequence in the plan', async () => {
    const { charge, events } = setUp();
    await expect(charge({ amounts: [usd(550n), usd(100n)] })).resolves.toMatchObject({ reason: 'accepted' });
    const [accepted] = await events();
    expect(JSON.parse(accepted?.data ?? '{}')).toMatchObject({ plan: { amounts: [{ minor: '550' }, { minor: '100' }] } });
    await expect(charge({ clientOrderId: 'inv-2' as ClientOrderId, amounts: [usd(0n)] })).resolves.toEqual({
      reason: 'amount-out-of-range',
    });
  });

  it('accepts nothing before its screening rules are recorded', async () => {
    const { charge, events, state, rules } = setUp();
    const offer = servedOffer({ plan: samplePlan({ screening: RULES_VERSION }), rules: { version: RULES_VERSION, configured: RULES } });
    state.isRecordAway = true;
    await expect(charge({ offer })).rejects.toBeInstanceOf(StoreUnavailable);
    expect(await events()).toEqual([]);
    state.isRecordAway = false;
    await charge({ offer });
    expect((await events()).map(({ type }) => type)).toEqual(['OrderAccepted']);
    await expect(rules.rulesOf(RULES_VERSION)).resolves.toMatchObject({ configured: RULES });
  });

  it('routes by the card of the reference and unseals its customer only if the route needs it', async () => {
    const { charge, state } = setUp();
    const { face: card } = sampleCard();
    await charge();
    expect([state.routedBy, state.unsealed]).toEqual([{ card, customer: undefined }, []]);
    state.isSticky = true;
    await charge({ clientOrderId: 'inv-2' as ClientOrderId });
    expect([state.routedBy, state.unsealed]).toEqual([{ card, customer: 'john@example.com' }, ['customer']]);
  });

  it('records the routing rules of an order', async () => {
    const { charge, store } = setUp();
    const routing = { version: RULES_VERSION, rules: [] };
    await charge({ offer: servedOffer({ routing }) });
    const types: string[] = [];
    for await (const { type } of store.read(routingStream(RULES_VERSION))) types.push(type);
    expect(types).toEqual(['RoutingRulesRecorded']);
  });
});
