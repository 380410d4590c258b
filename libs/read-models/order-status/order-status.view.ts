import type { EventId } from '@app/event-store';
import type {
  AttemptKey,
  Instant,
  SerialNumber,
  Currency,
  GateAlias,
  CardRefId,
  ClientOrderId,
  EndpointId,
  MerchantLogin,
  OrderId,
  OrderKind,
  Sealed,
} from '@app/kernel';
import type {
  CallbackTarget,
  FollowUpOperation,
  Receipt,
  ChargebackStage,
  MisfitCause,
  ReportKind,
  ReportSource,
  RepresentmentOutcome,
  IssuerFacts,
  MappedReferences,
  Operation,
  OrderCard,
  PlannedGate,
  RandomSumResult,
  ReceivingCard,
} from '@app/orders/events';

/** The values of the wire's `status` that a follow-up can have. */
export type FollowUpStatus = 'processing' | 'unknown' | 'approved' | 'declined' | 'error';

/** A follow-up's `order-stage`: operation and status. */
type FollowUpStage = `${FollowUpOperation}_${FollowUpStatus}`;

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

/** The `order-stage` that a report gives its order (protocol decisions, section 2). */
type DisputeStage = 'chargeback_approved' | 'chargeback_rejected' | 'reversal_approved' | 'cancel_approved';

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

/** The wire's `status`; the first four are final (protocol decisions, section 2). */
export type OrderStatus = 'approved' | 'declined' | 'error' | 'filtered' | 'processing' | 'unknown' | 'chain_declined';
export type FinalStatus = Extract<OrderStatus, 'approved' | 'declined' | 'error' | 'filtered'>;

/** The second half of the wire's `order-stage` (protocol decisions, section 2), for the operations that exist. */
export type StageState =
  | 'starting'
  | 'filtering'
  | '3d_validating'
  | '3d_validated'
  | 'processing'
  | 'chain_declined'
  | 'unknown'
  | 'approved'
  | 'declined'
  | 'error'
  | 'filtered';

/** The operation's half of `order-stage`, and its `transaction-type`. */
export const OPERATION_WORDS = {
  sale: { stage: 'sale', transactionType: 'sale' },
  preauth: { stage: 'auth', transactionType: 'preauth' },
  'account-verification': { stage: 'av', transactionType: 'account_verification' },
  transfer: { stage: 'transfer', transactionType: 'transfer' },
} as const satisfies Readonly<Record<Operation, { readonly stage: string; readonly transactionType: string }>>;

/** Stage of the order's own operation, of a follow-up, or of what its gate reported later. */
export type OrderStage = `${(typeof OPERATION_WORDS)[Operation]['stage']}_${StageState}` | FollowUpStage | DisputeStage;
type TransactionType = (typeof OPERATION_WORDS)[Operation]['transactionType'] | FollowUpOperation | 'chargeback';

/** A request that created or changed the order, which `by-request-sn` may name (interface, section 2.5; protocol decisions, section 3). */
interface OrderRequest {
  readonly serial: SerialNumber;
  readonly operation: Operation | FollowUpOperation;
  readonly eventId: EventId;
}

/** The gate's data of the newest attempt; a member that the gate did not send is absent. */
export type GateReceipt = Pick<Receipt, 'transactionId'> & Partial<Omit<Receipt, 'transactionId' | 'commission' | 'randomSum'>>;

/** A pending authentication of the payer: the sealed page and the deadline. */
interface PayerAwaited {
  readonly attemptKey: AttemptKey;
  readonly page: Sealed;
  readonly payerDueAt: Instant;
}

/**
 * All data of an order that a status answer needs (interface, section 2.5; protocol decisions, D2.9). It is JSON: amounts are minor units as text,
 * instants ms since the epoch, sealed texts stay sealed. Members without a value are null, so that equal sequences of events have equal texts.
 */
export interface OrderStatusView {
  readonly merchant: MerchantLogin;
  readonly kind: OrderKind;
  readonly clientOrderId: ClientOrderId;
  readonly orderId: OrderId;
  /** The endpoint that serves the order, also where a group was called. */
  readonly endpointId: EndpointId;
  readonly operation: Operation;
  readonly status: OrderStatus;
  /** Stage and type are those of the order's own operation, or of the latest approved follow-up or report of its gate. */
  readonly stage: OrderStage;
  readonly transactionType: TransactionType;
  readonly currency: Currency;
  /** The amount of the current attempt, then the approved amount. */
  readonly amountMinor: string;
  /** The amount requested. */
  readonly initialAmountMinor: string;
  /** Null where the order names a reference that only the merchant server can resolve and has not yet resolved. */
  readonly card: OrderCard | null;
  /** Destination card of a transfer, once it is known. */
  readonly destination: ReceivingCard | null;
  /** The reference that was charged; null where the order has the card's number. */
  readonly cardRefId: CardRefId | null;
  /** Null until the cards of a device order are mapped, and in every other order. */
  readonly mapped: MappedReferences | null;
  readonly customer: Sealed;
  readonly details: Sealed;
  /** The gates of the routing plan, in order. */
  readonly gates: readonly PlannedGate[];
  /** The latest gate, which gives descriptors, partial flags and commission. */
  readonly gate: PlannedGate | null;
  readonly attemptKey: AttemptKey | null;
  readonly attempts: number;
  readonly issuer: IssuerFacts | null;
  /** Gate data of the newest attempt. */
  readonly receipt: GateReceipt | null;
  /** The commission that the consumer agreed to, then the one that the gate held; null where neither is known. */
  readonly commissionMinor: string | null;
  /** Whether the payer knew the random sum that was withdrawn from the card; null where it was not checked. */
  readonly randomSum: RandomSumResult | null;
  /** Approval code of the newest attempt; shown only once the order is approved. */
  readonly approvalCode: string | null;
  /** Identifies the receipt page; null before the approval. */
  readonly receiptId: string | null;
  /** Present exactly while the stage is `*_3d_validating`. */
  readonly payer: PayerAwaited | null;
  readonly acceptedAt: Instant;
  /** Time of the first request to a gate (`paynet-processing-date`). */
  readonly processingAt: Instant | null;
  /** Time at which the status became final (`transaction-date`). */
  readonly finalAt: Instant | null;
  /** The reason of a final status that is not approved (protocol decisions, section 4). */
  readonly code: number | null;
  /** The gate's advice to the payer, of the newest attempt. */
  readonly advice: string | null;
  /** Oldest first; the first one created the order. */
  readonly requests: readonly OrderRequest[];
  /** The addresses to notify of the final status. */
  readonly callbacks: readonly CallbackTarget[];
  /** Delivery id of the callbacks (architecture, rule 11). */
  readonly finalEventId: EventId | null;
  /** Count of late outcomes that contradict the recorded one; they change nothing else (safety, I4). */
  readonly conflicts: number;
  /** In the order of their numbers; empty until the order is approved. */
  readonly followUps: readonly FollowUpView[];
  /** What its gate reported after the end, oldest first; absent where it reported nothing, so that such rows stay as they were. */
  readonly reports?: readonly ReportView[];
}

/** Counts the unknown outcomes of an order and its follow-ups, which an operator may have to resolve. */
export const unknownOutcomes = (view: Pick<OrderStatusView, 'status' | 'followUps'>): number =>
  [view, ...view.followUps].filter(({ status }) => status === 'unknown').length;
