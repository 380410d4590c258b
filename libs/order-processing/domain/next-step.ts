import { addMs, unreachable, type Instant } from '@app/kernel';
import { LEAVES_WITHIN_MS, nextInquiryAt } from './inquiry-schedule';
import { SUBMIT_OVERDUE_MS, type Processing } from './processing';

/** What an order waits for, and when it is due: the reactors' agenda, a pure reading of the state. */
export type NextStep =
  | { readonly task: 'submit'; readonly dueAt: Instant }
  /** The submit belongs to the process that holds the CVV; this is when anyone may end the order. */
  | { readonly task: 'interrupt'; readonly dueAt: Instant }
  | { readonly task: 'inquire'; readonly dueAt: Instant }
  | { readonly task: 'decline-absent-payer'; readonly dueAt: Instant }
  | { readonly task: 'nothing' };

/** From the claim: after it nothing of that claim is on its way any more, from whichever process. */
export const longestFlightMsOf = ({ plan }: Processing, gate: string): number => {
  const planned = plan.gates.find(({ alias }) => alias === gate);
  if (planned === undefined) throw new Error(`the plan has no gate ${gate}`);
  return LEAVES_WITHIN_MS + planned.longestFlightMs;
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
