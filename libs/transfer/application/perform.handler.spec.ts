import { createHash } from 'node:crypto';
import {
  noFailpoints,
  Secret,
  type Card,
  type ClientOrderId,
  type ContentDigest,
  type DestinationCard,
  type EndpointId,
  type MerchantLogin,
  type Sealed,
} from '@app/kernel';
import { VaultUnavailable, type CardVault, type OrderKeyId, type OrderSealer } from '@app/card-vault';
import { StoreUnavailable } from '@app/event-store';
import { MemoryEventStore } from '@app/event-store/stores/memory';
import { StumblingStore } from '@app/event-store/testing';
import {
  RoutingRulesRepository,
  ScreeningRulesRepository,
  sessionDigest,
  workLane,
  type CvvSubmitQueue,
  type PerformRequest,
} from '@app/orders';
import {
  devicePlan,
  FEE_CHOICE_MS,
  sampleCard,
  sampleReceivingCard,
  seededIds,
  seededRandom,
  textOrderIds,
  servedOffer,
  usd,
  VirtualClock,
} from '@app/testing';
import { transferCodec, transferStream } from './transfer.codec';
import { PerformTransferHandler } from './perform.handler';

const CARD: Card = { number: '4444333322221111', expiryMonth: 12, expiryYear: 2030, holder: 'JOHN SMITH' };
const RECEIVING: DestinationCard = { number: '5555444433332226' };
const MERCHANT = 'acme' as MerchantLogin;
const INVOICE = '33333333-3333-3333-3333-333333333333' as ClientOrderId;
const OTHER_INVOICE = '44444444-4444-4444-4444-444444444444' as ClientOrderId;
const OTHER_CONTENT = 'cd'.repeat(32) as ContentDigest;
const DEVICE = { accessToken: 'a'.repeat(64), nonce: 'n'.repeat(64), signature: 'F'.repeat(40), serialNumber: 'SN-1' };
const digests = {
  onceKey: (kind: string, parts: readonly string[]) =>
    createHash('sha256')
      .update(JSON.stringify([kind, ...parts]))
      .digest('hex'),
};

const setUp = () => {
  const clock = new VirtualClock();
  const store = new StumblingStore(new MemoryEventStore(clock));
  const kept: string[] = [];
  const handed: string[] = [];
  const full = new Set<string>();
  const state = { isVaultAway: false, isKeyErased: false };
  const keep = <Kept>(number: string, face: Kept): Promise<Kept> => {
    if (state.isVaultAway) return Promise.reject(new VaultUnavailable('away'));
    kept.push(number);
    return Promise.resolve(face);
  };
  const vault: Pick<CardVault, 'keep' | 'keepReceiving'> = {
    keep: (_merchant, card) => keep(card.reveal().number, sampleCard()),
    keepReceiving: (_merchant, card) => keep(card.reveal().number, sampleReceivingCard()),
  };
  const sealer: Pick<OrderSealer, 'takeKey' | 'unseal'> = {
    takeKey: () =>
      Promise.resolve({
        id: 'k1' as OrderKeyId,
        seal: (_merchant: string, _field: string, text: string) => Buffer.from(text).toString('hex') as Sealed,
      }),
    unseal: (_merchant, _field, sealed) => Promise.resolve(state.isKeyErased ? undefined : Buffer.from(sealed, 'hex').toString()),
  };
  const cvvQueue = {
    hasRoomIn: (lane: string) => !full.has(lane),
    submitSoon: ({ stream }: Parameters<CvvSubmitQueue['submitSoon']>[0]) => handed.push(stream),
  };
  const handler = new PerformTransferHandler({
    store,
    vault,
    sealer: sealer as OrderSealer,
    digests,
    cvvQueue: cvvQueue as unknown as CvvSubmitQueue,
    screeningRules: new ScreeningRulesRepository(store, clock),
    routingRules: new RoutingRulesRepository(store, clock),
    routes: { route: (offer) => offer },
    clock,
    ids: seededIds(5),
    orderIds: textOrderIds(seededRandom(1)),
    failpoints: noFailpoints,
  });
  let serial = 0;
  const request = (overrides: Partial<PerformRequest> = {}): PerformRequest => ({
    merchant: MERCHANT,
    clientOrderId: INVOICE,
    endpointId: '1001' as EndpointId,
    contentDigest: 'ab'.repeat(32) as ContentDigest,
    operation: 'transfer',
    amount: usd(1_042n),
    card: new Secret(CARD),
    destination: new Secret(RECEIVING),
    cvv: new Secret('123'),
    device: DEVICE,
    customer: { email: 'john@example.com' },
    details: {},
    offer: servedOffer({ plan: devicePlan() }),
    serial: `00000000-0000-0000-0000-${String(++serial).padStart(12, '0')}`,
    signatureAmbiguous: false,
    ...overrides,
  });
  const perform = (overrides?: Partial<PerformRequest>) => handler.handle(request(overrides));
  const events = async (invoice = INVOICE) => {
    const found = [];
    for await (const stored of store.read(transferStream(MERCHANT, invoice))) found.push(transferCodec.decode(stored));
    return found;
  };
  const onceEvents = async () => {
    const found: string[] = [];
    for await (const item of store.subscribe(['once'], 'start')) {
      if (item.kind === 'caught-up') break;
      if (item.kind === 'event') found.push(item.event.type);
    }
    return found;
  };
  return { handler, request, perform, events, onceEvents, kept, handed, full, state, store };
};

describe('performing a sale or transfer (interface, section 4.5)', () => {
  it('stores the cards, accepts the order, queues its CVV in this process and returns a session token', async () => {
    const { perform, events, kept, handed } = setUp();
    const outcome = await perform();
    expect(outcome).toEqual({
      reason: 'accepted',
      orderId: expect.stringMatching(/^t[a-z0-9]{14}r$/) as string,
      endpointId: '1001',
      token: expect.stringMatching(/^[0-9a-f-]{36}$/) as string,
    });
    const [accepted] = await events();
    const token = outcome.reason === 'accepted' ? outcome.token : '';
    expect(accepted).toMatchObject({
      type: 'OrderAccepted',
      data: { card: sampleCard(), destination: sampleReceivingCard(), sessionDigest: sessionDigest(digests, DEVICE.accessToken, token) },
    });
    expect(kept).toEqual([CARD.number, RECEIVING.number]);
    expect(handed).toHaveLength(1);
  });

  it('returns the same token for a repeated request, even if the offer is now refused', async () => {
    const { perform, events, kept, handed } = setUp();
    const first = await perform();
    await expect(perform({ cvv: new Secret('999') })).resolves.toEqual(first);
    await expect(perform({ offer: { kind: 'refused', reason: 'operation-not-offered' } })).resolves.toEqual(first);
    expect([(await events()).length, kept.length, handed.length]).toEqual([1, 2, 1]);
  });

  it('accepts one order, one submit and one nonce claim for fifty equal concurrent requests', async () => {
    const { perform, events, onceEvents, handed } = setUp();
    const outcomes = await Promise.all(Array.from({ length: 50 }, () => perform()));
    expect(new Set(outcomes.map((outcome) => JSON.stringify(outcome))).size).toBe(1);
    expect([(await events()).length, handed.length]).toEqual([1, 1]);
    expect(await onceEvents()).toEqual(['Claimed']);
  });

  it('stores no card and queues no CVV if both cards are given by reference', async () => {
    const { handler, request, events, kept, handed } = setUp();
    const device = { ...DEVICE, sourceClientCardId: 'src-1', destinationClientCardId: 'dst-1' };
    const { card: _card, destination: _destination, cvv: _cvv, ...byReference } = request({ device });
    await handler.handle(byReference);
    const [accepted] = await events();
    expect(accepted?.data).not.toHaveProperty('card');
    expect(accepted?.data).not.toHaveProperty('destination');
    expect([kept, handed]).toEqual([[], []]);
  });

  it('returns the same token for a repeat of an order whose digest an earlier release stored', async () => {
    const { perform } = setUp();
    const contentDigest = 'ef'.repeat(32) as ContentDigest;
    const first = await perform({ contentDigest });
    await expect(perform({ contentDigestBefore: () => contentDigest })).resolves.toEqual(first);
    await expect(perform({ contentDigestBefore: () => OTHER_CONTENT })).resolves.toEqual({ reason: 'client-orderid-reused' });
  });

  it('rejects different content under the same invoice and changes nothing', async () => {
    const { perform, events, kept } = setUp();
    await perform();
    await expect(perform({ contentDigest: OTHER_CONTENT })).resolves.toEqual({ reason: 'client-orderid-reused' });
    expect([(await events()).length, kept.length]).toEqual([1, 2]);
  });

  it('rejects a nonce of another invoice at the same endpoint and stores no card for it', async () => {
    const { perform, events, kept } = setUp();
    await perform();
    await expect(perform({ clientOrderId: OTHER_INVOICE })).resolves.toEqual({ reason: 'nonce-reused' });
    await expect(perform({ clientOrderId: OTHER_INVOICE })).resolves.toEqual({ reason: 'nonce-reused' });
    expect([(await events(OTHER_INVOICE)).length, kept.length]).toEqual([0, 2]);
    await expect(perform({ clientOrderId: OTHER_INVOICE, endpointId: '1002' as EndpointId })).resolves.toMatchObject({
      reason: 'accepted',
    });
  });

  it('consumes no nonce for a rejected request', async () => {
    const { perform, onceEvents } = setUp();
    await expect(perform({ offer: { kind: 'refused', reason: 'currency-not-served' } })).resolves.toEqual({
      reason: 'currency-not-served',
    });
    await expect(perform({ amount: usd(0n) })).resolves.toEqual({ reason: 'amount-out-of-range' });
    expect(await onceEvents()).toEqual([]);
    await expect(perform({ clientOrderId: OTHER_INVOICE })).resolves.toMatchObject({ reason: 'accepted' });
  });

  it('accepts one of two concurrent contents and releases the other’s nonce unless both use the same', async () => {
    const { perform, onceEvents } = setUp();
    const rival = { contentDigest: OTHER_CONTENT, device: { ...DEVICE, nonce: 'm'.repeat(64) } };
    const outcomes = await Promise.all([perform(), perform(rival)]);
    expect(outcomes.map(({ reason }) => reason).sort()).toEqual(['accepted', 'client-orderid-reused']);
    expect((await onceEvents()).sort()).toEqual(['Claimed', 'Claimed', 'Released']);
    const same = setUp();
    await Promise.all([same.perform(), same.perform({ contentDigest: OTHER_CONTENT })]);
    expect(await same.onceEvents()).toEqual(['Claimed']);
  });

  it('accepts nothing while the vault is unavailable, and accepts the same request afterwards', async () => {
    const { perform, events, state } = setUp();
    state.isVaultAway = true;
    await expect(perform()).rejects.toBeInstanceOf(VaultUnavailable);
    expect(await events()).toEqual([]);
    state.isVaultAway = false;
    await expect(perform()).resolves.toMatchObject({ reason: 'accepted' });
  });

  it('accepts nothing while the store is unavailable', async () => {
    const { perform, store } = setUp();
    store.isAway = true;
    await expect(perform()).rejects.toBeInstanceOf(StoreUnavailable);
    store.isAway = false;
    await expect(perform()).resolves.toMatchObject({ reason: 'accepted' });
  });

  it('rejects a CVV if the queue of the gate or of the waiting consumer is full', async () => {
    const { perform, full } = setUp();
    const choosing = servedOffer({ plan: devicePlan({ device: { feeChoiceMs: FEE_CHOICE_MS } }) });
    full.add(workLane(MERCHANT, 'payer'));
    await expect(perform({ offer: choosing })).rejects.toBeInstanceOf(StoreUnavailable);
    await expect(perform()).resolves.toMatchObject({ reason: 'accepted' });
    full.add(workLane(MERCHANT, 'sim-a' as never));
    await expect(perform({ clientOrderId: OTHER_INVOICE, endpointId: '1002' as EndpointId })).rejects.toBeInstanceOf(StoreUnavailable);
  });

  it('rejects a repeat if the order’s key was erased, since the token is lost', async () => {
    const { perform, state } = setUp();
    await perform();
    state.isKeyErased = true;
    await expect(perform()).resolves.toEqual({ reason: 'client-orderid-reused' });
  });

  it('writes no CVV, card number, nonce or session token to the log', async () => {
    const { perform, store } = setUp();
    const outcome = await perform({ cvv: new Secret('987') });
    for await (const item of store.subscribe('all', 'start')) {
      if (item.kind === 'caught-up') break;
      if (item.kind !== 'event') continue;
      const text = item.event.data + item.event.metadata;
      expect(text).not.toMatch(/\b987\b|4444333322221111|5555444433332226/);
      for (const secret of [DEVICE.accessToken, DEVICE.nonce, outcome.reason === 'accepted' ? outcome.token : '-']) {
        expect(text).not.toContain(secret);
      }
    }
  });
});
