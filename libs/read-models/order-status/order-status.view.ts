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

export type FollowUpStatus = 'processing' | 'unknown' | 'approved' | 'declined' | 'error';

type FollowUpStage = `${FollowUpOperation}_${FollowUpStatus}`;

/** A capture, reversal, cancel or void, as a status query by its serial shows it (protocol decisions, section 2). */
export interface FollowUpView {
  /** From 1, within the order. */
  readonly number: number;
  readonly serial: SerialNumber;
  readonly operation: FollowUpOperation;
  readonly status: FollowUpStatus;
  readonly stage: FollowUpStage;
  readonly amountMinor: string;
  readonly attemptKey: AttemptKey | null;
  readonly receipt: Receipt | null;
  readonly approvalCode: string | null;
  readonly acceptedAt: Instant;
  readonly processingAt: Instant | null;
  readonly finalAt: Instant | null;
  readonly code: number | null;
  readonly advice: string | null;
  readonly callbacks: readonly CallbackTarget[];
  readonly finalEventId: EventId | null;
  /** Count of later outcomes that contradict the recorded one; they change nothing else. */
  readonly conflicts: number;
  /** Present exactly while the status is `unknown`. */
  readonly unknownSince?: Instant;
}

type DisputeStage = 'chargeback_approved' | 'chargeback_rejected' | 'reversal_approved' | 'cancel_approved';

/** A gate's report after the order has ended. A member without a value is null. */
export interface ReportView {
  readonly kind: ReportKind;
  readonly gate: GateAlias;
  /** The gate's case id. */
  readonly reportId: string;
  readonly source: ReportSource;
  readonly stage: ChargebackStage | null;
  readonly outcome: RepresentmentOutcome | null;
  readonly amountMinor: string | null;
  readonly currency: Currency | null;
  readonly reasonCode: string | null;
  readonly happenedAt: Instant | null;
  readonly receivedAt: Instant;
  /** Midnight in UTC of the last day to contest a chargeback. Absent if the report has none. */
  readonly respondBy?: Instant;
  /** The order's type and stage after the report; null if it moves no money or does not fit the order. */
  readonly shown: { readonly transactionType: 'chargeback' | 'reversal' | 'cancel'; readonly stage: DisputeStage } | null;
  /** Set if the report does not fit the order and changed nothing. */
  readonly misfit: MisfitCause | null;
  readonly isAboveTaken: boolean;
  readonly callbacks: readonly CallbackTarget[];
  readonly eventId: EventId;
}

/** The wire's `status`; the first four are final (protocol decisions, section 2). */
export type OrderStatus = 'approved' | 'declined' | 'error' | 'filtered' | 'processing' | 'unknown' | 'chain_declined';
export type FinalStatus = Extract<OrderStatus, 'approved' | 'declined' | 'error' | 'filtered'>;

/** The second half of the wire's `order-stage` (protocol decisions, section 2). */
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

export const OPERATION_WORDS = {
  sale: { stage: 'sale', transactionType: 'sale' },
  preauth: { stage: 'auth', transactionType: 'preauth' },
  'account-verification': { stage: 'av', transactionType: 'account_verification' },
  transfer: { stage: 'transfer', transactionType: 'transfer' },
} as const satisfies Readonly<Record<Operation, { readonly stage: string; readonly transactionType: string }>>;

export type OrderStage = `${(typeof OPERATION_WORDS)[Operation]['stage']}_${StageState}` | FollowUpStage | DisputeStage;
type TransactionType = (typeof OPERATION_WORDS)[Operation]['transactionType'] | FollowUpOperation | 'chargeback';

/**
 * A request that created or changed the order; `by-request-sn` may name it (interface, section 2.5; protocol decisions,
 * section 3).
 */
interface OrderRequest {
  readonly serial: SerialNumber;
  readonly operation: Operation | FollowUpOperation;
  readonly eventId: EventId;
}

export type GateReceipt = Pick<Receipt, 'transactionId'> & Partial<Omit<Receipt, 'transactionId' | 'commission' | 'randomSum'>>;

interface PayerAwaited {
  readonly attemptKey: AttemptKey;
  readonly page: Sealed;
  readonly payerDueAt: Instant;
}

/**
 * All data of an order that a status answer needs (interface, section 2.5; protocol decisions, D2.9). Amounts are minor
 * units as text, instants ms since the epoch. Members without a value are null, so that equal events give equal JSON.
 */
export interface OrderStatusView {
  readonly merchant: MerchantLogin;
  readonly kind: OrderKind;
  readonly clientOrderId: ClientOrderId;
  readonly orderId: OrderId;
  readonly endpointId: EndpointId;
  readonly operation: Operation;
  readonly status: OrderStatus;
  /** Of the order's own operation, or of the latest approved follow-up or report. */
  readonly stage: OrderStage;
  readonly transactionType: TransactionType;
  readonly currency: Currency;
  /** The amount of the current attempt, then the approved amount. */
  readonly amountMinor: string;
  readonly initialAmountMinor: string;
  /** Null until the merchant server resolves the card reference. */
  readonly card: OrderCard | null;
  readonly destination: ReceivingCard | null;
  readonly cardRefId: CardRefId | null;
  readonly mapped: MappedReferences | null;
  readonly customer: Sealed;
  readonly details: Sealed;
  readonly gates: readonly PlannedGate[];
  /** The latest gate; source of descriptors, partial flags and commission. */
  readonly gate: PlannedGate | null;
  readonly attemptKey: AttemptKey | null;
  readonly attempts: number;
  readonly issuer: IssuerFacts | null;
  readonly receipt: GateReceipt | null;
  /** The commission that the consumer accepted, later the withheld one; null if neither is known. */
  readonly commissionMinor: string | null;
  /** Whether the payer confirmed the random sum that was charged to the card; null if it was not checked. */
  readonly randomSum: RandomSumResult | null;
  /** Shown only once the order is approved. */
  readonly approvalCode: string | null;
  readonly receiptId: string | null;
  /** Present exactly while the stage is `*_3d_validating`. */
  readonly payer: PayerAwaited | null;
  readonly acceptedAt: Instant;
  /** Time of the first request to a gate (`paynet-processing-date`). */
  readonly processingAt: Instant | null;
  readonly finalAt: Instant | null;
  /** The reason of a final status that is not approved (protocol decisions, section 4). */
  readonly code: number | null;
  readonly advice: string | null;
  /** Oldest first; the first one created the order. */
  readonly requests: readonly OrderRequest[];
  readonly callbacks: readonly CallbackTarget[];
  /** Delivery id of the callbacks (architecture, rule 11). */
  readonly finalEventId: EventId | null;
  /** Count of late outcomes that contradict the recorded one; they change nothing else (safety, I4). */
  readonly conflicts: number;
  readonly followUps: readonly FollowUpView[];
  /** Oldest first. Absent if there are none, so that rows written before reports existed keep their checksum. */
  readonly reports?: readonly ReportView[];
  /** Present exactly while the status is `unknown`. */
  readonly unknownSince?: Instant;
}

type Outcome = Pick<FollowUpView, 'amountMinor' | 'unknownSince'>;
type Outcomes = Outcome & { readonly followUps: readonly Outcome[] };

const unknownOf = (view: Outcomes) =>
  [view, ...view.followUps].flatMap(({ unknownSince: since, amountMinor }) => (since === undefined ? [] : [{ since, amountMinor }]));

/** Of the oldest unknown outcome, the order's own or a follow-up's. Null if there is none. */
export const unknownSince = (view: Outcomes): Instant | null =>
  unknownOf(view).reduce<Instant | null>((oldest, { since }) => (oldest === null || since < oldest ? since : oldest), null);

/** Minor units that were or were not taken, returned or captured. */
export const unknownMinor = (view: Outcomes): bigint => unknownOf(view).reduce((sum, { amountMinor }) => sum + BigInt(amountMinor), 0n);
