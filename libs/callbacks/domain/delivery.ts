import type { EventId, StreamName } from '@app/event-store';
import { type Instant, type Sealed, unreachable, addMs, type Decider, type NonEmpty } from '@app/kernel';
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

/** The state of the delivery of one fact to one target. */
export type Delivery =
  | { readonly status: 'untried' }
  /** `since` is the time of the newest try, or of a person's request for another. */
  | { readonly status: 'waiting'; readonly tries: number; readonly nextTryAt: Instant; readonly since: Instant }
  | { readonly status: 'delivered'; readonly tries: number }
  | { readonly status: 'exhausted'; readonly tries: number };

export const triesOf = (state: Delivery): number => (state.status === 'untried' ? 0 : state.tries);

export const evolve = (state: Delivery, event: DeliveryEvent): Delivery => {
  if (event.type === 'CallbackResendRequested') {
    const { requestedAt } = event.data;
    return { status: 'waiting', tries: triesOf(state), nextTryAt: requestedAt, since: requestedAt };
  }
  if (state.status === 'delivered' || state.status === 'exhausted') throw new Error(`${event.type} of a delivery that is ${state.status}`);
  const tries = triesOf(state) + 1;
  switch (event.type) {
    case 'CallbackDelivered':
      if (event.data.tries !== tries) throw new Error(`${event.type} counts ${event.data.tries} tries, not ${tries}`);
      return { status: 'delivered', tries };
    case 'CallbackFailed':
      if (event.data.tryNumber !== tries) throw new Error(`${event.type} of try ${event.data.tryNumber}, not ${tries}`);
      return { status: 'waiting', tries, nextTryAt: event.data.nextTryAt, since: event.data.failedAt };
    case 'CallbackExhausted':
      if (event.data.tries !== tries) throw new Error(`${event.type} counts ${event.data.tries} tries, not ${tries}`);
      return { status: 'exhausted', tries };
    default:
      return unreachable(event);
  }
};

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;

const times = (count: number, gapMs: number): number[] => Array.from({ length: count }, () => gapMs);

/** Gaps between the tries of one delivery: 14 days in all (protocol decisions, section 6). */
export const REPEAT_GAPS_MS: readonly number[] = [
  15 * SECOND_MS,
  30 * SECOND_MS,
  ...[1, 2, 5, 10, 20, 30].map((minutes) => minutes * MINUTE_MS),
  ...[1, 2, 3, 4].map((hours) => hours * HOUR_MS),
  ...times(4, 6 * HOUR_MS),
  12 * HOUR_MS,
  ...times(12, 24 * HOUR_MS),
];

export const TRIES_MAX = REPEAT_GAPS_MS.length + 1;

/** Each gap is longer or shorter by up to a tenth, so that deliveries that failed together are not repeated together. */
export const JITTER_SHARE = 0.1;
const GAP_MS_MIN = 1;

/**
 * The gap after try `tryNumber` (from 1) failed; `undefined` after the last. `fraction` is a random number in [0, 1); `speedFactor` divides every
 * gap.
 */
export const gapAfterTryMs = (tryNumber: number, fraction: number, speedFactor: number): number | undefined => {
  const gapMs = REPEAT_GAPS_MS[tryNumber - 1];
  if (gapMs === undefined) return undefined;
  const spread = 1 - JITTER_SHARE + 2 * JITTER_SHARE * fraction;
  return Math.max(GAP_MS_MIN, Math.round((gapMs * spread) / speedFactor));
};

/** A callback was answered with 200. */
type RecordSuccess = {
  readonly type: 'RecordSuccess';
  readonly data: { readonly delivery: DeliveryIdentity; readonly status: number; readonly now: Instant };
};

/** A try did not deliver. */
type RecordFailure = {
  readonly type: 'RecordFailure';
  readonly data: {
    readonly delivery: DeliveryIdentity;
    /** From 1, counted in the state that the try started from, so that two workers that make the same try record it once. */
    readonly tryNumber: number;
    readonly failure: TryFailure;
    /** A random number in [0, 1). */
    readonly fraction: number;
    /** The operator's setting: divides the gap to the next try. */
    readonly speedFactor: number;
    readonly now: Instant;
  };
};

/** A person asks for one more try. */
type RequestResend = {
  readonly type: 'RequestResend';
  readonly data: { readonly delivery: DeliveryIdentity; readonly reason: Sealed; readonly now: Instant };
};

export type DeliveryCommand = RecordSuccess | RecordFailure | RequestResend;

/** It is delivered or exhausted already, another worker recorded that try, or the delivery to resend is due anyway. */
export type DeliveryRejection = { readonly reason: 'nothing-new' };

type Outcome = NonEmpty<DeliveryEvent> | DeliveryRejection;

const recordSuccess = ({ delivery, status, now }: RecordSuccess['data'], state: Delivery): Outcome => [
  { type: 'CallbackDelivered', data: { tries: triesOf(state) + 1, status, deliveredAt: now, ...delivery } },
];

const recordFailure = (data: RecordFailure['data'], state: Delivery): Outcome => {
  const { delivery, tryNumber, failure, fraction, speedFactor, now } = data;
  const tries = triesOf(state);
  if (tryNumber <= tries) return { reason: 'nothing-new' };
  if (tryNumber !== tries + 1) throw new Error(`try ${tryNumber} is recorded after ${tries}`);
  const gapMs = gapAfterTryMs(tryNumber, fraction, speedFactor);
  if (gapMs === undefined) return [{ type: 'CallbackExhausted', data: { tries: tryNumber, failure, exhaustedAt: now, ...delivery } }];
  return [{ type: 'CallbackFailed', data: { tryNumber, failure, failedAt: now, nextTryAt: addMs(now, gapMs), ...delivery } }];
};

const requestResend = ({ delivery, reason, now }: RequestResend['data'], state: Delivery): Outcome => {
  if (state.status === 'untried' || (state.status === 'waiting' && state.nextTryAt <= now)) return { reason: 'nothing-new' };
  return [{ type: 'CallbackResendRequested', data: { reason, requestedAt: now, ...delivery } }];
};

/**
 * The delivery of one fact to one target: delivered once it was answered with 200, exhausted after the last try (protocol decisions, section 6). A
 * try needs no recorded intent: a callback goes out at least once, and a second one is harmless. A person may have it sent again at any time; the
 * count of tries goes on, so that each request gives an exhausted delivery one more try and does not restart the schedule.
 */
export const delivery: Decider<DeliveryCommand, DeliveryEvent, Delivery, DeliveryRejection> = {
  initial: { status: 'untried' },
  evolve,
  decide: (command, state) => {
    if (command.type === 'RequestResend') return requestResend(command.data, state);
    if (state.status === 'delivered' || state.status === 'exhausted') return { reason: 'nothing-new' };
    switch (command.type) {
      case 'RecordSuccess':
        return recordSuccess(command.data, state);
      case 'RecordFailure':
        return recordFailure(command.data, state);
      default:
        return unreachable(command);
    }
  },
};
