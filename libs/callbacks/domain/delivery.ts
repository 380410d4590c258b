import type { EventId, StreamName } from '@app/event-store';
import { type Instant, type Sealed, unreachable, addMs, type Decider, type NonEmpty } from '@app/kernel';
import type { CallbackTarget } from '@app/orders/events';

/** One stream contains the attempts for one fact at one target. */
export interface DeliveryIdentity {
  /** Id of the notified event: the `webhook-id` of every attempt. */
  readonly factId: EventId;
  readonly target: CallbackTarget;
  readonly orderStream: StreamName;
}

/** Why an attempt failed. Only 200 delivers, so `answered` has another status (protocol decisions, sections 6 and 8). */
export type TryFailure =
  | { readonly cause: 'answered'; readonly status: number }
  | { readonly cause: 'timed-out' }
  /** `code` comes from Node, OpenSSL or the HTTP client. */
  | { readonly cause: 'connection-failed'; readonly code: string }
  /** Calls to this address are forbidden (safety, T16). */
  | { readonly cause: 'refused-target'; readonly reason: string }
  | { readonly cause: 'answer-too-large' }
  | { readonly cause: 'answer-malformed' }
  /**
   * A card mapping notification without acknowledgement: HTTP 200 without its signature (interface, section 4.8), or none before the
   * order's end, which waits for one attempt.
   */
  | { readonly cause: 'not-acknowledged' }
  | { readonly cause: 'malformed-request' }
  /** The order no longer has an address for this target. */
  | { readonly cause: 'no-address' }
  /** The merchant is not configured, so there is no key for signing. */
  | { readonly cause: 'unknown-merchant' };

/** The merchant answered 200; for a card mapping notification also with its signature. */
export type CallbackDelivered = {
  readonly type: 'CallbackDelivered';
  readonly data: DeliveryIdentity & {
    readonly tries: number;
    readonly status: number;
    readonly deliveredAt: Instant;
  };
};

export type CallbackFailed = {
  readonly type: 'CallbackFailed';
  readonly data: DeliveryIdentity & {
    readonly tryNumber: number;
    readonly failure: TryFailure;
    readonly failedAt: Instant;
    readonly nextTryAt: Instant;
  };
};

/** The last attempt failed. No attempt follows unless an operator requests one (safety, F30). */
export type CallbackExhausted = {
  readonly type: 'CallbackExhausted';
  readonly data: DeliveryIdentity & {
    readonly tries: number;
    readonly failure: TryFailure;
    readonly exhaustedAt: Instant;
  };
};

/**
 * An operator requests one more attempt, whatever the outcome so far: due at once, with the same id and bytes. The envelope's actor is the
 * operator.
 */
export type CallbackResendRequested = {
  readonly type: 'CallbackResendRequested';
  readonly data: DeliveryIdentity & {
    /** Free text, sealed under `RESEND_REASON`. */
    readonly reason: Sealed;
    readonly requestedAt: Instant;
  };
};

export type DeliveryEvent = CallbackDelivered | CallbackFailed | CallbackExhausted | CallbackResendRequested;

export type Delivery =
  | { readonly status: 'untried' }
  | (Tried & {
      readonly status: 'waiting';
      readonly nextTryAt: Instant;
      /** Time of the latest attempt or resend request. */
      readonly since: Instant;
      /** When the schedule continues, while a requested attempt is due before that. */
      readonly resumesAt?: Instant;
    })
  | (Tried & { readonly status: 'delivered' })
  | (Tried & { readonly status: 'exhausted' });

interface Tried {
  readonly tries: number;
  /** Those of `tries` that an operator requested and that took no place in the schedule. */
  readonly unscheduled: number;
}

const NONE: Tried = { tries: 0, unscheduled: 0 };
const triedOf = (state: Delivery): Tried => (state.status === 'untried' ? NONE : state);

export const triesOf = (state: Delivery): number => triedOf(state).tries;

export const evolve = (state: Delivery, event: DeliveryEvent): Delivery => {
  const { unscheduled } = triedOf(state);
  if (event.type === 'CallbackResendRequested') {
    const { requestedAt } = event.data;
    // Before `since` the clock was set back, so the time of the next attempt means nothing.
    const isOnSchedule = state.status === 'waiting' && state.since <= requestedAt;
    const resuming = isOnSchedule ? { resumesAt: state.nextTryAt } : {};
    return { status: 'waiting', tries: triesOf(state), unscheduled, nextTryAt: requestedAt, since: requestedAt, ...resuming };
  }
  if (state.status === 'delivered' || state.status === 'exhausted') throw new Error(`${event.type} of a delivery that is ${state.status}`);
  const tries = triesOf(state) + 1;
  switch (event.type) {
    case 'CallbackDelivered':
      if (event.data.tries !== tries) throw new Error(`${event.type} counts ${event.data.tries} tries, not ${tries}`);
      return { status: 'delivered', tries, unscheduled };
    case 'CallbackFailed': {
      const { tryNumber, nextTryAt, failedAt } = event.data;
      if (tryNumber !== tries) throw new Error(`${event.type} of try ${tryNumber}, not ${tries}`);
      const isUnscheduled = state.status === 'waiting' && state.resumesAt === nextTryAt;
      return { status: 'waiting', tries, unscheduled: isUnscheduled ? unscheduled + 1 : unscheduled, nextTryAt, since: failedAt };
    }
    case 'CallbackExhausted':
      if (event.data.tries !== tries) throw new Error(`${event.type} counts ${event.data.tries} tries, not ${tries}`);
      return { status: 'exhausted', tries, unscheduled };
    default:
      return unreachable(event);
  }
};

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;

const times = (count: number, gapMs: number): number[] => Array.from({ length: count }, () => gapMs);

/** Delays between the attempts of one delivery: 14 days in total (protocol decisions, section 6). */
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

/** Varies each delay by up to a tenth, so that deliveries that failed together are not repeated together. */
export const JITTER_SHARE = 0.1;
const GAP_MS_MIN = 1;

/**
 * Delay after the schedule's failed attempt `tryNumber` (from 1); `undefined` after the last. `fraction` is random in [0, 1); `speedFactor` divides every
 * delay.
 */
export const gapAfterTryMs = (tryNumber: number, fraction: number, speedFactor: number): number | undefined => {
  const gapMs = REPEAT_GAPS_MS[tryNumber - 1];
  if (gapMs === undefined) return undefined;
  const spread = 1 - JITTER_SHARE + 2 * JITTER_SHARE * fraction;
  return Math.max(GAP_MS_MIN, Math.round((gapMs * spread) / speedFactor));
};

type RecordSuccess = {
  readonly type: 'RecordSuccess';
  readonly data: { readonly delivery: DeliveryIdentity; readonly status: number; readonly now: Instant };
};

type RecordFailure = {
  readonly type: 'RecordFailure';
  readonly data: {
    readonly delivery: DeliveryIdentity;
    /** Counts from 1, in the state before the attempt, so that two workers record the same attempt only once. */
    readonly tryNumber: number;
    readonly failure: TryFailure;
    readonly fraction: number;
    readonly speedFactor: number;
    readonly now: Instant;
  };
};

type RequestResend = {
  readonly type: 'RequestResend';
  readonly data: { readonly delivery: DeliveryIdentity; readonly reason: Sealed; readonly now: Instant };
};

export type DeliveryCommand = RecordSuccess | RecordFailure | RequestResend;

/** Already delivered or exhausted, recorded by another worker, or the delivery to resend is due anyway. */
export type DeliveryRejection = { readonly reason: 'nothing-new' };

type Outcome = NonEmpty<DeliveryEvent> | DeliveryRejection;

const recordSuccess = ({ delivery, status, now }: RecordSuccess['data'], state: Delivery): Outcome => [
  { type: 'CallbackDelivered', data: { tries: triesOf(state) + 1, status, deliveredAt: now, ...delivery } },
];

const recordFailure = (data: RecordFailure['data'], state: Delivery): Outcome => {
  const { delivery, tryNumber, failure, fraction, speedFactor, now } = data;
  const { tries, unscheduled } = triedOf(state);
  if (tryNumber <= tries) return { reason: 'nothing-new' };
  if (tryNumber !== tries + 1) throw new Error(`try ${tryNumber} is recorded after ${tries}`);
  const resumesAt = state.status === 'waiting' && state.since <= now ? state.resumesAt : undefined;
  if (resumesAt !== undefined && now < resumesAt)
    return [{ type: 'CallbackFailed', data: { tryNumber, failure, failedAt: now, nextTryAt: resumesAt, ...delivery } }];
  const gapMs = gapAfterTryMs(tryNumber - unscheduled, fraction, speedFactor);
  if (gapMs === undefined) return [{ type: 'CallbackExhausted', data: { tries: tryNumber, failure, exhaustedAt: now, ...delivery } }];
  return [{ type: 'CallbackFailed', data: { tryNumber, failure, failedAt: now, nextTryAt: addMs(now, gapMs), ...delivery } }];
};

const requestResend = ({ delivery, reason, now }: RequestResend['data'], state: Delivery): Outcome => {
  if (state.status === 'untried' || (state.status === 'waiting' && state.nextTryAt <= now)) return { reason: 'nothing-new' };
  return [{ type: 'CallbackResendRequested', data: { reason, requestedAt: now, ...delivery } }];
};

/**
 * Delivers one fact to one target: `delivered` after a 200, `exhausted` after the last attempt (protocol decisions, section 6).
 * Attempts need no recorded intent: duplicates are harmless. A resend adds one attempt to an exhausted delivery and does not restart the
 * schedule. A requested attempt that fails before the schedule's next one leaves the schedule as it was.
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
