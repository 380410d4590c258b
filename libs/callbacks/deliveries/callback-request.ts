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
import { callbackSecretsAt, type Merchant } from '@app/configuration';
import type { AddressSource, EgressRequest } from '@app/http/client';
import type { MappingNotification } from '../merchant-server/notification-call';

/** A delivery's trace continues that of the request that created the order or its follow-up. */
interface NotifiedFact extends Traced {
  readonly merchant: MerchantLogin;
  readonly orderId?: string;
}

export interface CallbackFact extends NotifiedFact, CallbackAddress {
  readonly kind: 'callback';
  /** When the reported event was recorded. */
  readonly recordedAt: Instant;
  /** The order at the time of the fact, whatever happened since: each attempt must send the same bytes (safety, I5). */
  readonly members: CallbackMembers;
}

/** A notification of an order's cards; the merchant server's address comes from the configuration. */
export interface NotificationFact extends NotifiedFact {
  readonly kind: 'notification';
  readonly notification: MappingNotification;
}

export type DeliveryFact = CallbackFact | NotificationFact;

/** The order's stream does not contain the fact. Its content is unknown, so no attempt is recorded and the stream is read again later. */
export class FactMissing extends Error {
  override readonly name = 'FactMissing';

  constructor(orderStream: StreamName, factId: EventId) {
    super(`${orderStream} holds no fact ${factId} to notify`);
  }
}

export interface CallbackFacts {
  /**
   * `undefined` if the order has no address for this target. An order with erased personal data is notified with the remaining data.
   * @throws FactMissing, and errors of store or vault: no attempt is counted, and the work item stays due
   */
  factOf(orderStream: StreamName, factId: EventId, target: CallbackTarget): Promise<DeliveryFact | undefined>;
}

interface CallbackAddress {
  readonly url: string;
  /** An address from a request is checked more strictly than one from the configuration (protocol decisions, section 6). */
  readonly source: AddressSource;
}

/**
 * The request of one attempt (protocol decisions, section 6). Every attempt sends the same body or query under the same `webhook-id`
 * (safety, I5); only headers contain its time.
 * A GET has no body, so its signature covers the members' query, and so the amount, without the address's query.
 */
export const callbackRequest = (
  factId: EventId,
  { url, source }: CallbackAddress,
  members: CallbackMembers,
  { controlKey, callback }: Pick<Merchant, 'controlKey' | 'callback'>,
  now: Instant,
): EgressRequest => {
  const signedHeaders = (text: string) => webhookHeaders(factId, now, text, ...callbackSecretsAt(callback, now));
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
