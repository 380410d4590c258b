import { ASYNC_FIELDS, inWireOrder, type AsyncResponse } from '@app/gateway-protocol';
import type { Accepted } from './answer';

/** The fields of the answer to an accepted request (interface, section 2.4). */
export const asyncAnswer = (serial: string, { clientOrderId, orderId, endpointId }: Accepted): readonly (readonly [string, string])[] => {
  const response: AsyncResponse = {
    type: 'async-response',
    'serial-number': serial,
    'merchant-order-id': clientOrderId,
    'paynet-order-id': orderId,
    'end-point-id': endpointId,
  };
  return inWireOrder(ASYNC_FIELDS, response);
};
