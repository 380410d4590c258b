import { customerOrders } from './erasure';

const order = (orderId: string) => ({ orderId, clientOrderId: `c-${orderId}`, status: 'approved' });

describe('the orders of a payer', () => {
  it('are read page by page without duplicates until a page has no next cursor', async () => {
    const asked: object[] = [];
    const pages = [{ orders: [order('a'), order('b')], next: '10' }, { orders: [], next: '20' }, { orders: [order('b'), order('c')] }];
    const ask = (action: object): Promise<unknown> => Promise.resolve(pages[asked.push(action) - 1]);
    const found: string[] = [];
    for await (const { orderId } of customerOrders(ask, { merchant: 'acme' })) found.push(orderId);
    expect(found).toStrictEqual(['a', 'b', 'c']);
    expect(asked).toStrictEqual([{ merchant: 'acme' }, { merchant: 'acme', after: '10' }, { merchant: 'acme', after: '20' }]);
  });
});
