import { HttpStatus } from '@nestjs/common';
import { HttpReply } from '@app/http/server';
import type { OrderIds, OrderUnnamed } from '@app/investigation';

const severalOrders = (orders: readonly OrderIds[]): string => {
  const named = orders.map(({ orderId, clientOrderId, merchant }) => `orderid ${orderId} (client_orderid ${clientOrderId} of ${merchant})`);
  return `several orders have this name: ${named.join(', ')}. Use an orderid with by=orderid, or narrow the search with by=client_orderid or merchant`;
};

export const orderUnnamed = (answer: OrderUnnamed): HttpReply =>
  answer.kind === 'unknown-order'
    ? HttpReply.json(HttpStatus.NOT_FOUND, { error: 'not found', ...(answer.index !== undefined && { index: answer.index }) })
    : HttpReply.json(HttpStatus.CONFLICT, { error: severalOrders(answer.orders) });
