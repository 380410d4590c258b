import { setTimeout as delay } from 'node:timers/promises';
import { performance } from 'node:perf_hooks';
import { built } from './built';
import { ACME } from './acme';
import { memberOf, postForm, saleFields } from './sale';

const { orderControl } = built<typeof import('@app/gateway-protocol')>('libs/gateway-protocol/index.js');
const { Secret } = built<typeof import('@app/kernel')>('libs/kernel/index.js');

const FINAL_TIMEOUT_MS = 20_000;
const FINAL_LOOK_MS = 20;
const { login, endpointId } = ACME;
const key = new Secret<string>(ACME.controlKey);

/** Makes one initial payment and its registration over HTTP, and returns the reference that recurrent payments name. */
export const registeredCard = async (port: number, clientOrderId: string): Promise<string> => {
  const sale = await postForm(port, 'sale', endpointId, saleFields(clientOrderId, { endpointId, key }));
  const orderId = memberOf(sale, 'paynet-order-id');
  const named = { login, client_orderid: clientOrderId, orderid: orderId, control: orderControl({ login, clientOrderId, orderId }, key) };
  const until = performance.now() + FINAL_TIMEOUT_MS;
  while (memberOf(await postForm(port, 'status', endpointId, named), 'status') !== 'approved') {
    if (performance.now() > until) throw new Error('the initial payment did not become final');
    await delay(FINAL_LOOK_MS);
  }
  return memberOf(await postForm(port, 'create-card-ref', endpointId, named), 'card-ref-id');
};
