export { approvalCodec, approvalIdFor, approvalIdOf, approvalStream, isApprovalId } from './approval.codec';
export { isExpired, type ProposedAction, type ProposedConfiguration, PROPOSAL_TERM_MS } from './domain/approval';
export { APPROVAL_REASON, Approvals, causeOf, type Decided } from './approvals';
