import type { StreamName } from '@app/event-store';
import type { CardUid, Instant, MerchantLogin } from '@app/kernel';
import { NAMED_STREAMS_MAX, type OrderListQueries } from '@app/projections';
import { ordersOfCard } from './orders-of-card';

const ACME = 'acme' as MerchantLogin;
const CARD = { merchant: ACME, uid: 'uid' as CardUid, before: 1_000 as Instant };

/** An index that has orders by identifiers, each accepted at its number. */
const index = (named: Readonly<Record<string, readonly number[]>>) => {
  const pages: number[] = [];
  const ordersOf = ordersOfCard({
    search: { streamsNamed: (text: string) => Promise.resolve((named[text] ?? []).map((at) => `payment-${at}` as StreamName)) },
    cardReferences: { byCard: () => Promise.resolve([{ view: { cardRefId: 'reference' } }]) },
    orderList: {
      page: (...[{ merchant, createdTo }, { named: { streams = [] } = {} }]: Parameters<OrderListQueries['page']>) => {
        expect(merchant).toBe(ACME);
        pages.push(streams.length);
        const orders = streams.map((stream) => ({ stream, view: { acceptedAt: Number(stream.slice('payment-'.length)) } }));
        return Promise.resolve({ orders: orders.filter(({ view }) => view.acceptedAt < (createdTo ?? 0)) });
      },
    },
  } as never);
  return { ordersOf, pages };
};

describe('the earlier orders of a card', () => {
  it('are those by the card and by its references, the newest first, and none that came later', async () => {
    const { ordersOf } = index({ uid: [3, 1_000, 7, 2_000], reference: [5, 7] });
    expect(await ordersOf(CARD, 10)).toStrictEqual(['payment-7', 'payment-5', 'payment-3']);
    expect(await ordersOf(CARD, 2)).toStrictEqual(['payment-7', 'payment-5']);
  });

  it('stay the same where the card pays again, however many there are', async () => {
    const earlier = Array.from({ length: 700 }, (_, at) => at);
    const before = await index({ uid: earlier }).ordersOf(CARD, 201);
    const { ordersOf, pages } = index({ uid: [...Array.from({ length: 300 }, (_, at) => 5_000 + at), ...earlier] });
    expect(await ordersOf(CARD, 201)).toStrictEqual(before);
    expect(before[0]).toBe('payment-699');
    expect(Math.max(...pages)).toBeLessThanOrEqual(NAMED_STREAMS_MAX);
  });
});
