import {
  noFailpoints,
  Secret,
  type Card,
  type GateAlias,
  type ClientOrderId,
  type ContentDigest,
  type MerchantLogin,
  type Sealed,
} from '@app/kernel';
import { VaultUnavailable, type CardVault, type OrderKeyId, type OrderSealer } from '@app/card-vault';
import { StoreUnavailable } from '@app/event-store';
import { MemoryEventStore } from '@app/event-store/stores/memory';
import { RoutingRulesRepository, ScreeningRulesRepository, type CvvSubmitQueue } from '@app/orders';
import { sampleCard, sampleGate, samplePlan, seededRandom, textOrderIds, servedOffer, usd, VirtualClock } from '@app/testing';
import { AcceptPaymentHandler, type AcceptPaymentPorts, type PaymentRequest } from './accept-payment.handler';
import type { PaymentAccepted } from '../domain/payment';
import { paymentCodec, paymentStream } from './payment.codec';

const CARD: Card = { number: '4444333322221111', expiryMonth: 12, expiryYear: 2030, holder: 'JOHN SMITH' };

type Route = AcceptPaymentPorts['routes']['route'];

const setUp = (route: Route = (offer) => offer) => {
  const clock = new VirtualClock();
  const store = new MemoryEventStore(clock);
  const kept: string[] = [];
  const handed: string[] = [];
  const state = { isVaultAway: false, hasRoom: true };
  const vault: Pick<CardVault, 'keep'> = {
    keep: (_merchant, _card, owner) => {
      if (state.isVaultAway) return Promise.reject(new VaultUnavailable('away'));
      kept.push(owner);
      return Promise.resolve(sampleCard());
    },
  };
  const sealer: Pick<OrderSealer, 'takeKey'> = {
    takeKey: () => Promise.resolve({ id: 'k1' as OrderKeyId, seal: (_merchant: string, field: string) => `k1.${field}` as Sealed }),
  };
  const cvvQueue = {
    hasRoomIn: (lane: string) => lane === 'acme/sim-a' && state.hasRoom,
    submitSoon: ({ stream }: Parameters<CvvSubmitQueue['submitSoon']>[0]) => handed.push(stream),
  };
  const handler = new AcceptPaymentHandler({
    store,
    vault: vault as CardVault,
    sealer: sealer as OrderSealer,
    digests: { onceKey: (kind, parts) => Buffer.from([kind, ...parts].join('/')).toString('hex') },
    cvvQueue: cvvQueue as unknown as CvvSubmitQueue,
    screeningRules: new ScreeningRulesRepository(store, clock),
    routingRules: new RoutingRulesRepository(store, clock),
    routes: { route },
    clock,
    orderIds: textOrderIds(seededRandom(1)),
    failpoints: noFailpoints,
  });
  let serial = 0;
  const accept = (overrides: Partial<PaymentRequest> = {}) =>
    handler.handle({
      merchant: 'acme' as MerchantLogin,
      clientOrderId: 'inv-1' as ClientOrderId,
      contentDigest: 'ab'.repeat(32) as ContentDigest,
      operation: 'sale',
      amount: usd(1_042n),
      card: new Secret(CARD),
      cvv: new Secret('123'),
      customer: { holder: 'JOHN SMITH', email: 'john@example.com' },
      details: { description: 'shoes', ipAddress: '10.0.0.1' },
      offer: servedOffer(),
      serial: `00000000-0000-0000-0000-${String(++serial).padStart(12, '0')}`,
      ...overrides,
    });
  const events = async () => {
    const found: string[] = [];
    for await (const event of store.read(paymentStream('acme' as MerchantLogin, 'inv-1' as ClientOrderId))) found.push(event.type);
    return found;
  };
  const stored = async () => {
    for await (const event of store.read(paymentStream('acme' as MerchantLogin, 'inv-1' as ClientOrderId)))
      return (paymentCodec.decode(event) as PaymentAccepted).data;
    throw new Error('nothing is stored');
  };
  return { accept, events, stored, kept, handed, state, store };
};

describe('AcceptPaymentHandler', () => {
  it('stores the card, accepts the order and queues its CVV in this process', async () => {
    const { accept, events, kept, handed } = setUp();
    const outcome = await accept();
    expect(outcome).toEqual({ reason: 'accepted', orderId: expect.stringMatching(/^p[a-z0-9]{14}r$/) as string, endpointId: '1001' });
    expect(await events()).toEqual(['OrderAccepted']);
    expect(kept).toEqual(handed);
    expect(handed).toHaveLength(1);
  });

  it('stores a keyed digest of the e-mail address in lower case, or none without an address', async () => {
    const digest = Buffer.from('email/john@example.com').toString('hex');
    const [given, typed, none] = [setUp(), setUp(), setUp()];
    await given.accept();
    await typed.accept({ customer: { holder: 'JOHN SMITH', email: 'John@Example.COM' } });
    await none.accept({ customer: { holder: 'JOHN SMITH' } });
    expect(await given.stored()).toMatchObject({ emailDigest: digest });
    expect(await typed.stored()).toMatchObject({ emailDigest: digest });
    expect(await none.stored()).not.toHaveProperty('emailDigest');
  });

  it('returns the same order for a repeated request and stores and submits it once', async () => {
    const { accept, events, kept, handed } = setUp();
    const first = await accept();
    await expect(accept()).resolves.toEqual(first);
    expect(await events()).toEqual(['OrderAccepted']);
    expect([kept.length, handed.length]).toEqual([1, 1]);
  });

  it('accepts one order and queues one submit for fifty equal concurrent requests', async () => {
    const { accept, events, handed } = setUp();
    const outcomes = await Promise.all(Array.from({ length: 50 }, () => accept()));
    expect(new Set(outcomes.map((outcome) => JSON.stringify(outcome))).size).toBe(1);
    expect(await events()).toEqual(['OrderAccepted']);
    expect(handed).toHaveLength(1);
  });

  it('rejects different content under the same client_orderid and changes nothing', async () => {
    const { accept, events, kept } = setUp();
    await accept();
    await expect(accept({ contentDigest: 'cd'.repeat(32) as ContentDigest })).resolves.toEqual({ reason: 'client-orderid-reused' });
    expect(await events()).toEqual(['OrderAccepted']);
    expect(kept).toHaveLength(1);
  });

  it('stores no card if the payment is rejected', async () => {
    const { accept, events, kept } = setUp();
    await expect(accept({ offer: { kind: 'refused', reason: 'currency-not-served' } })).resolves.toEqual({ reason: 'currency-not-served' });
    await expect(accept({ amount: usd(0n) })).resolves.toEqual({ reason: 'amount-out-of-range' });
    expect(await events()).toEqual([]);
    expect(kept).toEqual([]);
  });

  it('returns the first order for a repeat, even if the entry point would now refuse it', async () => {
    const { accept } = setUp();
    const first = await accept();
    await expect(accept({ offer: { kind: 'refused', reason: 'operation-not-offered' } })).resolves.toEqual(first);
  });

  it('accepts nothing if the vault is unavailable or the CVV queue is full', async () => {
    const { accept, events, state } = setUp();
    state.isVaultAway = true;
    await expect(accept()).rejects.toBeInstanceOf(VaultUnavailable);
    state.isVaultAway = false;
    state.hasRoom = false;
    await expect(accept()).rejects.toBeInstanceOf(StoreUnavailable);
    expect(await events()).toEqual([]);
  });

  it('writes neither CVV nor card number to the log', async () => {
    const { accept, store } = setUp();
    await accept({ cvv: new Secret('987') });
    let events = 0;
    for await (const item of store.subscribe('all', 'start')) {
      if (item.kind === 'caught-up') break;
      if (item.kind !== 'event') continue;
      events++;
      expect(item.event.stream + item.event.data + item.event.metadata).not.toMatch(/\b987\b|4444333322221111/);
    }
    expect(events).toBeGreaterThan(0);
  });

  it('routes an accepted amount once by card and payer, and plans the gates of the route', async () => {
    const asked: Parameters<Route>[1][] = [];
    const gates = [sampleGate(), sampleGate({ alias: 'sim-b' as GateAlias })] as const;
    const offer = servedOffer({ plan: samplePlan({ gates: [gates[1], gates[0]] }) });
    const { accept, stored } = setUp((_, request) => {
      asked.push(request);
      return Promise.resolve(servedOffer({ plan: samplePlan({ gates }) }));
    });
    await expect(accept({ offer, amount: usd(0n) })).resolves.toEqual({ reason: 'amount-out-of-range' });
    expect(asked).toEqual([]);
    await expect(accept({ offer })).resolves.toMatchObject({ reason: 'accepted' });
    expect(asked).toMatchObject([{ merchant: 'acme', amount: usd(1_042n), card: { bin: '444433', brand: 'VISA' } }]);
    expect(await asked[0]?.customer()).toBe('john@example.com');
    expect((await stored()).plan.gates.map(({ alias }) => alias)).toEqual(['sim-a', 'sim-b']);
    await expect(accept({ offer })).resolves.toMatchObject({ reason: 'accepted' });
    expect(asked).toHaveLength(1);
  });

  it('checks the queue capacity of the first gate of the route', async () => {
    const routed = servedOffer({ plan: samplePlan({ gates: [sampleGate({ alias: 'sim-b' as GateAlias })] }) });
    const { accept, kept } = setUp(() => routed);
    await expect(accept()).rejects.toBeInstanceOf(StoreUnavailable);
    expect(kept).toEqual([]);
  });
});
