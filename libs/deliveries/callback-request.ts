import type { EventId } from '@app/event-store';
import { callbackBody, webhookHeaders, type CallbackFacts as CallbackMembers } from '@app/gateway-protocol';
import type { Instant } from '@app/kernel';
import type { Merchant } from '@app/merchant-accounts';
import type { AddressSource, EgressRequest } from './egress';

export interface CallbackAddress {
  readonly url: string;
  /** Addresses that a request brought are held to more rules than those of the configuration (protocol decisions, section 6). */
  readonly source: AddressSource;
}

/**
 * One try of a callback as it leaves (protocol decisions, section 6). The body depends on the fact and the merchant's key alone, so every try of one
 * fact sends the same bytes under the same `webhook-id` (safety, I5); the time of the try stands in the headers.
 */
export const callbackRequest = (
  factId: EventId,
  { url, source }: CallbackAddress,
  members: CallbackMembers,
  { controlKey, callback }: Pick<Merchant, 'controlKey' | 'callback'>,
  now: Instant,
): EgressRequest => {
  const body = callbackBody(members, controlKey);
  const headers = { 'content-type': 'application/json', ...webhookHeaders(factId, now, body, callback.secret) };
  return { method: 'POST', url, source, headers, body };
};
