import { addMs, unreachable, type Instant } from '@app/kernel';
import { flightEndsAt, longestFlightMsOf, CHALLENGE_INQUIRY_GAP_MS, nextInquiryAt } from './inquiry-schedule';
import { SUBMIT_OVERDUE_MS, type Processing } from './processing';

export type NextStep =
  | { readonly task: 'submit'; readonly dueAt: Instant }
  /** After this moment any process may end the order; only the one with the CVV may submit. */
  | { readonly task: 'interrupt'; readonly dueAt: Instant }
  | { readonly task: 'inquire'; readonly dueAt: Instant }
  | { readonly task: 'decline-absent-payer'; readonly dueAt: Instant }
  | { readonly task: 'decline-absent-choice'; readonly dueAt: Instant }
  | { readonly task: 'conclude'; readonly dueAt: Instant }
  | { readonly task: 'nothing' };

/** Due at once, or only by the process that holds the CVV. */
const stepOfDue = ({ since }: NonNullable<Processing['due']>, { cvvHolder }: Processing['plan']): NextStep =>
  cvvHolder === undefined ? { task: 'submit', dueAt: since } : { task: 'interrupt', dueAt: addMs(since, SUBMIT_OVERDUE_MS) };

export const nextStep = (state: Processing, now: Instant): NextStep => {
  if (state.end !== undefined) return { task: 'nothing' };
  const { attempts: newest, plan, due, device } = state;
  if (device?.status === 'fee-offered') return { task: 'decline-absent-choice', dueAt: device.choiceDueAt };
  if (due !== undefined) return stepOfDue(due, plan);
  switch (newest.status) {
    case 'started':
    case 'unknown':
    case 'payer-returned': {
      if (device?.status === 'gate-fee-offered') return { task: 'decline-absent-choice', dueAt: device.choiceDueAt };
      // The gate continues after the choice, so inquiries count from it.
      const sent = device?.status === 'gate-fee-chosen' ? { sentAt: device.chosenAt } : newest;
      const { sentAt } = sent;
      const flightMs = flightEndsAt(sent, longestFlightMsOf(state, newest.gate)) - sentAt;
      return { task: 'inquire', dueAt: nextInquiryAt(sentAt, flightMs, now) };
    }
    case 'payer-needed':
      return newest.isHosted === true
        ? { task: 'inquire', dueAt: addMs(now, CHALLENGE_INQUIRY_GAP_MS) }
        : { task: 'decline-absent-payer', dueAt: newest.payerDueAt };
    case 'approved':
      return device === undefined ? { task: 'nothing' } : { task: 'conclude', dueAt: now };
    case 'none':
    case 'declined':
    case 'not-asked':
      return { task: 'nothing' };
    default:
      return unreachable(newest);
  }
};
