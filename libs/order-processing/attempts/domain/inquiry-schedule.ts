import { addMs, type Instant } from '@app/kernel';

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
/** After each of these gaps the gate is asked, then hourly, for ever: an attempt is never failed by its age. */
export const INQUIRY_GAPS_MS = [SECOND_MS, 2 * SECOND_MS, 5 * SECOND_MS, 15 * SECOND_MS, MINUTE_MS, 5 * MINUTE_MS, 15 * MINUTE_MS] as const;

/**
 * When the gate is asked next: the first moment of the schedule after `now`, or the end of the longest flight where that comes first,
 * for only then a `not-found` is believed. Never more than an hour ahead of `now`.
 */
export const nextInquiryAt = (sentAt: Instant, flightMs: number, now: Instant): Instant => {
  const flightEndsAt = addMs(sentAt, flightMs);
  // A clock that was set back would else wait for days that it has seen before (safety, F28).
  if (now < sentAt) return addMs(now, MINUTE_MS);
  const inAnHour = addMs(now, HOUR_MS);
  const earlier = (at: Instant): Instant => {
    const soonest = now < flightEndsAt && flightEndsAt < at ? flightEndsAt : at;
    return soonest < inAnHour ? soonest : inAnHour;
  };
  let at = sentAt;
  for (const gapMs of INQUIRY_GAPS_MS) {
    at = addMs(at, gapMs);
    if (at > now) return earlier(at);
  }
  const hours = Math.floor((now - at) / HOUR_MS) + 1;
  return earlier(addMs(at, hours * HOUR_MS));
};
