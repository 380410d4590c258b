import type { StreamName } from '@app/event-store';
import type { CardUid, Instant, MerchantLogin } from '@app/kernel';
import { NAMED_STREAMS_MAX, type OrderListQueries, type ReadModel } from '@app/read-models';
import { NAMED_MAX, ordersOfCard, REFERENCES_MAX } from './earlier-orders';

const ACME = 'acme' as MerchantLogin;
const CARD = { merchant: ACME, uid: 'uid' as CardUid, before: 1_000 as Instant };

const index = (named: Readonly<Record<string, readonly number[]>>, references: readonly string[] = ['reference']) => {
  const pages: number[] = [];
  const readModel = {
    search: {
      streamsNamed: (text: string, { limit }: { limit: number }) =>
        Promise.resolve((named[text] ?? []).slice(0, limit).map((at) => `payment-${at}` as StreamName)),
    },
    cardReferences: {
      byCard: (_merchant: unknown, _uid: unknown, limit: number, issuedBefore: Instant) => {
        expect(issuedBefore).toBe(CARD.before);
        return Promise.resolve(references.slice(0, limit).map((cardRefId) => ({ view: { cardRefId } })));
      },
    },
    orderList: {
      page: (...[{ merchant, createdTo }, { named: { streams = [] } = {} }]: Parameters<OrderListQueries['page']>) => {
        expect(merchant).toBe(ACME);
        pages.push(streams.length);
        const orders = streams.map((stream) => ({ stream, view: { acceptedAt: Number(stream.slice('payment-'.length)) } }));
        return Promise.resolve({ orders: orders.filter(({ view }) => view.acceptedAt < (createdTo ?? 0)) });
      },
    },
  } as unknown as ReadModel;
  const ordersOf = (card: typeof CARD, limit: number) => ordersOfCard(readModel, { ...card, limit });
  return { ordersOf, pages };
};

describe('ordersOfCard', () => {
  it('returns earlier orders by the card and by its references, newest first, and no later orders', async () => {
    const { ordersOf } = index({ uid: [3, 1_000, 7, 2_000], reference: [5, 7] });
    expect(await ordersOf(CARD, 10)).toStrictEqual({ streams: ['payment-7', 'payment-5', 'payment-3'], isCut: false });
    expect(await ordersOf(CARD, 2)).toStrictEqual({ streams: ['payment-7', 'payment-5'], isCut: true });
  });

  it('returns the same earlier orders if the card pays again many times', async () => {
    const earlier = Array.from({ length: 700 }, (_, at) => at);
    const before = await index({ uid: earlier }).ordersOf(CARD, 201);
    const { ordersOf, pages } = index({ uid: [...Array.from({ length: 300 }, (_, at) => 5_000 + at), ...earlier] });
    expect(await ordersOf(CARD, 201)).toStrictEqual(before);
    expect(before.streams[0]).toBe('payment-699');
    expect(Math.max(...pages)).toBeLessThanOrEqual(NAMED_STREAMS_MAX);
  });

  it('reads up to a thousand references, and reports that the list is cut if there are more', async () => {
    const references = Array.from({ length: REFERENCES_MAX + 1 }, (_, at) => `reference-${at}`);
    const named = { [`reference-${REFERENCES_MAX - 1}`]: [3], [`reference-${REFERENCES_MAX}`]: [4] };
    const ordersOf = (count: number) => index(named, references.slice(0, count)).ordersOf(CARD, 10);
    expect(await ordersOf(REFERENCES_MAX)).toStrictEqual({ streams: ['payment-3'], isCut: false });
    expect(await ordersOf(REFERENCES_MAX + 1)).toStrictEqual({ streams: ['payment-3'], isCut: true });
  });

  it('reports that the list is cut if the index names more orders than are read', async () => {
    const orders = Array.from({ length: NAMED_MAX + 1 }, (_, at) => 5_000 + at);
    expect(await index({ uid: orders }).ordersOf(CARD, 10)).toStrictEqual({ streams: [], isCut: true });
    expect(await index({ uid: orders.slice(1) }).ordersOf(CARD, 10)).toStrictEqual({ streams: [], isCut: false });
  });
});
