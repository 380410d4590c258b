import type { EventId } from '@app/event-store';
import type { Currency, GateAlias, Instant } from '@app/kernel';
import type { CallbackTarget, ChargebackStage, MisfitCause, ReportKind, ReportSource, RepresentmentOutcome } from '@app/orders/events';

/** The `order-stage` that a report gives its order (protocol decisions, section 2). */
export type DisputeStage = 'chargeback_approved' | 'chargeback_rejected' | 'reversal_approved' | 'cancel_approved';

/** What a gate reported of an order after its end. A member without a value is null. */
export interface ReportView {
  readonly kind: ReportKind;
  readonly gate: GateAlias;
  /** The gate's own id of the case. */
  readonly reportId: string;
  readonly source: ReportSource;
  readonly stage: ChargebackStage | null;
  readonly outcome: RepresentmentOutcome | null;
  readonly amountMinor: string | null;
  readonly currency: Currency | null;
  readonly reasonCode: string | null;
  readonly happenedAt: Instant | null;
  readonly receivedAt: Instant;
  /** Type and stage of the order from here on; null for what moves no money, and for what was set aside. */
  readonly shown: { readonly transactionType: 'chargeback' | 'reversal' | 'cancel'; readonly stage: DisputeStage } | null;
  /** Why it does not fit the order, so that it changed nothing; null where it fits. */
  readonly misfit: MisfitCause | null;
  readonly isAboveTaken: boolean;
  readonly callbacks: readonly CallbackTarget[];
  /** Delivery id of its callbacks. */
  readonly eventId: EventId;
}
