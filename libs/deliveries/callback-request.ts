import type { EventId } from '@app/event-store';
import { callbackBody, callbackQuery, webhookHeaders, type CallbackFacts as CallbackMembers } from '@app/gateway-protocol';
import { unreachable, type Instant } from '@app/kernel';
import type { Merchant } from '@app/configuration';
import type { AddressSource, EgressRequest } from '@app/egress';

export interface CallbackAddress {
  readonly url: string;
  /** Addresses that a request brought are held to more rules than those of the configuration (protocol decisions, section 6). */
  readonly source: AddressSource;
}

/**
 * One try of a callback as it leaves (protocol decisions, section 6). Body or query depend on the fact and the merchant's key alone, so every try of
 * one fact sends the same bytes under the same `webhook-id` (safety, I5); the time of the try stands in the headers. By GET there is no body to sign:
 * the signature covers the members' query instead, without what the address has of its own, so that it covers the amount in either form.
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
    default:
      return unreachable(callback.method);
  }
};
