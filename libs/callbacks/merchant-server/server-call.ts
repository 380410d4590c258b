import { readDeviceMessage, readJsonText, type ControlKey } from '@app/gateway-protocol';
import { type EgressRequest, openEgress, type Egress, type EgressOptions } from '@app/http/client';
import { ORDERS_WORKED_PER_LANE_MAX, SUBMITS_PER_LANE_MAX, UNDER_WAY_PER_MERCHANT_MAX } from '@app/orders';

/** The address of a merchant's own server, and the key that it signs with (interface, sections 4.3 and 5.3). */
export interface MerchantServerAccount {
  /** Without a slash at its end. */
  readonly merchantUrl: string;
  readonly controlKey: ControlKey;
}

/** A call of the gateway to the merchant server: JSON by POST, to an address of the configuration. */
export const serverCall = (
  merchantUrl: string,
  path: string,
  body: string,
  { deadlineMs, headers = {} }: { readonly deadlineMs?: number | undefined; readonly headers?: EgressRequest['headers'] } = {},
): EgressRequest => ({
  method: 'POST',
  url: `${merchantUrl}/${path}`,
  source: 'configuration',
  headers: { 'content-type': 'application/json', accept: 'application/json', ...headers },
  body,
  ...(deadlineMs !== undefined && { deadlineMs }),
});

/** Reads the server's answer as unauthenticated input (safety, T40); undefined for anything but the message. */
export const readAnswer = <Message extends object>(Answer: new () => Message, body: string | undefined): Message | undefined => {
  if (body === undefined || body === '') return undefined;
  const json = readJsonText(body);
  if ('refused' in json) return undefined;
  const message = readDeviceMessage(Answer, json.ok);
  return 'refused' in message ? undefined : message.ok;
};

/** First gates of one merchant's orders that are busy at one moment, so that the calls of each have a place. */
const BUSY_LANES = 2;
/** Merchant servers that hang at one moment, each with all its calls, while every other is still called. */
const HANGING_SERVERS = 16;
/** What one merchant's orders may ask and report at one moment: a call that finds no place would look as if its server were away. */
const CALLS_PER_SERVER_MAX = BUSY_LANES * (SUBMITS_PER_LANE_MAX + ORDERS_WORKED_PER_LANE_MAX) + UNDER_WAY_PER_MERCHANT_MAX;

/** The way out to merchant servers alone: callbacks that pile up before one of them take no place of its checks. */
export const merchantServerEgress = (options: EgressOptions): Egress =>
  openEgress({
    ...options,
    limits: { perOriginMax: CALLS_PER_SERVER_MAX, inAllMax: HANGING_SERVERS * CALLS_PER_SERVER_MAX },
  });
