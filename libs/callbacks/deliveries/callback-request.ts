import type { EventId } from '@app/event-store';
import {
  callbackBody,
  callbackQuery,
  FORM_REQUEST_TYPE,
  webhookHeaders,
  type CallbackFacts as CallbackMembers,
} from '@app/gateway-protocol';
import { unreachable, type Instant } from '@app/kernel';
import type { Merchant } from '@app/configuration';
import type { AddressSource, EgressRequest } from '@app/http/client';

export interface CallbackAddress {
  readonly url: string;
  /** An address from a request is held to more rules than one from the configuration (protocol decisions, section 6). */
  readonly source: AddressSource;
}

/**
 * The request of one try (protocol decisions, section 6). Body or query depend on the fact and the merchant's key alone, so every try of
 * one fact sends the same bytes under the same `webhook-id` (safety, I5); only the headers carry the time of the try. A GET has no body to sign:
 * its signature covers the members' query, without the address's own, so that it covers the amount in either form.
 */
export const callbackRequest = (
  factId: EventId,
  { url, source }: CallbackAddress,
  members: CallbackMembers,
  { controlKey, callback }: Pick<Merchant, 'controlKey' | 'callback'>,
  now: Instant,
): EgressRequest => {
  const signedHeaders = (text: string) => webhookHeaders(factId, now, text, callback.secret);
  switch (callback.method) {
    case 'get': {
      const query = callbackQuery(members, controlKey);
      return { method: 'GET', url, query, source, headers: { ...signedHeaders(query) } };
    }
    case 'post-json': {
      const body = callbackBody(members, controlKey);
      return { method: 'POST', url, source, headers: { 'content-type': 'application/json', ...signedHeaders(body) }, body };
    }
    case 'post-form': {
      const body = callbackQuery(members, controlKey);
      return { method: 'POST', url, source, headers: { 'content-type': FORM_REQUEST_TYPE, ...signedHeaders(body) }, body };
    }
    default:
      return unreachable(callback.method);
  }
};
