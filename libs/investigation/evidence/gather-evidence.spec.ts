import { MemoryEventStore } from '@app/event-store/stores/memory';
import { BrokenChain, hashOf, type Last, type NewEvent, type Revision, type StoredEvent, type StreamName } from '@app/event-store';
import type { CardUid, ClientOrderId, ContentDigest, Instant, MerchantLogin, NonEmpty, OrderId, Sealed } from '@app/kernel';
import { addMs } from '@app/kernel';
import { packTexts } from '@app/orders/domain';
import { paymentCodec } from '@app/payment';
import type { PaymentEvent } from '@app/payment/events';
import { orderLife, paymentAccepted, START } from '@app/read-models/testing';
import { VirtualClock } from '@app/testing';
import type { Json } from './evidence';
import { matchOf } from './consumer';
import { gatherEvidence, NoEvidence, type EvidencePorts } from './gather-evidence';
import { factsOfEvents } from './gather-evidence';
import { onRecordAt, type RelatedEvent } from './related-event';

const UID = 'uid0of0the0sample0cd' as CardUid;
const at = (seconds: number): Instant => addMs(START, seconds * 1_000);

interface Made {
  readonly number: number;
  /** Steps of its life: `[0, 0, 0]` is approved. */
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

  const eventsOf = async (stream: StreamName): Promise<readonly StoredEvent[]> => {
    const events: StoredEvent[] = [];
    for await (const event of store.read(stream)) events.push(event);
    return events;
  };
  const proven: StoredEvent[][] = [];
  const ports: EvidencePorts = {
    log: store,
    sealer: { unseal: (_merchant, _field, sealed) => Promise.resolve(texts.get(sealed)) },
    ordersOfCard: (_uid, limit) => Promise.resolve({ streams: [1, 2, 3, 4, 5, 6].map(streamOf).slice(0, limit), isCut: false }),
    relatedEvents: async (stream) =>
      (await eventsOf(stream)).map((stored) => ({ stored, of: 'order', shown: { type: stored.type }, isOfWholeStream: true })),
    sentCallbacks: () => Promise.resolve([{ webhookId: 'w', target: 'callback', content: '{"status":"approved"}' }]),
    prove: (events) => {
      proven.push([...events]);
      const checkpoint = { origin: 'log', size: 100, root: Buffer.alloc(32), extensions: [], note: 'note' };
      // The tree has them in another order than the stream was read.
      return Promise.resolve({ checkpoint, places: events.map((_, index) => ({ index: 50 - index, path: [] })) });
    },
  };
  const known = (number: number, customer: object, details: object): void => {
    texts.set(`customer-${number}`, packTexts(customer));
    texts.set(`details-${number}`, packTexts(details));
  };
  return { store, order, known, ports, proven };
};

const fact = (facts: { readonly [name: string]: Json }, name: string): Record<string, unknown> => facts[name] as Record<string, unknown>;

describe('the evidence of an order', () => {
  it('is as of its newest dispute, and of a time that is asked for', async () => {
    const { order, ports, proven } = world();
    await order({ number: 1, disputedAt: at(5_000) });
    const whole = await gatherEvidence(ports, streamOf(1), undefined);
    expect(whole.at).toBe(at(5_000));
    expect(fact(whole.facts, 'states')).toMatchObject({
      authorisation: { version: 3, state: { status: 'approved', stage: 'sale_approved' } },
      atThatTime: { version: 4, state: { status: 'approved', stage: 'chargeback_approved' } },
    });
    expect(fact(whole.facts, 'reports')).toHaveLength(1);
    const before = await gatherEvidence(ports, streamOf(1), at(4_999));
    expect(before.events).toHaveLength(4);
    expect(proven.map(({ length }) => length)).toEqual([5, 4]);
    expect(fact(before.facts, 'states')).toMatchObject({ atThatTime: { state: { stage: 'sale_approved' } } });
    await expect(gatherEvidence(ports, streamOf(1), addMs(at(1), -1))).rejects.toThrow(NoEvidence);
    await expect(gatherEvidence(ports, streamOf(9), undefined)).rejects.toThrow(NoEvidence);
  });

  it('is as of the newest of its order, cards and callbacks where nobody disputes it, whatever operators did since', async () => {
    const { order, ports } = world();
    await order({ number: 1 });
    const others = (stream: string, type: string, recordedAt: Instant, isOfWholeStream: boolean): RelatedEvent => ({
      stored: {
        stream,
        type,
        revision: 0n as Revision,
        data: '{}',
        metadata: JSON.stringify({ recordedAt, actor: 'a' }),
      } as unknown as StoredEvent,
      of: isOfWholeStream ? 'delivery' : 'operator',
      shown: null,
      isOfWholeStream,
    });
    const relatedEvents: EvidencePorts['relatedEvents'] = async (stream) => [
      ...(await ports.relatedEvents(stream)),
      others('delivery-a', 'CallbackDelivered', at(900), true),
      others('operator-b', 'OperatorActionBegun', at(800), false),
      others('operator-b', 'OperatorQueryAnswered', at(5_000), false),
    ];
    const { at: moment, facts, timeline } = await gatherEvidence({ ...ports, relatedEvents }, streamOf(1), undefined);
    expect(moment).toBe(at(900));
    expect(facts['deliveries']).toMatchObject([{ event: 'CallbackDelivered' }]);
    expect(facts['leftOut']).toMatch(/^Questions of operators about the order that showed nothing sealed/);
    expect(timeline.map(({ type }) => type)).toContain('OperatorActionBegun');
    expect(timeline.map(({ type }) => type)).not.toContain('OperatorQueryAnswered');
  });

  it('has its events in the order of the tree, and none that authorised nothing as an authorisation', async () => {
    const { order, ports } = world();
    await order({ number: 1, steps: [0, 1, 0] });
    const { events, timeline, facts, streams } = await gatherEvidence(ports, streamOf(1), undefined);
    expect(events.map(({ index }) => index)).toEqual([...events.map(({ index }) => index)].sort((a, b) => a - b));
    expect(timeline.map(({ type }) => type)).toEqual(events.map(({ event }) => event.type));
    expect(streams).toEqual([{ name: streamOf(1), isWhole: true }]);
    expect(fact(facts, 'states')).toMatchObject({ authorisation: null });
    expect(fact(facts, 'gateConversations')).toMatchObject([{ event: 'AttemptStarted' }, { event: 'AttemptDeclined' }]);
  });

  it('shows the consumer, and not what was sealed besides', async () => {
    const { order, ports, known } = world();
    await order({ number: 1 });
    known(
      1,
      { holder: 'JANE DOE', email: 'jane@example.com', birthday: '19800101', ssn: '1267' },
      { ipAddress: '203.0.113.7', merchantData: 'secret' },
    );
    const { facts } = await gatherEvidence(ports, streamOf(1), undefined);
    expect(facts['callbacks']).toEqual([{ webhookId: 'w', target: 'callback', content: '{"status":"approved"}' }]);
    expect(facts['consumer']).toEqual({ holder: 'JANE DOE', email: 'jane@example.com', ipAddress: '203.0.113.7' });
    expect(JSON.stringify(facts)).not.toMatch(/19800101|1267|secret/);
  });

  it('says so where the personal data were erased, also of callbacks, which carried them', async () => {
    const { order, ports } = world();
    await order({ number: 1 });
    const { facts } = await gatherEvidence(ports, streamOf(1), undefined);
    expect(facts['consumer']).toBe('[erased]');
    expect(facts['callbacks']).toEqual([{ webhookId: 'w', target: 'callback', content: '[erased]' }]);
  });

  it('has no card number that a payer typed, and every number that is another thing', async () => {
    const { order, ports, known } = world();
    await order({ number: 1 });
    known(
      1,
      { holder: '5555 5555 5555 4444', address1: 'Main 1', phone: '491511234560' },
      { description: 'card 4111-1111-1111-1111, thanks', ipAddress: '203.0.113.7' },
    );
    expect((await gatherEvidence(ports, streamOf(1), undefined)).facts['consumer']).toEqual({
      holder: '[card number]',
      address1: 'Main 1',
      phone: '491511234560',
      description: 'card [card number], thanks',
      ipAddress: '203.0.113.7',
    });
  });

  it('has the earlier orders of the card that were approved and undisputed, and what they share', async () => {
    const { order, ports, known } = world();
    await order({ number: 1 });
    await order({ number: 2, steps: [0, 1, 0] }); // declined
    await order({ number: 3, disputedAt: at(100) });
    await order({ number: 4, merchant: 'other' });
    await order({ number: 5, disputedAt: at(9_000) });
    await order({ number: 6, acceptedAt: at(7_000) }); // later
    known(1, { holder: 'J', email: 'Jane@example.com', zipCode: '1', city: 'B', address1: 'Main 1' }, { ipAddress: '203.0.113.7' });
    known(5, { holder: 'J', email: 'jane@example.com', zipCode: '1', city: 'b', address1: 'main 1' }, { ipAddress: '203.0.113.8' });
    const { facts } = await gatherEvidence(ports, streamOf(5), undefined);
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
    // Before it was disputed, the third was evidence too.
    const before = await gatherEvidence(ports, streamOf(5), at(50));
    expect(fact(before.facts, 'earlierOrders')['orders']).toMatchObject([
      { clientOrderId: 'inv-3', sameAs: null },
      { clientOrderId: 'inv-1' },
    ]);
  });
});

it('counts an earlier order whose record was changed, and tells nothing of it', async () => {
  const { order, ports } = world();
  for (const number of [1, 2, 5]) await order({ number });
  const { read } = ports.log;
  const log: EvidencePorts['log'] = {
    read: (stream, ...given) => {
      const events = read.call(ports.log, stream, ...given);
      if (stream !== streamOf(2)) return events;
      return (async function* () {
        for await (const event of events) yield event.revision === 1n ? { ...event, data: event.data.replace('sim', 'sam') } : event;
      })();
    },
  };
  const { facts } = await gatherEvidence({ ...ports, log }, streamOf(5), undefined);
  expect(facts['earlierOrders']).toMatchObject({ looked: 1, unreadable: 1, orders: [{ clientOrderId: 'inv-1' }] });
  // Of the order itself nothing is told where its own record was changed.
  await expect(gatherEvidence({ ...ports, log }, streamOf(2), undefined)).rejects.toThrow(BrokenChain);
});

it('has the result of 3-D Secure where a scheme looks for it, and who acted for whom', () => {
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

describe('two consumers', () => {
  it.each([
    ['an address of either kind', { ipAddress: '203.0.113.7' }, { ipAddresses: '10.0.0.1 203.0.113.7' }, { ipAddress: true }],
    ['a device', { serialNumber: 'S1' }, { serialNumber: 'S1' }, { device: true }],
    ['an IMEI', { imei: 'I1' }, { imei: 'I1' }, { device: true }],
    ['an e-mail address in another case', { email: 'A@B.example' }, { email: 'a@b.example ' }, { email: true }],
  ])('share %s', (_what, a, b, expected) => {
    const nothing = { ipAddress: false, device: false, email: false, address: false };
    expect(matchOf(a, b)).toEqual({ ...nothing, ...expected });
  });

  it('share nothing where neither gave anything', () => {
    expect(matchOf({}, {})).toEqual({ ipAddress: false, device: false, email: false, address: false });
    expect(matchOf({ email: '', serialNumber: '' }, { email: '', serialNumber: '' })).toMatchObject({ email: false, device: false });
  });
});

describe('what was on record at a time', () => {
  const event = (stream: string, revision: number, recordedAt: number, isOfWholeStream: boolean): RelatedEvent => ({
    stored: { stream, revision: BigInt(revision) as Revision, metadata: JSON.stringify({ recordedAt }) } as unknown as StoredEvent,
    of: 'order',
    shown: null,
    isOfWholeStream,
  });

  it('leaves no gap in a stream whose writers’ clocks differ, and takes single events of others by their time', () => {
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
