import { addMs, unreachable, type Instant } from '@app/kernel';
import { longestFlightMsOf } from './flight';
import { SUBMIT_OVERDUE_MS, type Processing } from './processing';

/** What an order waits for, and when it is due: the reactors' agenda, a pure reading of the state. */
export type NextStep =
  | { readonly task: 'submit'; readonly dueAt: Instant }
  /** The submit belongs to the process that holds the CVV; this is when anyone may end the order. */
  | { readonly task: 'interrupt'; readonly dueAt: Instant }
  | { readonly task: 'inquire'; readonly dueAt: Instant }
  | { readonly task: 'decline-absent-payer'; readonly dueAt: Instant }
  | { readonly task: 'nothing' };

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
/** After each of these gaps the gate is asked, then hourly, for ever: an attempt is never failed by its age. */
export const INQUIRY_GAPS_MS = [SECOND_MS, 2 * SECOND_MS, 5 * SECOND_MS, 15 * SECOND_MS, MINUTE_MS, 5 * MINUTE_MS, 15 * MINUTE_MS] as const;

/**
 * When the gate is asked next: the first moment of the schedule after `now`, or the end of the longest flight where that comes first,
 * for only then a `not-found` is believed. Never more than an hour ahead of `now`.
 */
export const nextInquiryAt = (sentAt: Instant, longestFlightMs: number, now: Instant): Instant => {
  const flightEndsAt = addMs(sentAt, longestFlightMs);
  // A clock that was set back would else wait for days that it has seen before (safety, F28).
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

export const nextStep = (state: Processing, now: Instant): NextStep => {
  if (state.end !== undefined) return { task: 'nothing' };
  const { attempts: newest, plan, acceptedAt } = state;
  switch (newest.status) {
    case 'none':
      return plan.cvvHolder === undefined
        ? { task: 'submit', dueAt: acceptedAt }
        : { task: 'interrupt', dueAt: addMs(acceptedAt, SUBMIT_OVERDUE_MS) };
    case 'started':
    case 'unknown':
    case 'payer-returned':
      return { task: 'inquire', dueAt: nextInquiryAt(newest.sentAt, longestFlightMsOf(state, newest.gate), now) };
    case 'payer-needed':
      return { task: 'decline-absent-payer', dueAt: newest.payerDueAt };
    case 'approved':
    case 'declined':
    case 'not-asked':
      return { task: 'nothing' };
    default:
      return unreachable(newest);
  }
};
