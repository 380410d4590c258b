import type { EventId } from '@app/event-store';
import type { AttemptKey, Instant, SerialNumber } from '@app/kernel';
import type { CallbackTarget, FollowUpOperation, Receipt } from '@app/orders/events';

/** The values of the wire's `status` that a follow-up can have. */
export type FollowUpStatus = 'processing' | 'unknown' | 'approved' | 'declined' | 'error';

/** A follow-up's `order-stage`: operation and status. */
export type FollowUpStage = `${FollowUpOperation}_${FollowUpStatus}`;

/** A capture, reversal, cancel or void of an order, as a status query by its serial shows it (protocol decisions, section 2). */
export interface FollowUpView {
  /** From 1, within the order. */
  readonly number: number;
  /** Serial of its request. */
  readonly serial: SerialNumber;
  /** Also the wire's `transaction-type`. */
  readonly operation: FollowUpOperation;
  readonly status: FollowUpStatus;
  readonly stage: FollowUpStage;
  readonly amountMinor: string;
  readonly attemptKey: AttemptKey | null;
  readonly receipt: Receipt | null;
  readonly approvalCode: string | null;
  readonly acceptedAt: Instant;
  /** Time of the request to the gate. */
  readonly processingAt: Instant | null;
  readonly finalAt: Instant | null;
  /** The reason of a final status that is not approved. */
  readonly code: number | null;
  readonly advice: string | null;
  readonly callbacks: readonly CallbackTarget[];
  /** Delivery id of its callbacks. */
  readonly finalEventId: EventId | null;
  /** Count of later outcomes that contradict the recorded one; they change nothing else. */
  readonly conflicts: number;
}
