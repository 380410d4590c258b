import { HttpStatus } from '@nestjs/common';
import { IsIn } from 'class-validator';
import { HttpReply } from '@app/http/server';
import { NAME_KINDS, type OrderIds, type OrderUnnamed } from '@app/investigation';

export const IsNameKind = (): PropertyDecorator => IsIn(NAME_KINDS, { message: `by must be one of ${NAME_KINDS.join(', ')}` });

const severalOrders = (orders: readonly OrderIds[]): string => {
  const named = orders.map(({ orderId, clientOrderId, merchant }) => `orderid ${orderId} (client_orderid ${clientOrderId} of ${merchant})`);
  return `several orders have this name: ${named.join(', ')}. Use an orderid with by=orderid, or narrow the search with by=client_orderid or merchant`;
};

export const orderUnnamed = (answer: OrderUnnamed): HttpReply =>
  answer.kind === 'unknown-order'
    ? HttpReply.json(HttpStatus.NOT_FOUND, { error: 'not found', ...(answer.index !== undefined && { index: answer.index }) })
    : HttpReply.json(HttpStatus.CONFLICT, { error: severalOrders(answer.orders) });
