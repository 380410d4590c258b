import { HttpStatus } from '@nestjs/common';
import { HttpReply } from '@app/http/server';
import { LEAST_ROLES, type ShownApproval } from '@app/investigation';
import type { Approving, NotAdmin, UnderApproval } from './four-eyes';

/** To a request whose action needs an approval. */
export type ApprovalReply = HttpReply<{ readonly approval: ShownApproval }, 202>;

type Refusal = Exclude<Approving, UnderApproval>;

const REFUSALS: Readonly<Record<Exclude<Refusal['reason'], 'role'>, readonly [status: number, error: string]>> = {
  'unknown-approval': [HttpStatus.NOT_FOUND, 'unknown-approval'],
  'own-proposal': [HttpStatus.FORBIDDEN, 'another person must approve it'],
  'not-admin': [HttpStatus.FORBIDDEN, 'only an admin may act alone'],
  'decided-before': [HttpStatus.CONFLICT, 'decided-before'],
  'not-approved': [HttpStatus.CONFLICT, 'not-approved'],
};
const CONFLICTS: ReadonlySet<string> = new Set(['refused', 'rejected', 'expired', 'invalidated']);

export const isUnderApproval = <Answer extends { readonly reason: string }>(
  answer: Answer | UnderApproval | NotAdmin,
): answer is UnderApproval | NotAdmin => answer.reason === 'under-approval' || answer.reason === 'not-admin';

export const refusalReply = (refusal: Refusal): HttpReply<never> => {
  if (refusal.reason === 'role') {
    const error = `a decision on ${refusal.action} needs the role ${LEAST_ROLES[refusal.action]}`;
    return HttpReply.json(HttpStatus.FORBIDDEN, { error });
  }
  const [status, error] = REFUSALS[refusal.reason];
  return HttpReply.json(status, { error });
};

export const approvalReply = (answer: Approving): ApprovalReply => {
  if (answer.reason !== 'under-approval') return refusalReply(answer);
  const { approval } = answer;
  const { status, cause } = approval;
  if (!CONFLICTS.has(status)) return HttpReply.json(HttpStatus.ACCEPTED, { approval });
  return HttpReply.json(HttpStatus.CONFLICT, { error: `the proposal is ${status}${cause === null ? '' : `: ${cause}`}` });
};
