import type { EventId, StreamName, Traced } from '@app/event-store';
import {
  type CallbackFacts as CallbackMembers,
  callbackBody,
  callbackQuery,
  FORM_REQUEST_TYPE,
  webhookHeaders,
} from '@app/gateway-protocol';
import { type MerchantLogin, unreachable, type Instant } from '@app/kernel';
import type { CallbackTarget } from '@app/orders/events';
import type { Merchant } from '@app/configuration';
import type { AddressSource, EgressRequest } from '@app/http/client';
import type { MappingNotification } from '../merchant-server/notification-call';

/** Every delivery is traced to the request that created the order or its follow-up. */
interface NotifiedFact extends Traced {
  readonly merchant: MerchantLogin;
  /** For logs. */
  readonly orderId?: string;
}

/** The content of one callback, and its address. */
export interface CallbackFact extends NotifiedFact, CallbackAddress {
  readonly kind: 'callback';
  /** The order at the time of the fact, whatever happened since: each try must send the same bytes (safety, I5). */
  readonly members: CallbackMembers;
}

/** A notification of an order's cards; the configuration has the address of the merchant server. */
export interface NotificationFact extends NotifiedFact {
  readonly kind: 'notification';
  readonly notification: MappingNotification;
}

export type DeliveryFact = CallbackFact | NotificationFact;

/**
 * The order's stream, as it was read, does not hold the fact to notify. Its content is unknown, so that no try is recorded and the stream is read
 * again later.
 */
export class FactMissing extends Error {
  override readonly name = 'FactMissing';

  constructor(orderStream: StreamName, factId: EventId) {
    super(`${orderStream} holds no fact ${factId} to notify`);
  }
}

/** Reads a fact back from its order's stream, unsealed. */
export interface CallbackFacts {
  /**
   * `undefined` where the order names no address for this target, or none any more. An order whose personal data were erased is notified with what
   * is left. @throws FactMissing, and where store or vault are unavailable: no try is counted, and the work stays due.
   */
  factOf(orderStream: StreamName, factId: EventId, target: CallbackTarget): Promise<DeliveryFact | undefined>;
}

interface CallbackAddress {
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
