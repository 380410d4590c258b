import { ASYNC_FIELDS, inWireOrder, type AsyncResponse } from '@app/gateway-protocol';
import type { Answer } from './operation';

/** An accepted order's answer (interface, section 2.4); the outcome comes by status or callback. */
export const asyncAnswer = (serial: string, clientOrderId: string, orderId: string, endpointId?: string): Answer => {
  const response: AsyncResponse = {
    type: 'async-response',
    'serial-number': serial,
    'merchant-order-id': clientOrderId,
    'paynet-order-id': orderId,
    'end-point-id': endpointId,
  };
  return { kind: 'answer', pairs: inWireOrder(ASYNC_FIELDS, response) };
};
