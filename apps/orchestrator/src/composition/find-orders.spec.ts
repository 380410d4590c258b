import { cardReferenceStream, cardRegistrationCodec } from '@app/card-registration';
import { deliveryCodec, deliveryKey, deliveryStream } from '@app/deliveries';
import type { AnyEvent, EventCodec, EventId, StreamName } from '@app/event-store';
import { MemoryEventStore } from '@app/event-store/memory';
import type { CardRefId, CardUid, MerchantLogin, NonEmpty, OrderId } from '@app/kernel';
import { paymentCodec, paymentStream } from '@app/payment';
import { recurringStream } from '@app/recurring';
import { ACCEPTED_AT, sampleOrder, VirtualClock } from '@app/testing';
import { findOrders, type SearchPlaces } from './find-orders';

const ACME = 'acme' as MerchantLogin;
const OTHER = 'other' as MerchantLogin;
const order = sampleOrder({ orderId: 'p0sample0order1r' as OrderId });
const stream = paymentStream(ACME, order.clientOrderId);
const reference = 'p658a47wgsfirs4rvrfc' as CardRefId;
const factId = '6b1c2d3e-4f50-5a61-8b72-9c83ad94be05' as EventId;
const store = new MemoryEventStore(new VirtualClock());

const write = async <Event extends AnyEvent>(
  codec: EventCodec<Event>,
  to: StreamName,
  merchant: MerchantLogin,
  events: NonEmpty<Event>,
): Promise<void> => {
  const envelope = { correlation: 's', causation: 's', actor: merchant, merchant, commandId: `of ${to}`, recordedAt: ACCEPTED_AT };
  await store.append(to, 'no_stream', codec.encode(events, to, 'no_stream', envelope));
};

beforeAll(async () => {
  await write(paymentCodec, stream, ACME, [{ type: 'OrderAccepted', data: order }]);
  const { card, customer, merchant, orderId, clientOrderId, endpointId } = order;
  const data = { cardRefId: reference, use: 'source', orderKind: 'payment', issuedAt: ACCEPTED_AT } as const;
  await write(cardRegistrationCodec, cardReferenceStream(ACME, reference), ACME, [
    { type: 'CardReferenceIssued', data: { ...data, merchant, orderId, clientOrderId, endpointId, card, customer } },
  ]);
  const told = { factId, target: 'notify', orderStream: stream, tries: 1, status: 200, deliveredAt: ACCEPTED_AT } as const;
  await write(deliveryCodec, deliveryStream(factId, 'notify'), ACME, [{ type: 'CallbackDelivered', data: told }]);
});

type ReadModel = NonNullable<SearchPlaces['readModel']>;
const readModel = (parts: Partial<ReadModel> = {}): ReadModel => ({
  cardReferences: { byCard: () => Promise.resolve([]) },
  search: { streamsNamed: () => Promise.resolve([]) },
  operatorOrders: { byOrderId: () => Promise.resolve(undefined) },
  ...parts,
});
const find = (text: string, places: Partial<SearchPlaces> = {}) =>
  findOrders({ log: store, readModel: readModel(), merchants: [OTHER, ACME], ...places }, text);

describe('an order is found', () => {
  it.each<[string, string]>([
    ['client_orderid', order.clientOrderId],
    ['card reference', reference],
    ['delivery', factId],
    ['delivery', deliveryKey(factId, 'notify')],
  ])('by its %s, from the log, with a read model or without one', async (by, text) => {
    await expect(find(text)).resolves.toStrictEqual([{ stream, by: [by] }]);
    await expect(find(text, { readModel: undefined })).resolves.toStrictEqual([{ stream, by: [by] }]);
  });

  it('by its orderid and by its card, from the rows of the merchants asked for', async () => {
    const asked: unknown[] = [];
    const rows = readModel({
      operatorOrders: {
        byOrderId: (merchants, orderId) => {
          asked.push(merchants, orderId);
          return Promise.resolve({ stream } as Awaited<ReturnType<ReadModel['operatorOrders']['byOrderId']>>);
        },
      },
      cardReferences: {
        byCard: (merchant, uid) =>
          Promise.resolve(
            merchant === ACME && uid === ('uid' as CardUid)
              ? ([{ view: { orderKind: 'payment', clientOrderId: order.clientOrderId } }] as unknown as Awaited<
                  ReturnType<ReadModel['cardReferences']['byCard']>
                >)
              : [],
          ),
      },
    });
    await expect(find(order.orderId, { readModel: rows })).resolves.toStrictEqual([{ stream, by: ['orderid'] }]);
    expect(asked).toStrictEqual([[OTHER, ACME], order.orderId]);
    await expect(find('uid', { readModel: rows })).resolves.toStrictEqual([{ stream, by: ['card'] }]);
  });

  it('by what the search has, where it is of a merchant asked for', async () => {
    const found = readModel({ search: { streamsNamed: (text) => Promise.resolve(text === 'PNTEST-1' ? [stream] : []) } });
    const by = ['serial number, receipt or gate reference'];
    await expect(find('PNTEST-1', { readModel: found })).resolves.toStrictEqual([{ stream, by }]);
    await expect(find('PNTEST-1', { readModel: found, merchants: [OTHER] })).resolves.toStrictEqual([]);
    await expect(find('PNTEST-2', { readModel: found })).resolves.toStrictEqual([]);
  });

  it('once where an identifier names it in two ways, and every one where it names several', async () => {
    const again = recurringStream(ACME, order.clientOrderId);
    const found = readModel({ search: { streamsNamed: () => Promise.resolve([stream]) } });
    await expect(find(order.clientOrderId, { readModel: found })).resolves.toStrictEqual([
      { stream, by: ['client_orderid', 'serial number, receipt or gate reference'] },
    ]);
    const both = new MemoryEventStore(new VirtualClock());
    const envelope = { correlation: 's', causation: 's', actor: ACME, merchant: ACME, commandId: 'c', recordedAt: ACCEPTED_AT };
    for (const to of [stream, again]) {
      await both.append(to, 'no_stream', paymentCodec.encode([{ type: 'OrderAccepted', data: order }], to, 'no_stream', envelope));
    }
    const streams = (await find(order.clientOrderId, { log: both })).map((one) => one.stream);
    expect(streams).toStrictEqual([stream, again]);
  });

  it('not where nothing is named so', async () => {
    for (const nothing of ['', 'nothing', 'pzzzzzzzzzzzzzzr', 'pzzzzzzzzzzzzzzzzzzc', '6b1c2d3e-4f50-5a61-8b72-9c83ad94be06', 'a b']) {
      await expect(find(nothing)).resolves.toStrictEqual([]);
    }
    await expect(find('inv-1', { merchants: [] })).resolves.toStrictEqual([]);
  });
});
