import type { EventId } from '@app/event-store';
import type { AttemptKey, Instant, SerialNumber } from '@app/kernel';
import type { CallbackTarget, FollowUpOperation, Receipt } from '@app/order-processing/events';

/** Of the wire's `status`, those that a follow-up comes to. */
export type FollowUpStatus = 'processing' | 'unknown' | 'approved' | 'declined' | 'error';

/** A follow-up's `order-stage`: its operation is the first half, its status the second. */
export type FollowUpStage = `${FollowUpOperation}_${FollowUpStatus}`;

/** A capture, reversal, cancel or void of an order; what a status answer tells that is asked by its serial (protocol decisions, section 2). */
export interface FollowUpView {
  /** From 1, within the order. */
  readonly number: number;
  /** Of the request that asked for it. */
  readonly serial: SerialNumber;
  /** The wire's `transaction-type` too. */
  readonly operation: FollowUpOperation;
  readonly status: FollowUpStatus;
  readonly stage: FollowUpStage;
  readonly amountMinor: string;
  readonly attemptKey: AttemptKey | null;
  readonly receipt: Receipt | null;
  readonly approvalCode: string | null;
  readonly acceptedAt: Instant;
  /** When the gate was asked. */
  readonly processingAt: Instant | null;
  readonly finalAt: Instant | null;
  /** The reason of a final status that is not approved. */
  readonly code: number | null;
  readonly advice: string | null;
  readonly callbacks: readonly CallbackTarget[];
  /** Delivery id of its callbacks. */
  readonly finalEventId: EventId | null;
  /** Words of the gate that contradict what is believed; they change nothing else. */
  readonly conflicts: number;
}
