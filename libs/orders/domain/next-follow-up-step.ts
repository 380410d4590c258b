import { addMs, unreachable, type Instant } from '@app/kernel';
import { isWaiting, type FollowUp, type FollowUps } from './follow-up.state';
import { followUpFlightEndsAt } from './follow-ups';
import { nextInquiryAt } from './inquiry-schedule';

/** What a follow-up waits for and when it is due: the reactors' agenda, read from the state alone. */
export type NextFollowUpStep =
  | { readonly task: 'submit' | 'inquire'; readonly dueAt: Instant }
  /** An earlier follow-up must have an outcome first; this is when to check again. */
  | { readonly task: 'wait'; readonly dueAt: Instant }
  | { readonly task: 'nothing' };

/** How often a follow-up that waits for another is checked. */
export const WAIT_CHECK_MS = 15_000;

export const nextFollowUpStep = (followUp: FollowUp, followUps: FollowUps, now: Instant): NextFollowUpStep => {
  switch (followUp.status) {
    case 'accepted':
      return isWaiting(followUp, followUps)
        ? { task: 'wait', dueAt: addMs(now, WAIT_CHECK_MS) }
        : { task: 'submit', dueAt: followUp.acceptedAt };
    case 'started':
    case 'unknown': {
      const { startedAt } = followUp;
      return { task: 'inquire', dueAt: nextInquiryAt(startedAt, followUpFlightEndsAt(followUp) - startedAt, now) };
    }
    case 'approved':
    case 'declined':
    case 'failed':
      return { task: 'nothing' };
    default:
      return unreachable(followUp);
  }
};
