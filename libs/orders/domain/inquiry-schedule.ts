import { addMs, type GateAlias, type Instant } from '@app/kernel';
import { plannedGate, type Plan } from './accepted-order';

/** Calls leave within this time after their claim's moment, or the claim is renewed first: other processes count the flight from that moment. */
export const LEAVES_WITHIN_MS = 2_000;

/** After this the gate counts as silent, and its adapter sends nothing more. */
export const GATE_TIMEOUT_MS = 30_000;

/** As long as the CVV is kept. */
export const CLAIMS_ANEW_WITHIN_MS = 60_000;

/** As the plan fixed it for the gate. */
export const longestFlightMsOf = (order: { readonly plan: Plan }, gate: GateAlias): number => plannedGate(order, gate).longestFlightMs;

export interface Sent {
  readonly sentAt: Instant;
  /** Absent if no end was recorded: the call may last for the full timeout. */
  readonly callEndedAt?: Instant;
}

/** After this moment nothing of the claim is in flight, whichever process sent it. */
export const flightEndsAt = ({ sentAt, callEndedAt }: Sent, longestFlightMs: number): Instant =>
  addMs(callEndedAt ?? addMs(sentAt, LEAVES_WITHIN_MS + GATE_TIMEOUT_MS), longestFlightMs);

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
/** Gaps between inquiries, then every hour without end, because an attempt never fails by its age. */
export const INQUIRY_GAPS_MS = [SECOND_MS, 2 * SECOND_MS, 5 * SECOND_MS, 15 * SECOND_MS, MINUTE_MS, 5 * MINUTE_MS, 15 * MINUTE_MS] as const;

/** Shorter, because the payer may end the authentication at any moment. */
export const CHALLENGE_INQUIRY_GAP_MS = 30 * SECOND_MS;

/**
 * The schedule's next moment, or the end of the longest flight if earlier: only then is a `not-found` believed. Never more than an hour after `now`.
 */
export const nextInquiryAt = (sentAt: Instant, flightMs: number, now: Instant): Instant => {
  const flightEndsAt = addMs(sentAt, flightMs);
  // If the clock was set back, the schedule would otherwise wait for days (safety, F28).
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
