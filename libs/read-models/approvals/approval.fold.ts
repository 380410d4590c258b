import { unreachable } from '@app/kernel';
import type { ApprovalEvent } from '@app/investigation/approvals/events';
import { CannotApply } from '../engine/faults';
import type { LogEvent } from '../engine/log-event';
import type { ApprovalView } from './approval.view';

/** @throws CannotApply if the event cannot follow the previous ones */
export const foldApproval = (view: ApprovalView | undefined, { event }: LogEvent<ApprovalEvent>): ApprovalView => {
  if (event.type === 'ActionProposed') {
    if (view !== undefined) throw new CannotApply('ActionProposed of a proposal that exists');
    const { amount, orderRevision: _seen, reason: _sealed, configuration: _changes, ...proposed } = event.data;
    const sum = amount && { amountMinor: amount.minor.toString(), currency: amount.currency };
    return { ...proposed, ...sum, status: 'waiting', decider: null, decidedAt: null, isAlone: false, cause: null };
  }
  const isAfterApproval = event.type === 'ApprovedActionEnded';
  if (view?.status !== (isAfterApproval ? 'approved' : 'waiting'))
    throw new CannotApply(`${event.type} of a proposal that is ${view?.status ?? 'not there'}`);
  switch (event.type) {
    case 'ActionApproved': {
      const { approver: decider, isAlone, approvedAt: decidedAt } = event.data;
      return { ...view, status: 'approved', decider, decidedAt, isAlone };
    }
    case 'ProposalRejected':
      return { ...view, status: 'rejected', decider: event.data.rejecter, decidedAt: event.data.rejectedAt };
    case 'ProposalExpired':
      return { ...view, status: 'expired', decidedAt: event.data.expiredAt };
    case 'ProposalInvalidated':
      return { ...view, status: 'invalidated', decidedAt: event.data.invalidatedAt };
    case 'ApprovedActionEnded':
      return { ...view, status: event.data.outcome, cause: event.data.cause ?? null };
    default:
      return unreachable(event);
  }
};
