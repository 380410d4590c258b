import { addMs, unreachable, type Decider, type Instant, type NonEmpty, type Sealed } from '@app/kernel';
import type { DeliveryEvent, DeliveryIdentity, TryFailure } from './delivery.events';
import { evolve, triesOf, type Delivery } from './delivery.state';

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
