import { HttpStatus } from '@nestjs/common';
import { HttpReply } from '@app/http/server';
import { approvalAsJson, type ListedApproval } from '@app/investigation';
import type { Instant } from '@app/kernel';
import type { NotAdmin, UnderApproval } from './four-eyes';

/** To a request whose action needs an approval. */
export type ApprovalReply = HttpReply<{ readonly approval: ListedApproval }, 202>;

const CONFLICTS: ReadonlySet<string> = new Set(['refused', 'rejected', 'expired', 'invalidated']);

type Approvable = UnderApproval | NotAdmin;

export const isUnderApproval = <Answer extends { readonly reason: string }>(
  answer: Answer | Approvable,
): answer is Extract<Answer | Approvable, Approvable> => answer.reason === 'under-approval' || answer.reason === 'not-admin';

export const approvalReply = (answer: Approvable, now: Instant): ApprovalReply => {
  if (answer.reason === 'not-admin') return HttpReply.json(HttpStatus.FORBIDDEN, { error: 'only an admin may act alone' });
  const approval = approvalAsJson(answer.approvalId, answer.view, now);
  const { status, cause } = approval;
  if (!CONFLICTS.has(status)) return HttpReply.json(HttpStatus.ACCEPTED, { approval });
  return HttpReply.json(HttpStatus.CONFLICT, { error: `the proposal is ${status}${cause === null ? '' : `: ${cause}`}` });
};
