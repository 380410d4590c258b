import { readDeviceMessage, readJsonText, type ControlKey } from '@app/gateway-protocol';
import type { EgressRequest } from '@app/http/client';

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
