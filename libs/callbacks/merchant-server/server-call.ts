import { readDeviceMessage, readJsonText, type ControlKey } from '@app/gateway-protocol';
import { type EgressRequest, openEgress, type Egress, type EgressOptions } from '@app/http/client';
import { ORDERS_WORKED_PER_LANE_MAX, SUBMITS_PER_LANE_MAX, UNDER_WAY_PER_MERCHANT_MAX } from '@app/orders';

/** A merchant server's address and the keys that its signatures may have (interface, sections 4.3 and 5.3). */
export interface MerchantServerAccount {
  /** Without a trailing slash. */
  readonly merchantUrl: string;
  readonly controlKeys: readonly ControlKey[];
}

/** JSON by POST to a configured address. */
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

/** Untrusted input (safety, T40); undefined unless it is the expected message. */
export const readAnswer = <Message extends object>(Answer: new () => Message, body: string | undefined): Message | undefined => {
  if (body === undefined || body === '') return undefined;
  const json = readJsonText(body);
  if ('refused' in json) return undefined;
  const message = readDeviceMessage(Answer, json.ok);
  return 'refused' in message ? undefined : message.ok;
};

/** Partition keys of one merchant's orders, by first gate, that may be busy at once; each needs room for its calls. */
const BUSY_LANES = 2;
/** Merchant servers that may hang at once while all others are still called. */
const HANGING_SERVERS = 16;
/** Limit of one merchant's simultaneous calls. Above it, a server would seem unreachable. */
const CALLS_PER_SERVER_MAX = BUSY_LANES * (SUBMITS_PER_LANE_MAX + ORDERS_WORKED_PER_LANE_MAX) + UNDER_WAY_PER_MERCHANT_MAX;

/** Connections only to merchant servers: queued callbacks must not block checks. */
export const merchantServerEgress = (options: EgressOptions): Egress =>
  openEgress({
    ...options,
    limits: { perOriginMax: CALLS_PER_SERVER_MAX, inAllMax: HANGING_SERVERS * CALLS_PER_SERVER_MAX },
  });
