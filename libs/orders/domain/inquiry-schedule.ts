import { addMs, type Instant } from '@app/kernel';

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
