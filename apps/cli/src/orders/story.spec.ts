import type { CardRefId, ClientOrderId, MerchantLogin, NonEmpty, OrderId } from '@app/kernel';
import type { AnyEvent, Envelope, EventCodec, EventId, Revision, StoredEvent, StreamName } from '@app/event-store';
import { MemoryEventStore } from '@app/event-store/stores/memory';
import { ChainedWriter, StumblingStore } from '@app/event-store/testing';
import { cardReferenceStream, cardRegistrationCodec } from '@app/card-registration';
import { erasureCodec, erasureStream } from '@app/investigation/erasure';
import { deliveryCodec, deliveryStream } from '@app/callbacks';
import { paymentCodec, paymentStream } from '@app/payment';
import { recurringCodec, recurringStream } from '@app/recurring';
import { ACCEPTED_AT, attemptEvents, finalEvents, sampleOrder, VirtualClock } from '@app/testing';
import { paintFor } from '../terminal';
import { findOrder } from './find-order';
import { orderStory, orderStreams } from './story';
import { renderStory, storyAsData } from './render-story';

const ACME = 'acme' as MerchantLogin;
const OTHER = 'other' as MerchantLogin;
const order = sampleOrder({ orderId: 'p0sample0order1r' as OrderId, contentDigest: 'c0ffee'.padEnd(64, '0') as never });
const stream = paymentStream(ACME, order.clientOrderId);
const reference = 'p658a47wgsfirs4rvrfc' as CardRefId;

const store = new MemoryEventStore(new VirtualClock());
const readers = { log: store, readModel: undefined };

const write = async <Event extends AnyEvent>(codec: EventCodec<Event>, to: StreamName, events: NonEmpty<Event>): Promise<void> => {
  const envelope: Envelope = {
    correlation: 'serial',
    causation: 'serial',
    actor: 'acme',
    merchant: 'acme',
    commandId: `command of ${to}`,
    recordedAt: ACCEPTED_AT,
  };
  await store.append(to, 'no_stream', codec.encode(events, to, 'no_stream', envelope));
};

const idOf = async (from: StreamName, type: string): Promise<EventId> => {
  for await (const stored of store.read(from)) if (stored.type === type) return stored.id;
  throw new Error(`no ${type}`);
};

beforeAll(async () => {
  const approved = [attemptEvents.started(), attemptEvents.approved(), finalEvents.approved()] as const;
  await write(paymentCodec, stream, [{ type: 'OrderAccepted', data: order }, ...approved]);
  const factId = await idOf(stream, 'OrderApproved');
  const { card, customer, merchant, clientOrderId, endpointId } = order;
  const issued = { cardRefId: reference, use: 'source', orderKind: 'payment', issuedAt: ACCEPTED_AT } as const;
  const data = { ...issued, merchant, orderId: order.orderId, clientOrderId, endpointId, card, customer };
  await write(cardRegistrationCodec, cardReferenceStream(ACME, reference), [{ type: 'CardReferenceIssued', data }]);
  const delivered = { factId, target: 'callback', orderStream: stream, tries: 1, status: 200, deliveredAt: ACCEPTED_AT } as const;
  await write(deliveryCodec, deliveryStream(factId, 'callback'), [{ type: 'CallbackDelivered', data: delivered }]);
  const again = { ...order, orderId: 'r0sample0order2r' as OrderId, cardRefId: reference, marks: {} };
  await write(recurringCodec, recurringStream(ACME, order.clientOrderId), [{ type: 'OrderAccepted', data: again }]);
});

describe('finding an order', () => {
  it('finds it by a numeric orderid, but prefers a client_orderid with the same form [W487]', async () => {
    const number = '1234567890' as OrderId;
    const numbered = { ...order, clientOrderId: 'inv-of-a-number' as ClientOrderId, orderId: number, cardRefId: reference, marks: {} };
    const numberedStream = recurringStream(ACME, numbered.clientOrderId);
    await write(recurringCodec, numberedStream, [{ type: 'OrderAccepted', data: numbered }]);
    await expect(findOrder(readers, number, [ACME])).resolves.toStrictEqual([numberedStream]);
    await expect(findOrder(readers, number, 'any')).resolves.toStrictEqual([numberedStream]);
    await expect(findOrder(readers, number, [OTHER])).resolves.toStrictEqual([]);
    const named = { ...order, clientOrderId: '1999999999' as ClientOrderId, orderId: 'p0sample0order9r' as OrderId };
    await write(paymentCodec, paymentStream(ACME, named.clientOrderId), [{ type: 'OrderAccepted', data: named }]);
    await expect(findOrder(readers, '1999999999', [ACME])).resolves.toStrictEqual([paymentStream(ACME, named.clientOrderId)]);
  });

  it('finds it by orderid in the log without a read model', async () => {
    await expect(findOrder(readers, 'p0sample0order1r', [ACME])).resolves.toStrictEqual([stream]);
  });

  it('finds it by orderid only for the given merchants', async () => {
    await expect(findOrder(readers, 'p0sample0order1r', [OTHER])).resolves.toStrictEqual([]);
  });

  it('finds it by client_orderid in every order category', async () => {
    const both = [stream, recurringStream(ACME, order.clientOrderId)];
    await expect(findOrder(readers, order.clientOrderId, [OTHER, ACME])).resolves.toStrictEqual(both);
  });

  it('finds it by either id across all merchants in the log', async () => {
    await expect(findOrder(readers, 'p0sample0order1r', 'any')).resolves.toStrictEqual([stream]);
    const both = [stream, recurringStream(ACME, order.clientOrderId)];
    await expect(findOrder(readers, order.clientOrderId, 'any')).resolves.toStrictEqual(both);
    await expect(findOrder(readers, 'inv', 'any')).resolves.toStrictEqual([]);
  });

  it('returns an empty list if no order has the name', async () => {
    await expect(findOrder(readers, 'inv-2', [ACME])).resolves.toStrictEqual([]);
    await expect(findOrder(readers, 'pzsample0order1r', [ACME])).resolves.toStrictEqual([]);
  });
});

it('the streams of an order include its deliveries, its card references and its erasure', async () => {
  const { streams, isWhole } = await orderStreams(readers, stream);
  expect(isWhole).toBe(true);
  const delivered = deliveryStream(await idOf(stream, 'OrderApproved'), 'callback');
  expect([...streams].sort()).toStrictEqual([stream, delivered, cardReferenceStream(ACME, reference), erasureStream(stream)].sort());
});

describe('the timeline of an order', () => {
  const typesOf = (events: readonly { readonly stored: StoredEvent }[]): readonly string[] => events.map(({ stored }) => stored.type);

  it('contains its events, the card references it issued and its deliveries, in log order', async () => {
    const { view, events } = await orderStory(readers, stream);
    expect(view).toMatchObject({ orderId: 'p0sample0order1r', status: 'approved' });
    expect(typesOf(events)).toStrictEqual([
      'OrderAccepted',
      'AttemptStarted',
      'AttemptApproved',
      'OrderApproved',
      'CardReferenceIssued',
      'CallbackDelivered',
    ]);
  });

  it('starts with the charged card reference for a recurring payment', async () => {
    const { events } = await orderStory(readers, recurringStream(ACME, order.clientOrderId));
    expect(typesOf(events)).toStrictEqual(['CardReferenceIssued', 'OrderAccepted']);
  });

  it('renders a header and one line per event', async () => {
    const lines = renderStory(await orderStory(readers, stream), paintFor(false));
    expect(lines.slice(0, 2)).toStrictEqual([
      'order p0sample0order1r, merchant acme, client_orderid inv-1',
      `10.42 USD, approved (sale_approved), stream ${stream}`,
    ]);
    expect(lines).toHaveLength(2 + 1 + 6);
  });

  it('contains no sealed text in its JSON form', async () => {
    const text = JSON.stringify(storyAsData(await orderStory(readers, stream)), (_name, value: unknown) =>
      typeof value === 'bigint' ? value.toString() : value,
    );
    expect(JSON.parse(text)).toMatchObject({
      status: 'approved',
      amount: '10.42',
      events: [{ data: { customer: '[sealed]' } }, {}, {}, {}, {}, {}],
    });
    expect(text).not.toContain(order.customer);
    expect(text).not.toContain(order.details);
  });

  it('marks each erased text and keeps every event after an erasure', async () => {
    const erasable = sampleOrder({
      orderId: 'p0sample0order7r' as OrderId,
      clientOrderId: 'erasable' as ClientOrderId,
      customer: `v1.${'A'.repeat(20)}.Y3VzdG9tZXI` as never,
      details: `v1.${'A'.repeat(20)}.ZGV0YWlscw` as never,
    });
    const erased = paymentStream(ACME, erasable.clientOrderId);
    await write(paymentCodec, erased, [{ type: 'OrderAccepted', data: erasable }, attemptEvents.started(), finalEvents.approved()]);
    const before = await orderStory(readers, erased);
    expect(renderStory(before, paintFor(false)).join('\n')).toContain('customer and details [sealed]');
    const named = { orderStream: erased, orderId: erasable.orderId, merchant: ACME, requestId: 'q-1', cause: 'request' as const };
    const cards = [{ handle: erasable.card.handle, references: [] }];
    await write(erasureCodec, erasureStream(erased), [
      { type: 'ErasureRequested', data: { ...named, texts: ['A'.repeat(20)], cards, requestedAt: ACCEPTED_AT } },
      { type: 'Erased', data: { requestId: 'q-1', erasedAt: ACCEPTED_AT } },
    ]);
    const story = await orderStory(readers, erased);
    const shown = renderStory(story, paintFor(false)).join('\n');
    expect(shown).toContain('erased 2024-01-01T00:00:00.000Z on request: 1 key of texts, 1 card, request q-1');
    expect(shown).toContain('customer and details [erased]');
    expect(shown).not.toContain('[sealed]');
    expect(storyAsData(story)).toMatchObject({
      erasure: { done: [{ requestId: 'q-1', cause: 'request', texts: 1, cards: 1 }] },
      events: [{ data: { customer: '[erased]', details: '[erased]' } }, {}, {}, {}, {}],
    });
    expect(story.events.slice(0, 3).map(({ stored }) => stored.data)).toStrictEqual(before.events.map(({ stored }) => stored.data));
  });

  it('stops before the first forged event of a tampered log and reports the revision', async () => {
    const forged = Object.assign(Object.create(store) as MemoryEventStore, {
      async *read(from: StreamName, revision?: Revision) {
        for await (const stored of store.read(from, revision)) {
          yield from === stream && stored.type === 'AttemptApproved'
            ? { ...stored, data: stored.data.replace(/"approvalCode":"[^"]*"/, '"approvalCode":"FORGED"') }
            : stored;
        }
      },
    });
    const story = await orderStory({ log: forged, readModel: undefined }, stream);
    expect(story.view).toBeUndefined();
    expect(story.events.map(({ stored }) => stored.type)).toStrictEqual(['OrderAccepted', 'AttemptStarted']);
    const shown = renderStory(story, paintFor(false)).join('\n');
    expect(shown).toContain('its state is unknown: the log was changed or damaged');
    expect(shown).toContain(
      `${stream} is sound before revision 2, and no further: of revision 3, it does not follow from the event before it`,
    );
    expect(shown).not.toContain('FORGED');
    expect(storyAsData(story)).toMatchObject({ broken: [{ stream, revision: 3n }] });
  });

  it('accepts 10,000 events and rejects a longer stream', async () => {
    const long = paymentStream(ACME, 'long' as ClientOrderId);
    const writer = new ChainedWriter(store);
    for (let written = 0; written < 10_000; written += 100) await writer.write(long, 100);
    expect((await orderStory(readers, long)).events).toHaveLength(10_000);
    await writer.write(long);
    await expect(orderStory(readers, long)).rejects.toThrow(new Error(`${long} holds more than 10000 events`));
  });

  it('fails if the store is unavailable instead of returning a partial timeline', async () => {
    const away = new StumblingStore(store);
    away.isAway = true;
    const told = orderStory({ log: away, readModel: undefined }, stream);
    await expect(told).rejects.toMatchObject({ name: 'StoreUnavailable', message: 'away' });
  });

  it('is empty for an order without events', async () => {
    const nothing = await orderStory(readers, paymentStream(ACME, 'nothing' as ClientOrderId));
    expect(nothing).toMatchObject({ view: undefined, events: [] });
  });
});
