import type { Instant } from '@app/kernel';
import type { ActionProposed } from '@app/investigation/approvals/events';

/** `waiting` turns into `expired` without an event once its time is over. `approved`: not known to be executed. */
export const APPROVAL_STATUSES = ['waiting', 'approved', 'done', 'refused', 'rejected', 'expired', 'invalidated'] as const;
export type ApprovalStatus = (typeof APPROVAL_STATUSES)[number];

/** Reasons and changes of a configuration stay in the log. Minor units as text. */
export interface ApprovalView extends Omit<ActionProposed['data'], 'amount' | 'orderRevision' | 'reason' | 'configuration'> {
  readonly amountMinor?: string;
  readonly currency?: string;
  readonly status: ApprovalStatus;
  /** The person who approved or rejected it. */
  readonly decider: string | null;
  readonly decidedAt: Instant | null;
  /** An admin acted without a second person. */
  readonly isAlone: boolean;
  /** Why the approved action was refused. */
  readonly cause: string | null;
}
