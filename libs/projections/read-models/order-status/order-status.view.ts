import type { EventId } from '@app/event-store';
import type {
  AttemptKey,
  CardRefId,
  ClientOrderId,
  Currency,
  EndpointId,
  Instant,
  MerchantLogin,
  OrderId,
  OrderKind,
  Sealed,
  SerialNumber,
} from '@app/kernel';
import type {
  CallbackTarget,
  FollowUpOperation,
  IssuerFacts,
  MappedReferences,
  Operation,
  OrderCard,
  PlannedGate,
  RandomSumResult,
  Receipt,
  ReceivingCard,
} from '@app/order-processing/events';
import type { FollowUpStage, FollowUpView } from './follow-up.view';

/** The wire's `status`; the first four are final (protocol decisions, section 2). */
export type OrderStatus = 'approved' | 'declined' | 'error' | 'filtered' | 'processing' | 'unknown' | 'chain_declined';
export type FinalStatus = Extract<OrderStatus, 'approved' | 'declined' | 'error' | 'filtered'>;

/** The second half of the wire's `order-stage` (protocol decisions, section 2), as far as an operation that exists comes to it. */
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

/** Of the operation that made the order, or of a follow-up. */
export type OrderStage = `${(typeof OPERATION_WORDS)[Operation]['stage']}_${StageState}` | FollowUpStage;
export type TransactionType = (typeof OPERATION_WORDS)[Operation]['transactionType'] | FollowUpOperation;

/** A request that made or changed the order: what `by-request-sn` may name (interface, section 2.5; protocol decisions, section 3). */
export interface OrderRequest {
  readonly serial: SerialNumber;
  readonly operation: Operation | FollowUpOperation;
  readonly eventId: EventId;
}

/** What the gate said of the newest attempt; a member that it did not give is absent. */
export type GateReceipt = Pick<Receipt, 'transactionId'> & Partial<Omit<Receipt, 'transactionId' | 'commission' | 'randomSum'>>;

/** The payer is awaited: the page, sealed, and until when. */
export interface PayerAwaited {
  readonly attemptKey: AttemptKey;
  readonly page: Sealed;
  readonly payerDueAt: Instant;
}

/**
 * All that a status answer needs of an order (interface, section 2.5; protocol decisions, D2.9). JSON: amounts are minor units as text, instants
 * ms since the epoch; sealed texts stay sealed. Every member always stands, null where it has no value, so that one sequence of events has one text.
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
  /** With the type: of the order's own operation, and once a follow-up was approved, of the latest such. */
  readonly stage: OrderStage;
  readonly transactionType: TransactionType;
  readonly currency: Currency;
  /** The amount being tried while the order is under way, then the amount approved. */
  readonly amountMinor: string;
  /** The amount requested. */
  readonly initialAmountMinor: string;
  /** Null where it was given by a reference that only the merchant server knows, and it was not asked yet. */
  readonly card: OrderCard | null;
  /** Of a transfer, as far as it is known. */
  readonly destination: ReceivingCard | null;
  /** The reference that was charged; null where the card was given by its number. */
  readonly cardRefId: CardRefId | null;
  /** Null until the cards of an order of the device interface are mapped, and of every other order. */
  readonly mapped: MappedReferences | null;
  readonly customer: Sealed;
  readonly details: Sealed;
  /** The plan's gates, in the order in which they are asked. */
  readonly gates: readonly PlannedGate[];
  /** The gate asked last: descriptors, partial flags, and whose commission applies. */
  readonly gate: PlannedGate | null;
  readonly attemptKey: AttemptKey | null;
  readonly attempts: number;
  readonly issuer: IssuerFacts | null;
  /** Of the newest attempt. */
  readonly receipt: GateReceipt | null;
  /** What the consumer agreed to, then what the gate held; null where neither was told. */
  readonly commissionMinor: string | null;
  /** Whether who paid knew what was withdrawn from the card before; null where nothing was, or nobody asked. */
  readonly randomSum: RandomSumResult | null;
  /** Of the newest attempt; to be shown once the order is approved. */
  readonly approvalCode: string | null;
  /** Names the receipt page; once approved. */
  readonly receiptId: string | null;
  /** Exactly while the stage is `*_3d_validating`. */
  readonly payer: PayerAwaited | null;
  readonly acceptedAt: Instant;
  /** When a gate was first asked (`paynet-processing-date`). */
  readonly processingAt: Instant | null;
  /** When the status became final (`transaction-date`). */
  readonly finalAt: Instant | null;
  /** The reason of a final status that is not approved (protocol decisions, section 4). */
  readonly code: number | null;
  /** The gate's advice to the payer, of the newest attempt. */
  readonly advice: string | null;
  /** The oldest first; the first made the order. */
  readonly requests: readonly OrderRequest[];
  /** Who hears of the final status. */
  readonly callbacks: readonly CallbackTarget[];
  /** Delivery id of the callbacks (architecture, rule 11). */
  readonly finalEventId: EventId | null;
  /** Words of the gate that contradict what is believed; they change nothing else (safety, I4). */
  readonly conflicts: number;
  /** By number; empty until the order is approved. */
  readonly followUps: readonly FollowUpView[];
}
