import type { Operator } from '@app/configuration';
import { EndableDeadline } from '@app/kernel';
import { type ListOrders, type ListQuestion, OrderNames, type OrderUnnamed } from '@app/investigation';
import { orderUnnamed } from './unnamed-order';

const SHARED = '1048506000';
const A = { orderId: SHARED, clientOrderId: 'inv-a', merchant: 'acme' };
const B = { orderId: 'p0sample0order2r', clientOrderId: SHARED, merchant: 'acme' };
const deadline = new EndableDeadline();

const lists = {
  page: ({ identifiers, filter }: ListQuestion) =>
    Promise.resolve({
      orders: [A, B]
        .filter((view) => identifiers.order === view.orderId || identifiers.clientOrderId === view.clientOrderId)
        .filter(({ merchant }) => filter.merchant === undefined || filter.merchant === merchant)
        .map((view) => ({ stream: `payment-${view.orderId}`, view })),
    }),
} as unknown as Pick<ListOrders, 'page'>;
const names = new OrderNames({ lists, log: {} as never, readModel: { health: () => Promise.resolve([]) } });

const ANN: Operator = { name: 'ann', role: 'investigator', tokenSha256: '' };

describe('a name that is the orderid of one order and the client_orderid of another', () => {
  it('is ambiguous, and the 409 response explains how to select one order', async () => {
    const answer = (await names.one(SHARED, {}, ANN, deadline)) as OrderUnnamed;
    expect(answer).toStrictEqual({ kind: 'ambiguous', orders: [A, B] });
    const { status, body } = orderUnnamed(answer) as unknown as { readonly status: number; readonly body: string };
    expect(status).toBe(409);
    expect(JSON.parse(body)).toStrictEqual({
      error:
        'several orders have this name: orderid 1048506000 (client_orderid inv-a of acme), orderid p0sample0order2r (client_orderid 1048506000 of acme).' +
        ' Use an orderid with by=orderid, or narrow the search with by=client_orderid or merchant',
    });
  });

  it.each([
    ['orderid', A],
    ['client_orderid', B],
  ] as const)('resolves to the matching order if its kind is given as %s', async (by, { orderId, merchant }) => {
    const named = { kind: 'order', stream: `payment-${orderId}`, orderId, merchant };
    await expect(names.one(SHARED, { by }, ANN, deadline)).resolves.toStrictEqual(named);
  });
});
