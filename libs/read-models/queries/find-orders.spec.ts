import { cardReferenceStream, cardRegistrationCodec } from '@app/card-registration';
import { deliveryCodec, deliveryKey, deliveryStream } from '@app/callbacks';
import { StoreUnavailable, type AnyEvent, type EventCodec, type EventId, type Position, type StreamName } from '@app/event-store';
import { MemoryEventStore } from '@app/event-store/stores/memory';
import { StumblingStore } from '@app/event-store/testing';
import { addMs, EndableDeadline, type CardRefId, type CardUid, type MerchantLogin, type NonEmpty, type OrderId } from '@app/kernel';
import { paymentCodec, paymentStream } from '@app/payment';
import type { PaymentEvent } from '@app/payment/events';
import { recurringStream } from '@app/recurring';
import { ACCEPTED_AT, attemptEvents, sampleOrder, sampleReceipt, VirtualClock } from '@app/testing';
import { CARD_REFERENCES_MAX, findOrders, findPage, type SearchSources } from './find-orders';
import { indexReached, indexState, listState } from './index-state';

const ACME = 'acme' as MerchantLogin;
const OTHER = 'other' as MerchantLogin;
const order = sampleOrder({ orderId: 'p0sample0order1r' as OrderId });
const stream = paymentStream(ACME, order.clientOrderId);
const reference = 'p658a47wgsfirs4rvrfc' as CardRefId;
const factId = '6b1c2d3e-4f50-5a61-8b72-9c83ad94be05' as EventId;
const SERIAL = 'serial-1';
const store = new MemoryEventStore(new VirtualClock());

const write = async <Event extends AnyEvent>(
  codec: EventCodec<Event>,
  to: StreamName,
  merchant: MerchantLogin,
  events: NonEmpty<Event>,
): Promise<void> => {
  const envelope = { correlation: SERIAL, causation: 's', actor: merchant, merchant, commandId: `of ${to}`, recordedAt: ACCEPTED_AT };
  await store.append(to, 'no_stream', codec.encode(events, to, 'no_stream', envelope));
};

beforeAll(async () => {
  const approved = attemptEvents.approved({ receipt: sampleReceipt({ transactionId: 'PNTEST-1' }) });
  await write(paymentCodec, stream, ACME, [{ type: 'OrderAccepted', data: order }, attemptEvents.started(), approved]);
  const { card, customer, merchant, orderId, clientOrderId, endpointId } = order;
  const data = { cardRefId: reference, use: 'source', orderKind: 'payment', issuedAt: ACCEPTED_AT } as const;
  await write(cardRegistrationCodec, cardReferenceStream(ACME, reference), ACME, [
    { type: 'CardReferenceIssued', data: { ...data, merchant, orderId, clientOrderId, endpointId, card, customer } },
  ]);
  const delivered = { factId, target: 'notify', orderStream: stream, tries: 1, status: 200, deliveredAt: ACCEPTED_AT } as const;
  await write(deliveryCodec, deliveryStream(factId, 'notify'), ACME, [{ type: 'CallbackDelivered', data: delivered }]);
});

type ReadModel = NonNullable<SearchSources['readModel']>;
const readModel = (parts: Partial<ReadModel> = {}): ReadModel => ({
  cardReferences: { byCard: () => Promise.resolve([]) },
  search: { streamsNamed: () => Promise.resolve([]) },
  operatorOrders: { byOrderId: () => Promise.resolve(undefined), ofMerchants: () => Promise.resolve(new Set()) },
  ...parts,
});
const find = (text: string, sources: Partial<SearchSources> = {}) =>
  findOrders({ log: store, readModel: readModel(), merchants: [OTHER, ACME], ...sources }, text);

describe('findOrders', () => {
  it.each<[string, string]>([
    ['client_orderid', order.clientOrderId],
    ['card reference', reference],
    ['delivery', factId],
    ['delivery', deliveryKey(factId, 'notify')],
  ])('finds an order by its %s from the log, with or without a read model', async (by, text) => {
    await expect(find(text)).resolves.toStrictEqual([{ stream, by: [by] }]);
    await expect(find(text, { readModel: undefined })).resolves.toStrictEqual([{ stream, by: [by] }]);
  });

  it('stops at the deadline of the caller, before it reads the streams from the index', async () => {
    const deadline = new EndableDeadline();
    const asked: unknown[] = [];
    const search = {
      streamsNamed: (_text: string, options?: object) => {
        asked.push(options);
        deadline.end();
        return Promise.resolve([stream]);
      },
    };
    const sources = { log: store, readModel: readModel({ search }), merchants: [ACME] };
    await expect(findPage(sources, 'PNTEST-1', { limit: 5, deadline })).rejects.toThrow(StoreUnavailable);
    expect(asked).toStrictEqual([{ limit: 6, deadline }]);
    await expect(findPage(sources, 'PNTEST-1', { deadline })).rejects.toThrow(StoreUnavailable);
    expect(asked).toHaveLength(1);
  });

  it('finds an order by its orderid and by its card, from the rows of the given merchants', async () => {
    const asked: unknown[] = [];
    const rows = readModel({
      operatorOrders: {
        byOrderId: (merchants, orderId) => {
          asked.push(merchants, orderId);
          return Promise.resolve({ stream } as Awaited<ReturnType<ReadModel['operatorOrders']['byOrderId']>>);
        },
        ofMerchants: () => Promise.resolve(new Set()),
      },
      cardReferences: {
        byCard: (merchant, uid) =>
          Promise.resolve(
            merchant === ACME && uid === ('uid' as CardUid)
              ? ([{ view: { cardRefId: reference, orderKind: 'payment', clientOrderId: order.clientOrderId } }] as unknown as Awaited<
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

  it('finds an order by an index entry if the order belongs to a given merchant', async () => {
    const found = readModel({ search: { streamsNamed: (text) => Promise.resolve(text === 'PNTEST-1' ? [stream] : []) } });
    const by = ['serial number, receipt or gate reference'];
    await expect(find('PNTEST-1', { readModel: found })).resolves.toStrictEqual([{ stream, by }]);
    await expect(find('PNTEST-1', { readModel: found, merchants: [OTHER] })).resolves.toStrictEqual([]);
    await expect(find('PNTEST-2', { readModel: found })).resolves.toStrictEqual([]);
  });

  it('ignores an index entry that the stream of the order contradicts', async () => {
    const rotten = readModel({ search: { streamsNamed: () => Promise.resolve([stream, paymentStream(ACME, 'nothing' as never)]) } });
    await expect(find('PNTEST-1', { readModel: rotten })).resolves.toMatchObject([{ stream }]);
    await expect(find('PNTEST-9', { readModel: rotten })).resolves.toStrictEqual([]);
  });

  it('finds an order by an index entry if its stream cannot be read to the end', async () => {
    const events = [];
    for await (const event of store.read(stream)) events.push(event);
    const [first, second, third] = events;
    if (first === undefined || second === undefined || third === undefined) throw new Error('three events are expected');
    const broken = async function* () {
      yield* await Promise.resolve([first, { ...second, data: second.data.replace('sim-a', 'sim-b') }, third]);
    };
    const log: SearchSources['log'] = { read: (name) => (name === stream ? broken() : store.read(name)) };
    const found = readModel({ search: { streamsNamed: () => Promise.resolve([stream]) } });
    expect((await findPage({ log, readModel: found, merchants: [ACME] }, 'PNTEST-1'))?.found).toContainEqual({
      stream,
      by: ['serial number, receipt or gate reference'],
    });
  });

  it('throws StoreUnavailable instead of trusting an index entry while the log is unavailable', async () => {
    const named = readModel({ search: { streamsNamed: () => Promise.resolve([stream]) } });
    const log = new StumblingStore(store);
    log.isAway = true;
    await expect(find('444443', { log, readModel: named })).rejects.toThrow(new StoreUnavailable('away'));
  });

  it('lists an order once if an identifier names it in two ways, and every order that the identifier names', async () => {
    const again = recurringStream(ACME, order.clientOrderId);
    const twofold = paymentStream(ACME, SERIAL as never);
    await write(paymentCodec, twofold, ACME, [{ type: 'OrderAccepted', data: { ...order, clientOrderId: SERIAL as never } }]);
    const found = readModel({ search: { streamsNamed: () => Promise.resolve([twofold]) } });
    await expect(find(SERIAL, { readModel: found })).resolves.toStrictEqual([
      { stream: twofold, by: ['client_orderid', 'serial number, receipt or gate reference'] },
    ]);
    const both = new MemoryEventStore(new VirtualClock());
    const envelope = { correlation: 's', causation: 's', actor: ACME, merchant: ACME, commandId: 'c', recordedAt: ACCEPTED_AT };
    for (const to of [stream, again]) {
      await both.append(to, 'no_stream', paymentCodec.encode([{ type: 'OrderAccepted', data: order }], to, 'no_stream', envelope));
    }
    const streams = (await find(order.clientOrderId, { log: both })).map((one) => one.stream);
    expect(streams).toStrictEqual([stream, again]);
  });

  it('finds nothing for an unknown identifier', async () => {
    for (const nothing of ['', 'nothing', 'pzzzzzzzzzzzzzzr', 'pzzzzzzzzzzzzzzzzzzc', '6b1c2d3e-4f50-5a61-8b72-9c83ad94be06', 'a b']) {
      await expect(find(nothing)).resolves.toStrictEqual([]);
    }
    await expect(find('inv-1', { merchants: [] })).resolves.toStrictEqual([]);
  });
});

describe('findPage for a card with many orders', () => {
  const UID = 'u234567abcdefghijkmn' as CardUid;
  const ORDERS = Array.from({ length: 25 }, (_, number) => paymentStream(ACME, `of-card-${number}` as never)).sort();
  const INDEX: Readonly<Record<string, readonly StreamName[]>> = {
    [UID]: ORDERS.slice(0, 9),
    [reference]: [...ORDERS.slice(7)].sort(),
    nothing: [],
  };
  const log = new MemoryEventStore(new VirtualClock());
  beforeAll(async () => {
    const envelope = { correlation: 's', causation: 's', actor: ACME, merchant: ACME, recordedAt: ACCEPTED_AT };
    for (const to of ORDERS) {
      const accepted = { type: 'OrderAccepted' as const, data: { ...order, card: { ...order.card, uid: UID } } };
      const receipt = sampleReceipt({ transactionId: INDEX[reference]?.includes(to) === true ? reference : 'PNTEST-1' });
      const events: NonEmpty<PaymentEvent> = [accepted, attemptEvents.started(), attemptEvents.approved({ receipt })];
      await log.append(to, 'no_stream', paymentCodec.encode(events, to, 'no_stream', { ...envelope, commandId: to }));
    }
  });
  const rows = readModel({
    search: {
      streamsNamed: (identifier, { from, limit = 100 } = {}) =>
        Promise.resolve((INDEX[identifier] ?? []).filter((name) => from === undefined || name >= from).slice(0, limit)),
    },
    cardReferences: {
      byCard: (merchant, uid) =>
        Promise.resolve(
          (merchant === ACME && uid === UID
            ? [{ view: { cardRefId: reference, orderKind: 'payment', clientOrderId: 'of-card-0' } }]
            : []) as never,
        ),
    },
  });
  const sources = { log, readModel: rows, merchants: [ACME] };

  it.each([UID, reference])('finds every order by %s, in pages of any size', async (text) => {
    const wanted = text === UID ? ORDERS : ORDERS.slice(7);
    for (const limit of [1, 2, 7, 8, 24, 25, 100]) {
      const delivered: StreamName[] = [];
      let after: string | undefined;
      for (let pages = 0; pages <= 30; pages++) {
        const page = await findPage(sources, text, { limit, ...(after !== undefined && { after }) });
        delivered.push(...(page?.found ?? []).map(({ stream: name }) => name));
        after = page?.next;
        if (after === undefined) break;
      }
      // The order that registered the card is listed first, and again if the index has it.
      expect([limit, [...new Set(delivered)].sort()]).toStrictEqual([limit, wanted]);
      expect(delivered.length - new Set(delivered).size).toBeLessThanOrEqual(1);
    }
  });

  it.each([CARD_REFERENCES_MAX, CARD_REFERENCES_MAX + 1])(
    'reports whether the card has more references than the search reads: %d',
    async (count) => {
      const asked: number[] = [];
      const issued = Array.from({ length: count }, (_, number) => ({
        view: { cardRefId: `${reference}-${number}`, orderKind: 'payment', clientOrderId: 'of-card-0' },
      }));
      const many: ReadModel = {
        ...rows,
        cardReferences: {
          byCard: (merchant, _uid, limit) => {
            asked.push(limit);
            return Promise.resolve((merchant === ACME ? issued.slice(0, limit) : []) as never);
          },
        },
      };
      const page = await findPage({ ...sources, readModel: many, merchants: [ACME, OTHER] }, UID);
      expect(page?.areReferencesCut).toBe(count > CARD_REFERENCES_MAX);
      expect(asked).toStrictEqual([CARD_REFERENCES_MAX + 1, 1]);
    },
  );

  it('reports the kind of identifier that matched each order', async () => {
    const [first] = (await findPage(sources, UID, { limit: 1 }))?.found ?? [];
    expect(first?.by).toStrictEqual(['card']);
    const page = await findPage(sources, reference, { limit: 100 });
    expect(page?.found.at(-1)?.by).toStrictEqual(['card reference']);
  });

  it.each(['', 'x', '%', 'AAAA', 'x'.repeat(700)])('returns no page after the invalid cursor %j', async (after) => {
    await expect(findPage(sources, UID, { after })).resolves.toBeUndefined();
  });

  it('ends a limited page where no further order of the given merchants has the identifier', async () => {
    const ofAcme = new Set(ORDERS.slice(3, 5));
    const operatorOrders: ReadModel['operatorOrders'] = {
      byOrderId: () => Promise.resolve(undefined),
      ofMerchants: (merchants, streams) => Promise.resolve(new Set(streams.filter((one) => merchants.includes(ACME) && ofAcme.has(one)))),
    };
    const limited = { ...sources, readModel: { ...rows, operatorOrders }, isLimited: true };
    const streamsOf = async (limit: number, after?: string) => {
      const page = await findPage(limited, 'card-of-acme', { limit, ...(after !== undefined && { after }) });
      return { found: page?.found.map(({ stream: name }) => name), next: page?.next };
    };
    jest
      .spyOn(rows.search, 'streamsNamed')
      .mockImplementation((_text, { from, limit = 100 } = {}) =>
        Promise.resolve(ORDERS.filter((name) => from === undefined || name >= from).slice(0, limit)),
      );
    jest.spyOn(log, 'read');
    const first = await streamsOf(1);
    expect(first.next).toBe(Buffer.from(`card-of-acme ${ORDERS[4]}`).toString('base64url'));
    expect((await streamsOf(1, first.next)).next).toBeUndefined();
    expect((await streamsOf(2)).next).toBeUndefined();
    await expect(findPage({ ...limited, merchants: [OTHER] }, 'card-of-acme', { limit: 1 })).resolves.toMatchObject({
      found: [],
      next: undefined,
    });
    for (const stream of ORDERS.filter((name) => !ofAcme.has(name))) expect(log.read).not.toHaveBeenCalledWith(stream, expect.anything());
    jest.restoreAllMocks();
  });

  it('finds no order of another merchant, even with a cursor of the first merchant', async () => {
    const { next } = (await findPage(sources, UID, { limit: 2 })) ?? {};
    await expect(findPage({ ...sources, merchants: [OTHER] }, UID, { after: next ?? '' })).resolves.toStrictEqual({
      found: [],
      next: undefined,
      areReferencesCut: false,
    });
  });
});

describe('index of orders', () => {
  it('is missing, behind or level with the order events of the log, regardless of other events', async () => {
    const log = new MemoryEventStore(new VirtualClock());
    const envelope = { correlation: 's', causation: 's', actor: ACME, merchant: ACME, commandId: 'c', recordedAt: ACCEPTED_AT };
    await log.append(stream, 'no_stream', paymentCodec.encode([{ type: 'OrderAccepted', data: order }], stream, 'no_stream', envelope));
    const head = await log.head();
    await expect(indexState(log, undefined)).resolves.toBe('missing');
    await expect(indexState(log, head)).resolves.toBe('level');
    const other = deliveryStream(factId, 'notify');
    const delivered = { factId, target: 'notify', orderStream: stream, tries: 1, status: 200, deliveredAt: ACCEPTED_AT } as const;
    await log.append(
      other,
      'no_stream',
      deliveryCodec.encode([{ type: 'CallbackDelivered', data: delivered }], other, 'no_stream', envelope),
    );
    await expect(indexState(log, head)).resolves.toBe('level');
    const subscribed = jest.spyOn(log, 'subscribe');
    await expect(indexState(log, head)).resolves.toBe('level');
    // The other event was looked at once.
    expect(subscribed.mock.calls.map(([, after]) => after)).toStrictEqual([await log.head()]);
    const again = recurringStream(ACME, order.clientOrderId);
    await log.append(again, 'no_stream', paymentCodec.encode([{ type: 'OrderAccepted', data: order }], again, 'no_stream', envelope));
    await expect(indexState(log, head)).resolves.toBe('behind');
    await expect(indexState(log, await log.head())).resolves.toBe('level');
    await expect(listState(log, head, addMs(ACCEPTED_AT, 2_000))).resolves.toBe('level');
    await expect(listState(log, head, addMs(ACCEPTED_AT, 2_001))).resolves.toBe('behind');
  });

  describe('indexReached', () => {
    const behind = async (place: (look: number) => number | undefined) => {
      const clock = new VirtualClock();
      const log = new MemoryEventStore(clock);
      const envelope = { correlation: 's', causation: 's', actor: ACME, merchant: ACME, commandId: 'c', recordedAt: ACCEPTED_AT };
      const positions: Position[] = [];
      const grow = async () => {
        const to = paymentStream(ACME, `order-${positions.length}` as typeof order.clientOrderId);
        const grown = paymentCodec.encode([{ type: 'OrderAccepted', data: order }], to, 'no_stream', envelope);
        await log.append(to, 'no_stream', grown);
        positions.push(await log.head());
      };
      for (let count = 0; count < 3; count++) await grow();
      let looks = 0;
      const checkpoint = async () => {
        await grow();
        const at = place(looks++);
        return at === undefined ? undefined : positions.at(at);
      };
      return indexReached(log, checkpoint, { after: (_delayMs, run) => (void run(), { cancel: () => undefined }) });
    };

    it('returns level once the index has reached the initial head, even if the log grows', async () => {
      await expect(behind(() => -2)).resolves.toBe('level');
    });

    it('returns behind if the index makes no progress', async () => {
      await expect(behind(() => 0)).resolves.toBe('behind');
    });

    it('returns missing if the index was never built or is removed', async () => {
      await expect(behind(() => undefined)).resolves.toBe('missing');
      await expect(behind((look) => (look === 0 ? 0 : undefined))).resolves.toBe('missing');
    });

    it('returns level at once if the index is level', async () => {
      await expect(behind(() => -1)).resolves.toBe('level');
    });
  });
});
