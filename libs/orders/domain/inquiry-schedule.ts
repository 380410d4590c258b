import { addMs, type GateAlias, type Instant } from '@app/kernel';
import { plannedGate, type Plan } from './accepted-order';

/**
 * A call leaves within this time of the moment that its claim names, or the claim is renewed first: others count the flight from that moment, and the
 * claiming process may have been held up or learned late that its claim is stored.
 */
export const LEAVES_WITHIN_MS = 2_000;

/** A gate that has not answered by then counts as silent, and its adapter lets nothing more leave for it. */
export const GATE_TIMEOUT_MS = 30_000;

/** How long a process that knows that nothing left may go on renewing the claim of an order with a CVV: as long as the CVV is kept. */
export const CLAIMS_ANEW_WITHIN_MS = 60_000;

/** How long what has left may take to arrive, as the plan fixed it for the gate. */
export const longestFlightMsOf = (order: { readonly plan: Plan }, gate: GateAlias): number => plannedGate(order, gate).longestFlightMs;

/** What was sent under a claim, as the log has it. */
export interface Sent {
  /** The moment that the claim names. */
  readonly sentAt: Instant;
  /** Present where the caller recorded that the call ended; otherwise it may go on for as long as a call may take. */
  readonly callEndedAt?: Instant;
}

/**
 * After this moment nothing of the claim is on its way any more, whichever process sent it; counted from the last moment at which it may have left.
 */
export const flightEndsAt = ({ sentAt, callEndedAt }: Sent, longestFlightMs: number): Instant =>
  addMs(callEndedAt ?? addMs(sentAt, LEAVES_WITHIN_MS + GATE_TIMEOUT_MS), longestFlightMs);

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
/** The gate is asked after each of these gaps, then every hour without end, because an attempt never fails by its age. */
export const INQUIRY_GAPS_MS = [SECOND_MS, 2 * SECOND_MS, 5 * SECOND_MS, 15 * SECOND_MS, MINUTE_MS, 5 * MINUTE_MS, 15 * MINUTE_MS] as const;

/** How often a gate is asked that hosts the payer's authentication, while the payer has time: the payer may end it at any moment. */
export const CHALLENGE_INQUIRY_GAP_MS = 30 * SECOND_MS;

/**
 * The next inquiry: the first moment of the schedule after `now`, or the end of the longest flight where that comes first, because only then is a
 * `not-found` believed. Never more than an hour after `now`.
 */
export const nextInquiryAt = (sentAt: Instant, flightMs: number, now: Instant): Instant => {
  const flightEndsAt = addMs(sentAt, flightMs);
  // A clock that was set back would otherwise make it wait for days that have already passed (safety, F28).
  if (now < sentAt) return addMs(now, MINUTE_MS);
  const earlier = (at: Instant): Instant => (now < flightEndsAt && flightEndsAt < at ? flightEndsAt : at);
  let at = sentAt;
  for (const gapMs of INQUIRY_GAPS_MS) {
    at = addMs(at, gapMs);
    if (at > now) return earlier(at);
  }
  const hours = Math.floor((now - at) / HOUR_MS) + 1;
  return earlier(addMs(at, hours * HOUR_MS));
};
