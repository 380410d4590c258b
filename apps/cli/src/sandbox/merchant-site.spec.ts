import { callbackControl } from '@app/gateway-protocol';
import { Secret } from '@app/kernel';
import { freePort } from './settings';
import { MerchantSite } from './merchant-site';

const KEY = new Secret('B17F59B4-A7DC-41B4-8FF9-37D986B43D20');
const BODY_BYTES_MAX = 1_048_576;

let site: MerchantSite;
let port: number;
beforeEach(async () => {
  port = await freePort('CALLBACK_PORT', 0);
  site = await MerchantSite.open(port, KEY);
});
afterEach(() => site.close());

const NAMED = { status: 'approved', orderId: 'p0sample0order1r', clientOrderId: 'inv-1' };
const callbackOf = (bytes: number): string => {
  const { status, orderId: orderid, clientOrderId: client_orderid } = NAMED;
  const text = (padding: string): string =>
    JSON.stringify({ status, orderid, client_orderid, control: callbackControl(NAMED, KEY), padding });
  return text('x'.repeat(bytes - text('').length));
};
const post = async (body: string): Promise<number> => (await fetch(`http://127.0.0.1:${port}/callback`, { method: 'POST', body })).status;

it('accepts an authentic callback of the maximum size and stores it for its order', async () => {
  expect(await post(callbackOf(BODY_BYTES_MAX))).toBe(200);
  expect(await site.callbackOf(NAMED.orderId, 0)).toMatchObject({ isAuthentic: true });
});

it('returns 400 for a larger callback and does not store it', async () => {
  expect(await post(callbackOf(BODY_BYTES_MAX + 1))).toBe(400);
  expect(await site.callbackOf(NAMED.orderId, 0)).toBeUndefined();
});

it('rejects a wait for a callback once the site is closed', async () => {
  await site.close();
  await expect(site.callbackOf(NAMED.orderId, 60_000)).rejects.toThrow(new Error('the merchant’s site is closed'));
});
