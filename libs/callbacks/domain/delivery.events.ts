import type { EventId, StreamName } from '@app/event-store';
import type { Instant, Sealed } from '@app/kernel';
import type { CallbackTarget } from '@app/orders/events';

/** Identifies a delivery: one stream holds the tries of one fact at one target. */
export interface DeliveryIdentity {
  /** Id of the event that the callback notifies: the `webhook-id` of every try. */
  readonly factId: EventId;
  readonly target: CallbackTarget;
  /** The stream that holds the fact. */
  readonly orderStream: StreamName;
}

/** Why a try did not deliver. Only 200 delivers, so `answered` has any other status (protocol decisions, sections 6 and 8). */
export type TryFailure =
  | { readonly cause: 'answered'; readonly status: number }
  | { readonly cause: 'timed-out' }
  /** `code` is the name that Node, OpenSSL or the HTTP client has for it. */
  | { readonly cause: 'connection-failed'; readonly code: string }
  /** The address leads where no call may go (safety, T16). */
  | { readonly cause: 'refused-target'; readonly reason: string }
  | { readonly cause: 'answer-too-large' }
  | { readonly cause: 'answer-malformed' }
  /**
   * A card mapping notification was answered with 200 and without its acknowledgement (interface, section 4.8); or it was not acknowledged, for
   * whatever reason, before the order's end, which waits for one try.
   */
  | { readonly cause: 'not-acknowledged' }
  /** The request cannot be written as HTTP. */
  | { readonly cause: 'malformed-request' }
  /** The order names no address for this target any more. */
  | { readonly cause: 'no-address' }
  /** The configuration does not know the merchant, without whose key nothing can be signed. */
  | { readonly cause: 'unknown-merchant' };

/** The merchant answered 200; where it was a card mapping notification, with its signature too. */
export type CallbackDelivered = {
  readonly type: 'CallbackDelivered';
  readonly data: DeliveryIdentity & {
    /** Number of recorded tries, this one included. */
    readonly tries: number;
    readonly status: number;
    readonly deliveredAt: Instant;
  };
};

/** A try did not deliver, and another follows. */
export type CallbackFailed = {
  readonly type: 'CallbackFailed';
  readonly data: DeliveryIdentity & {
    /** From 1. */
    readonly tryNumber: number;
    readonly failure: TryFailure;
    readonly failedAt: Instant;
    readonly nextTryAt: Instant;
  };
};

/** The last try did not deliver: no other follows unless a person asks for one (safety, F30). */
export type CallbackExhausted = {
  readonly type: 'CallbackExhausted';
  readonly data: DeliveryIdentity & {
    readonly tries: number;
    readonly failure: TryFailure;
    readonly exhaustedAt: Instant;
  };
};

/** A person asks for one more try, whatever the outcome so far: due at once, under the same id and with the same bytes. The envelope's actor is that person. */
export type CallbackResendRequested = {
  readonly type: 'CallbackResendRequested';
  readonly data: DeliveryIdentity & {
    /** Free text, sealed under `RESEND_REASON`. */
    readonly reason: Sealed;
    readonly requestedAt: Instant;
  };
};

export type DeliveryEvent = CallbackDelivered | CallbackFailed | CallbackExhausted | CallbackResendRequested;
