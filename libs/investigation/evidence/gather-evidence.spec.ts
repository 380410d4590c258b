import {
  type StoredEvent,
  type StreamName,
  BrokenChain,
  eventId,
  hashOf,
  type EventStore,
  metadataWriter,
  type Last,
  type NewEvent,
  type Revision,
} from '@app/event-store';
import { MemoryEventStore } from '@app/event-store/stores/memory';
import {
  type CardUid,
  type ClientOrderId,
  type ContentDigest,
  type Instant,
  type MerchantLogin,
  type NonEmpty,
  type OrderId,
  type Sealed,
  addMs,
  Secret,
} from '@app/kernel';
import { packTexts } from '@app/orders/domain';
import { paymentCodec } from '@app/payment';
import type { PaymentEvent } from '@app/payment/events';
import type { OrderListQueries } from '@app/read-models';
import { orderLife, paymentAccepted, START } from '@app/read-models/testing';
import { VirtualClock } from '@app/testing';
import type { OrderTrail, OrderTrails } from '../orders/order-trail';
import {
  NoEvidence,
  relatedEvents,
  factsOfEvents,
  gatherEvidence,
  type EvidenceSources,
  onRecordAt,
  type RelatedEvent,
} from './gather-evidence';
import { readSigningKey } from '../log-proofs/checkpoint';
import { LogProofs } from '../log-proofs/log-proofs';
import { keyOfSeed } from '../log-proofs/testing/log-keys';
import { MemoryFiles } from '../log-proofs/testing/memory-files';
import { matchOf } from './earlier-orders';
import type { Evidence, Json } from './evidence-pack';

const ORDER = 'payment-a' as StreamName;
const event = (stream: string): StoredEvent => ({ stream, id: `${stream}-id` }) as unknown as StoredEvent;
const trailsWith = (of: OrderTrails['of']): OrderTrails => ({ of }) as OrderTrails;
const trailOf = (isCutShort: boolean) =>
  trailsWith((...[, { areQuestionsTold }]: Parameters<OrderTrails['of']>) => {
    expect(areQuestionsTold).toBe(false);
    return Promise.resolve({
      events: [event('payment-a'), event('cardReference-b'), event('operator-c'), event('approval-d')],
      entries: [{ data: { one: 1 } }, { data: null }, { data: { three: 3 } }, { data: { four: 4 } }],
      isCutShort,
    } as unknown as OrderTrail);
  });

it('relatedEvents returns the events of a trail with their kind and displayed data', async () => {
  expect(await relatedEvents(trailOf(false), ORDER)).toStrictEqual([
    { stored: event('payment-a'), of: 'order', shown: { one: 1 }, isOfWholeStream: true },
    { stored: event('cardReference-b'), of: 'card', shown: null, isOfWholeStream: true },
    { stored: event('operator-c'), of: 'operator', shown: { three: 3 }, isOfWholeStream: false },
    { stored: event('approval-d'), of: 'operator', shown: { four: 4 }, isOfWholeStream: true },
  ]);
});

it('relatedEvents throws NoEvidence for a trail that was cut short, and returns no events for an unknown order', async () => {
  await expect(relatedEvents(trailOf(true), ORDER)).rejects.toMatchObject({ name: NoEvidence.name, isLater: false });
  expect(
    await relatedEvents(
      trailsWith(() => Promise.resolve(undefined)),
      ORDER,
    ),
  ).toStrictEqual([]);
});

const KEY = readSigningKey(keyOfSeed(1));
const DELIVERY = 'delivery-a' as StreamName;
const OPERATOR = 'operator-b' as StreamName;
const APPROVAL = 'approval-c' as StreamName;
const CALLBACK = { status: 'approved', orderid: '1', merchant_order: 'inv-1' };
const UID = 'uid0of0the0sample0cd' as CardUid;
const at = (seconds: number): Instant => addMs(START, seconds * 1_000);

interface Made {
  readonly number: number;
  readonly steps?: readonly number[];
  readonly merchant?: string;
  readonly acceptedAt?: Instant;
  readonly uid?: CardUid;
  readonly disputedAt?: Instant;
}

const streamOf = (number: number): StreamName => `payment-${number}` as StreamName;

const world = () => {
  const clock = new VirtualClock();
  const store = new MemoryEventStore(clock);
  const texts = new Map<string, string>();

  const append = async (stream: StreamName, events: NonEmpty<PaymentEvent>, recordedAt: Instant, last: Last): Promise<Last> => {
    const cause = { correlation: 'serial', causation: 'serial', actor: 'acme', merchant: 'acme', commandId: `${recordedAt}` };
    const encoded = paymentCodec.encode(events, stream, last, { ...cause, recordedAt });
    const result = await store.append(stream, last === 'no_stream' ? last : last.revision, encoded);
    if (result.kind !== 'appended') throw new Error(result.kind);
    return { revision: result.revision, hash: hashOf(encoded.at(-1) as NewEvent) };
  };

  const order = async ({
    number,
    steps = [0, 0, 0],
    merchant = 'acme',
    acceptedAt = at(number),
    uid = UID,
    disputedAt,
  }: Made): Promise<void> => {
    const { data } = paymentAccepted(number);
    const { cvvHolder: _, ...plan } = data.plan;
    const accepted = {
      ...data,
      plan,
      merchant: merchant as MerchantLogin,
      orderId: `p0sample0order${number}r` as OrderId,
      clientOrderId: `inv-${number}` as ClientOrderId,
      contentDigest: '3f'.repeat(32) as ContentDigest,
      customer: `customer-${number}` as Sealed,
      details: `details-${number}` as Sealed,
      card: { ...data.card, uid },
      acceptedAt,
    };
    const events = orderLife({ type: 'OrderAccepted', data: accepted }, steps) as readonly PaymentEvent[];
    let last: Last = 'no_stream';
    for (const [index, event] of events.entries()) last = await append(streamOf(number), [event], addMs(acceptedAt, index * 100), last);
    if (disputedAt === undefined) return;
    const chargeback = {
      type: 'ChargebackReceived',
      data: {
        gate: 'sim-a',
        reportId: `case-${number}`,
        source: 'file',
        stage: 'first',
        amount: accepted.amount,
        isAboveTaken: false,
        callbacks: [],
        receivedAt: disputedAt,
      },
    } as unknown as PaymentEvent;
    await append(streamOf(number), [chargeback], disputedAt, last);
  };

  const ends = new Map<StreamName, Last>();
  const other = async (stream: StreamName, type: string, recordedAt: Instant, data: object = {}): Promise<void> => {
    const last = ends.get(stream) ?? 'no_stream';
    const revision = last === 'no_stream' ? 0n : last.revision + 1n;
    const cause = { correlation: 'c', causation: 'c', actor: 'a', merchant: 'acme', commandId: 'c', recordedAt };
    const metadata = metadataWriter(cause, stream)(last === 'no_stream' ? null : last.hash, 1);
    const event: NewEvent = { id: eventId(stream, `${revision}`, 0), type, data: JSON.stringify(data), metadata };
    await store.append(stream, last === 'no_stream' ? last : last.revision, [event]);
    ends.set(stream, { revision: revision as Revision, hash: hashOf(event) });
  };
  const deliver = (recordedAt: Instant): Promise<void> =>
    other(DELIVERY, 'CallbackDelivered', recordedAt, { factId: 'w', target: 'callback', orderStream: streamOf(1) });

  const eventsOf = async (stream: StreamName): Promise<readonly StoredEvent[]> => {
    const events: StoredEvent[] = [];
    for await (const event of store.read(stream)) events.push(event);
    return events;
  };
  const trails = {
    of: async (stream: StreamName) => {
      const events = (await Promise.all([OPERATOR, APPROVAL, DELIVERY, stream].map(eventsOf))).flat();
      return { events, entries: events.map(({ type }) => ({ data: { type } })), isCutShort: false };
    },
  };
  const readModel = {
    search: { streamsNamed: () => Promise.resolve([1, 2, 3, 4, 5, 6].map(streamOf)) },
    cardReferences: { byCard: () => Promise.resolve([]) },
    orderList: {
      page: (...[, { named: { streams = [] } = {} }]: Parameters<OrderListQueries['page']>) =>
        Promise.resolve({ orders: streams.map((stream) => ({ stream, view: { acceptedAt: START } })) }),
    },
  };
  const merchant = {
    controlKey: new Secret('control'),
    callback: { method: 'post-json', secret: new Secret(`whsec_${'c2Vj'.repeat(8)}`) },
  };
  const tree = new MemoryFiles();
  const fail = (problem: unknown): never => {
    throw problem as Error;
  };
  const listener = { unsigned: () => undefined, inconsistent: fail, rebuilding: fail, retrying: fail, witnessFailed: fail };
  const random = { bytes: (size: number) => Buffer.alloc(size, 7) };
  const sign = (): Promise<void> =>
    new LogProofs({
      log: store,
      files: tree,
      key: KEY,
      directories: [],
      isKeeper: () => true,
      clock,
      scheduler: clock,
      random,
      listener,
    }).stop();
  const sources = {
    log: store,
    readModel,
    trails,
    vault: { unseal: (_merchant: string, _field: string, sealed: string) => Promise.resolve(texts.get(sealed)) },
    facts: {
      factOf: () =>
        Promise.resolve({ kind: 'callback', merchant: 'acme', url: 'https://shop.example', source: 'endpoint', members: CALLBACK }),
    },
    accounts: { merchant: () => merchant },
    tree,
  } as unknown as EvidenceSources;
  const known = (number: number, customer: object, details: object): void => {
    texts.set(`customer-${number}`, packTexts(customer));
    texts.set(`details-${number}`, packTexts(details));
  };
  const gather = async (stream: StreamName, moment?: Instant, log = sources.log): Promise<Evidence> => {
    await sign();
    return gatherEvidence({ ...sources, log }, { stream, at: moment, key: KEY.verifier });
  };
  return { order, other, deliver, known, gather, sources };
};

const fact = (facts: { readonly [name: string]: Json }, name: string): Record<string, unknown> => facts[name] as Record<string, unknown>;

describe('gatherEvidence', () => {
  it('uses the time of the latest dispute, or a requested time', async () => {
    const { order, gather } = world();
    await order({ number: 1, disputedAt: at(5_000) });
    const whole = await gather(streamOf(1));
    expect(whole.at).toBe(at(5_000));
    expect(whole.events).toHaveLength(5);
    expect(fact(whole.facts, 'states')).toMatchObject({
      authorisation: { version: 3, state: { status: 'approved', stage: 'sale_approved' } },
      atThatTime: { version: 4, state: { status: 'approved', stage: 'chargeback_approved' } },
    });
    expect(fact(whole.facts, 'reports')).toHaveLength(1);
    const before = await gather(streamOf(1), at(4_999));
    expect(before.events).toHaveLength(4);
    expect(fact(before.facts, 'states')).toMatchObject({ atThatTime: { state: { stage: 'sale_approved' } } });
    await expect(gather(streamOf(1), addMs(at(1), -1))).rejects.toThrow(NoEvidence);
    await expect(gather(streamOf(9))).rejects.toThrow(NoEvidence);
  });

  it('uses the time of the latest order or callback event if there is no dispute, regardless of operator actions and approvals', async () => {
    const { order, other, deliver, gather } = world();
    await order({ number: 1 });
    await deliver(at(900));
    await other(OPERATOR, 'OperatorActionBegun', at(800));
    await other(OPERATOR, 'OperatorQueryAnswered', at(5_000));
    await other(APPROVAL, 'ActionProposed', at(5_000));
    const { at: moment, facts, page } = await gather(streamOf(1));
    const { timeline } = page;
    expect(moment).toBe(at(900));
    expect(facts['deliveries']).toMatchObject([{ event: 'CallbackDelivered' }]);
    expect(facts['leftOut']).toMatch(/^Questions of operators about the order that showed nothing sealed/);
    expect(timeline.map(({ type }) => type)).toContain('OperatorActionBegun');
    for (const later of ['OperatorQueryAnswered', 'ActionProposed']) expect(timeline.map(({ type }) => type)).not.toContain(later);
  });

  it('lists events in tree order, and has no authorisation for a declined order', async () => {
    const { order, deliver, gather } = world();
    await order({ number: 1, steps: [0, 1, 0] });
    await deliver(at(2));
    const { events, page, facts, streams } = await gather(streamOf(1));
    const { timeline } = page;
    expect(events.map(({ index }) => index)).toEqual([...events.map(({ index }) => index)].sort((a, b) => a - b));
    expect(timeline.map(({ type }) => type)).toEqual(events.map(({ event }) => event.type));
    expect(events.at(-1)?.event.type).toBe('CallbackDelivered');
    expect(streams).toEqual([DELIVERY, streamOf(1)].map((name) => ({ name, isWhole: true })));
    expect(fact(facts, 'states')).toMatchObject({ authorisation: null });
    expect(fact(facts, 'gateConversations')).toMatchObject([{ event: 'AttemptStarted' }, { event: 'AttemptDeclined' }]);
  });

  it('shows the permitted consumer data, but no other sealed data', async () => {
    const { order, deliver, known, gather } = world();
    await order({ number: 1 });
    await deliver(at(2));
    known(
      1,
      { holder: 'JANE DOE', email: 'jane@example.com', birthday: '19800101', ssn: '1267' },
      { ipAddress: '203.0.113.7', merchantData: 'secret' },
    );
    const { facts } = await gather(streamOf(1));
    expect(facts['callbacks']).toEqual([
      { webhookId: 'w', target: 'callback', content: expect.stringContaining('"status":"approved"') as string },
    ]);
    expect(facts['consumer']).toEqual({ holder: 'JANE DOE', email: 'jane@example.com', ipAddress: '203.0.113.7' });
    expect(JSON.stringify(facts)).not.toMatch(/19800101|1267|secret/);
  });

  it('marks consumer data and callback contents as erased once the personal data are erased', async () => {
    const { order, deliver, gather } = world();
    await order({ number: 1 });
    await deliver(at(2));
    const { facts } = await gather(streamOf(1));
    expect(facts['consumer']).toBe('[erased]');
    expect(facts['callbacks']).toEqual([{ webhookId: 'w', target: 'callback', content: '[erased]' }]);
  });

  it('masks card numbers in consumer data, but keeps phone numbers and IP addresses', async () => {
    const { order, known, gather } = world();
    await order({ number: 1 });
    known(
      1,
      { holder: '5555 5555 5555 4444', address1: 'Main 1', phone: '491511234560' },
      { description: 'card 4111-1111-1111-1111, thanks', ipAddress: '203.0.113.7' },
    );
    expect((await gather(streamOf(1))).facts['consumer']).toEqual({
      holder: '[card number]',
      address1: 'Main 1',
      phone: '491511234560',
      description: 'card [card number], thanks',
      ipAddress: '203.0.113.7',
    });
  });

  it('lists earlier approved and undisputed orders of the card with the consumer data they share', async () => {
    const { order, known, gather } = world();
    await order({ number: 1 });
    await order({ number: 2, steps: [0, 1, 0] }); // declined
    await order({ number: 3, disputedAt: at(100) });
    await order({ number: 4, merchant: 'other' });
    await order({ number: 5, disputedAt: at(9_000) });
    await order({ number: 6, acceptedAt: at(7_000) }); // later
    known(1, { holder: 'J', email: 'Jane@example.com', zipCode: '1', city: 'B', address1: 'Main 1' }, { ipAddress: '203.0.113.7' });
    known(5, { holder: 'J', email: 'jane@example.com', zipCode: '1', city: 'b', address1: 'main 1' }, { ipAddress: '203.0.113.8' });
    const { facts } = await gather(streamOf(5));
    expect(facts['earlierOrders']).toMatchObject({
      looked: 3,
      isCut: false,
      orders: [
        {
          clientOrderId: 'inv-1',
          amount: '10.43',
          currency: 'USD',
          sameAs: { ipAddress: false, device: false, email: true, address: true },
        },
      ],
    });
    const before = await gather(streamOf(5), at(50));
    expect(fact(before.facts, 'earlierOrders')['orders']).toMatchObject([
      { clientOrderId: 'inv-3', sameAs: null },
      { clientOrderId: 'inv-1' },
    ]);
  });
});

it('gatherEvidence counts an earlier order with a broken chain as unreadable, and omits its data', async () => {
  const { order, gather, sources } = world();
  for (const number of [1, 2, 5]) await order({ number });
  const read: EventStore['read'] = (stream, ...given) => {
    const events = sources.log.read(stream, ...given);
    if (stream !== streamOf(2)) return events;
    return (async function* () {
      for await (const event of events) yield event.revision === 1n ? { ...event, data: event.data.replace('sim', 'sam') } : event;
    })();
  };
  const log = {
    read,
    subscribe: (...given: Parameters<EventStore['subscribe']>) => sources.log.subscribe(...given),
    comparePositions: (...given: Parameters<EventStore['comparePositions']>) => sources.log.comparePositions(...given),
  } as EventStore;
  const { facts } = await gather(streamOf(5), undefined, log);
  expect(facts['earlierOrders']).toMatchObject({ looked: 1, unreadable: 1, orders: [{ clientOrderId: 'inv-1' }] });
  await expect(gather(streamOf(2), undefined, log)).rejects.toThrow(BrokenChain);
});

it('factsOfEvents includes 3-D Secure results, and the operator with the claimed actor', () => {
  const of = (type: string, shown: Json, metadata: object = {}): RelatedEvent => ({
    stored: {
      type,
      stream: 'payment-1',
      revision: 0n,
      data: '{}',
      metadata: JSON.stringify({ recordedAt: 0, actor: 'a', ...metadata }),
    } as never,
    of: 'order',
    shown,
    isOfWholeStream: true,
  });
  const { authentication } = factsOfEvents([
    of('PayerChallenged', {}),
    of('AttemptApproved', { receipt: { payerAuthentication: 'AUTHENTICATED', eci: '05' } }),
    of('AttemptDeclined', { receipt: { eci: '07' } }, { claimedActor: 'jane' }),
    of('AttemptUnknown', { receipt: null }),
    of('AttemptApproved', { receipt: { rrn: '1' } }),
    of('OrderApproved', null),
  ]);
  expect(authentication).toMatchObject([
    { event: 'PayerChallenged', by: 'a' },
    { event: 'AttemptApproved', details: { receipt: { payerAuthentication: 'AUTHENTICATED', eci: '05' } } },
    { event: 'AttemptDeclined', by: 'a for jane' },
  ]);
});

describe('matchOf two consumers', () => {
  it.each([
    ['an address of either kind', { ipAddress: '203.0.113.7' }, { ipAddresses: '10.0.0.1 203.0.113.7' }, { ipAddress: true }],
    ['a device', { serialNumber: 'S1' }, { serialNumber: 'S1' }, { device: true }],
    ['an IMEI', { imei: 'I1' }, { imei: 'I1' }, { device: true }],
    ['an e-mail address in another case', { email: 'A@B.example' }, { email: 'a@b.example ' }, { email: true }],
  ])('matches %s', (_what, a, b, expected) => {
    const nothing = { ipAddress: false, device: false, email: false, address: false };
    expect(matchOf(a, b)).toEqual({ ...nothing, ...expected });
  });

  it('matches nothing if both consumers gave no data', () => {
    expect(matchOf({}, {})).toEqual({ ipAddress: false, device: false, email: false, address: false });
    expect(matchOf({ email: '', serialNumber: '' }, { email: '', serialNumber: '' })).toMatchObject({ email: false, device: false });
  });
});

describe('onRecordAt', () => {
  const event = (stream: string, revision: number, recordedAt: number, isOfWholeStream: boolean): RelatedEvent => ({
    stored: { stream, revision: BigInt(revision) as Revision, metadata: JSON.stringify({ recordedAt }) } as unknown as StoredEvent,
    of: 'order',
    shown: null,
    isOfWholeStream,
  });

  it('leaves no gap in a whole stream with differing clocks, and selects single events of other streams by time', () => {
    const events = [
      event('a', 0, 1, true),
      event('b', 0, 9, false),
      event('a', 1, 5, true),
      event('b', 1, 3, false),
      event('a', 2, 3, true),
    ];
    const names = (chosen: readonly RelatedEvent[]): readonly string[] => chosen.map(({ stored }) => `${stored.stream}${stored.revision}`);
    expect(names(onRecordAt(events, 4 as Instant))).toEqual(['a0', 'b1']);
    expect(names(onRecordAt(events, 5 as Instant))).toEqual(['a0', 'a1', 'b1', 'a2']);
  });
});
