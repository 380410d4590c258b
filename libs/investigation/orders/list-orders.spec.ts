import { createHash, createHmac } from 'node:crypto';
import { MemoryEventStore } from '@app/event-store/stores/memory';
import { streamName, type StreamName } from '@app/event-store';
import { VirtualClock } from '@app/testing';
import { emailDigest } from '@app/card-vault';
import type { CardRefId, Instant, MerchantLogin } from '@app/kernel';
import { streamsOfEachKind } from '@app/read-models/queries';
import { LOOKED_AT_MAX, NAMED_STREAMS_MAX, type Named } from '@app/read-models';
import fc from 'fast-check';
import {
  CARD_REFERENCES_MAX,
  ListOrders,
  type ListOrdersPorts,
  questionDigest,
  readCursor,
  writeCursor,
  type Identifiers,
} from './list-orders';

const ACME = 'acme' as MerchantLogin;
const ORDER = 'pabcdefghijklmnr';
const CARD_REFERENCE = 'p658a47wgsfirs4rvrfc';
const stream = (number: number): StreamName => streamName('payment', 'acme', String(number));
const digests = {
  onceKey: (kind: string, parts: readonly string[]) =>
    createHash('sha256')
      .update(JSON.stringify([kind, ...parts]))
      .digest('hex'),
};

const world = (
  index: Readonly<Record<string, readonly StreamName[]>> = {},
  merchants: readonly MerchantLogin[] = [ACME],
  references: readonly string[] = [CARD_REFERENCE],
) => {
  const narrowed: (Named | undefined)[] = [];
  const readModel = {
    orderList: {
      page: (_filter: unknown, { named }: { named?: Named }) => {
        narrowed.push(named);
        return Promise.resolve({ orders: [], next: { createdAt: 5 as Instant, stream: stream(5) }, isCutShort: false });
      },
    },
    search: { streamsNamed: (text: string, { limit }: { limit: number }) => Promise.resolve((index[text] ?? []).slice(0, limit)) },
    cardReferences: {
      byCard: (merchant: MerchantLogin, _uid: unknown, limit: number) =>
        Promise.resolve(
          merchant === ACME ? references.slice(0, limit).map((cardRefId) => ({ view: { cardRefId: cardRefId as CardRefId } })) : [],
        ),
    },
    operatorOrders: { byOrderId: (_merchants: unknown, id: string) => Promise.resolve(id === ORDER ? { stream: stream(1) } : undefined) },
  };
  const log = new MemoryEventStore(new VirtualClock());
  const lists = new ListOrders({ log, readModel, digests, accounts: { logins: merchants } } as unknown as ListOrdersPorts);
  const namedBy = async (identifiers: Identifiers, merchant?: MerchantLogin): Promise<Named | undefined> => {
    await lists.page({ filter: merchant === undefined ? {} : { merchant }, identifiers }, { limit: 1 });
    return narrowed.at(-1);
  };
  return { lists, namedBy };
};

const MANY = Array.from({ length: NAMED_STREAMS_MAX + 1 }, (_, number) => stream(number));

describe('ListOrders by identifiers', () => {
  it('reads up to five hundred references of a card, and reports that the list is cut if there are more', async () => {
    const references = Array.from({ length: CARD_REFERENCES_MAX + 1 }, (_, at) => `reference-${at}`);
    const entries = { [`reference-${CARD_REFERENCES_MAX - 1}`]: [stream(1)], [`reference-${CARD_REFERENCES_MAX}`]: [stream(2)] };
    for (const count of [CARD_REFERENCES_MAX, CARD_REFERENCES_MAX + 1]) {
      const { lists, namedBy } = world(entries, [ACME], references.slice(0, count));
      expect(await namedBy({ card: 'uid' })).toStrictEqual({ streams: [stream(1)], carrying: [] });
      const page = await lists.page({ filter: {}, identifiers: { card: 'uid' } }, { limit: 1 });
      expect(page?.areReferencesCut).toBe(count > CARD_REFERENCES_MAX);
    }
  });

  it('lists all orders if no identifier is given', async () => {
    expect(await world().namedBy({})).toStrictEqual({ carrying: [] });
  });

  it('lists the order with an orderid, and nothing for an unknown orderid', async () => {
    expect(await world().namedBy({ order: ORDER })).toStrictEqual({ streams: [stream(1)], carrying: [] });
    expect(await world().namedBy({ order: 'pabcdefghijklmzr' })).toStrictEqual({ streams: [], carrying: [] });
    expect(await world().namedBy({ order: '1; drop table' })).toStrictEqual({ streams: [], carrying: [] });
  });

  it('lists the streams of a client_orderid at each merchant, or at the given merchant', async () => {
    const other = 'other' as MerchantLogin;
    const { namedBy } = world({}, [ACME, other]);
    const streams = [ACME, other].flatMap((merchant) => streamsOfEachKind(merchant, 'shop-1' as never));
    expect(await namedBy({ clientOrderId: 'shop-1' })).toStrictEqual({ streams, carrying: [] });
    expect(await namedBy({ invoiceId: 'shop-1' }, other)).toStrictEqual({ streams: streams.slice(4), carrying: [] });
  });

  it.each<[keyof Identifiers, string, string]>([
    ['correlation', 's-1', 's-1'],
    ['receipt', 'r-1', 'r-1'],
    ['rrn', '123', '123'],
    ['reference', 'PN-1', 'PN-1'],
    ['approvalCode', 'A1', 'approval:A1'],
    ['cardMask', '4444331111', 'mask:444433-1111'],
    ['lastFour', '1111', 'last-four:1111'],
    ['operator', 'kim', 'actor:operator:kim'],
    ['email', ' Jane@Example.com', `email:${emailDigest(digests, 'jane@example.com')}`],
    ['cardReference', CARD_REFERENCE, CARD_REFERENCE],
    ['card', 'uid', CARD_REFERENCE],
  ])('lists the orders that the index names: %s', async (kind, text, identifier) => {
    expect(await world({ [identifier]: [stream(2)] }).namedBy({ [kind]: text })).toStrictEqual({ streams: [stream(2)], carrying: [] });
    expect(await world({ none: [stream(2)] }).namedBy({ [kind]: text })).toStrictEqual({ streams: [], carrying: [] });
  });

  it('lists only the orders that match all identifiers', async () => {
    const { namedBy } = world({ 's-1': [stream(1), stream(2)], '123': [stream(2), stream(3)] });
    expect(await namedBy({ correlation: 's-1', rrn: '123' })).toStrictEqual({ streams: [stream(2)], carrying: [] });
  });

  it('filters by the index if an identifier matches too many streams to list', async () => {
    const { namedBy } = world({ 'mask:444433-1111': MANY, 's-1': [stream(1)] });
    const carried = { identifiers: ['mask:444433-1111'], others: [] };
    expect(await namedBy({ cardMask: '4444331111' })).toStrictEqual({ carrying: [carried] });
    expect(await namedBy({ cardMask: '4444331111', correlation: 's-1' })).toStrictEqual({ streams: [stream(1)], carrying: [carried] });
  });

  it('continues after its own cursor, and refuses the cursor of another query', async () => {
    const { lists } = world();
    const question = { filter: { merchant: ACME }, identifiers: {} };
    const first = await lists.page(question, { limit: 1 });
    expect(first?.next).toBeDefined();
    await expect(lists.page(question, { limit: 1, cursor: first?.next })).resolves.toMatchObject({ digest: first?.digest });
    await expect(lists.page({ filter: {}, identifiers: {} }, { limit: 1, cursor: first?.next })).resolves.toBeUndefined();
  });
});

describe('ListOrders by a notice', () => {
  const notice = (count: number) => {
    const orders = Array.from({ length: count }, (_, number) => ({
      stream: stream(count - number),
      view: { acceptedAt: count - number, gate: { descriptor: number % 3 === 0 ? 'SHOP RIGA' : 'SHOP OSLO' }, followUps: [] },
    }));
    const readModel = {
      orderList: {
        page: (_filter: unknown, { limit, after }: { limit: number; after?: { createdAt: Instant } }) => {
          const rest = orders.filter(({ view }) => after === undefined || view.acceptedAt < after.createdAt);
          const [last] = rest.slice(0, limit).slice(-1);
          const next = rest.length > limit && last ? { createdAt: last.view.acceptedAt as Instant, stream: last.stream } : undefined;
          return Promise.resolve({ orders: rest.slice(0, limit), next, isCutShort: false });
        },
      },
    };
    return new ListOrders({ readModel, digests, accounts: { logins: [ACME] } } as unknown as ListOrdersPorts);
  };
  const question = { filter: {}, identifiers: {}, notice: { descriptor: 'riga' } };

  it('lists each matching order once, page by page, with many other orders between them', async () => {
    const lists = notice(2_000);
    const found: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await lists.page(question, { limit: 100, cursor });
      found.push(...(page?.orders ?? []).map((order) => order.stream));
      cursor = page?.next;
    } while (cursor !== undefined);
    expect(found).toStrictEqual(Array.from({ length: 667 }, (_, number) => stream(2_000 - 3 * number)));
  });

  it('ends a page early, and says so, after reading the maximum number of orders', async () => {
    const page = await notice(LOOKED_AT_MAX + 10).page({ ...question, notice: { descriptor: 'bergen' } }, { limit: 1 });
    expect(page).toMatchObject({ orders: [], isCutShort: true, next: expect.any(String) as string });
  });
});

describe('list cursors', () => {
  const digestsOf = (key: string) => ({
    onceKey: (kind: string, parts: readonly string[]) =>
      createHmac('sha256', key)
        .update(JSON.stringify([kind, ...parts]))
        .digest('hex'),
  });
  const digests = digestsOf('ours');
  const question = questionDigest(digests, { filter: { merchant: 'acme' as MerchantLogin }, identifiers: { email: 'jane@example.com' } });
  const place = fc
    .tuple(fc.nat(4_102_444_800_000), fc.string())
    .map(([createdAt, id]) => ({ createdAt: createdAt as Instant, stream: streamName('payment', id) }));

  describe('readCursor', () => {
    it('returns the position that was written', () => {
      fc.assert(fc.property(place, (one) => expect(readCursor(digests, writeCursor(digests, one, question), question)).toStrictEqual(one)));
    });

    it('refuses a cursor with any changed character', () => {
      fc.assert(
        fc.property(place, fc.nat(), fc.constantFrom(...'aZ09_-.'), (one, at, character) => {
          const written = writeCursor(digests, one, question);
          const index = at % written.length;
          const changed = written.slice(0, index) + character + written.slice(index + 1);
          fc.pre(changed !== written);
          expect(readCursor(digests, changed, question)).toBeUndefined();
        }),
      );
    });

    it('refuses a cursor of another query or another service, and any other text', () => {
      fc.assert(
        fc.property(place, fc.string({ maxLength: 500 }), (one, text) => {
          const written = writeCursor(digests, one, question);
          const other = questionDigest(digests, { filter: { merchant: 'other' as MerchantLogin }, identifiers: {} });
          expect(readCursor(digests, written, other)).toBeUndefined();
          expect(readCursor(digestsOf('theirs'), written, question)).toBeUndefined();
          expect(readCursor(digests, text, question)).toBeUndefined();
        }),
      );
    });
  });

  describe('questionDigest', () => {
    it('is independent of member order, and differs for another value or name', () => {
      const merchant = 'acme' as MerchantLogin;
      const one = questionDigest(digests, { filter: { merchant, status: 'approved' }, identifiers: { rrn: '1' } });
      expect(questionDigest(digests, { identifiers: { rrn: '1' }, filter: { status: 'approved', merchant } })).toBe(one);
      for (const identifiers of [{ rrn: '2' }, { receipt: '1' }, {}])
        expect(questionDigest(digests, { filter: { merchant, status: 'approved' }, identifiers })).not.toBe(one);
    });
  });
});
