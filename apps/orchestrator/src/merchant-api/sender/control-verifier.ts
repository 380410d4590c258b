import { isControl, orderControl } from '@app/gateway-protocol';
import type { ControlProof } from '../answers/answer';

/** Login, client_orderid and orderid: card registration v2 and order status (interface, section 5.1). */
export const ORDER_PROOF: ControlProof = {
  kind: 'control',
  hasLogin: true,
  isSigned: ({ form }, key) => {
    const named = { login: form.text('login'), clientOrderId: form.text('client_orderid'), orderId: form.text('orderid') };
    return isControl(orderControl(named, key), form.text('control'));
  },
};
