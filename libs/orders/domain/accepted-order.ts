import type {
  GateAlias,
  BootId,
  CardHandle,
  MaskedCard,
  CardRefId,
  CardUid,
  ClientOrderId,
  ContentDigest,
  EmailDigest,
  EndpointId,
  Instant,
  MerchantLogin,
  Money,
  NonEmpty,
  OrderId,
  MaskedReceivingCard,
  Sealed,
} from '@app/kernel';
import type { ChosenRoute } from './routing/routing-rules';

export const CHARGED_BY = ['token', 'network-transaction'] as const;
export type ChargedBy = (typeof CHARGED_BY)[number];

/** A reference, not a card number. */
export interface GateToken {
  readonly gate: GateAlias;
  readonly token: string;
}

/** How gates recognise a registered card: each gate's token, and the scheme's id of the payment that proved the card, which any gate may accept. */
export interface CardAtGates {
  readonly tokens: readonly GateToken[];
  readonly networkTransactionId?: string;
}

type KnownAtGate =
  { readonly kind: 'token'; readonly token: string } | { readonly kind: 'network-transaction'; readonly networkTransactionId: string };

/** Returns the first available means to charge the card, or undefined if the gate needs the card itself. */
export const knownAtGate = (
  { tokens, networkTransactionId }: CardAtGates,
  gate: GateAlias,
  means: readonly ChargedBy[],
): KnownAtGate | undefined => {
  const token = tokens.find((one) => one.gate === gate)?.token;
  for (const kind of means) {
    if (kind === 'token' && token !== undefined) return { kind, token };
    if (kind === 'network-transaction' && networkTransactionId !== undefined) return { kind, networkTransactionId };
  }
  return undefined;
};

/** Undefined if none of these gates can charge by reference. */
export const cardAtPlannedGates = (
  { tokens, networkTransactionId }: CardAtGates,
  gates: readonly { readonly alias: GateAlias }[],
): CardAtGates | undefined => {
  const planned = tokens.filter(({ gate }) => gates.some(({ alias }) => alias === gate));
  if (planned.length === 0 && networkTransactionId === undefined) return undefined;
  return { tokens: planned, ...(networkTransactionId !== undefined && { networkTransactionId }) };
};

/** The edge rejects NUL, so no escaping is needed and 64k of text stay 64k when sealed (safety, T30). */
const SEPARATOR = '\u0000';

export const packTexts = (texts: object): string =>
  Object.entries(texts as Readonly<Record<string, string | undefined>>)
    .filter((entry): entry is [string, string] => entry[1] !== undefined)
    .map(([name, text]) => {
      if (text.includes(SEPARATOR)) throw new Error(`${name} holds NUL`);
      return `${name}=${text}`;
    })
    .join(SEPARATOR);

export const unpackTexts = (packed: string): ReadonlyMap<string, string> =>
  new Map(
    packed
      .split(SEPARATOR)
      .filter((part) => part !== '')
      .map((part) => {
        const end = part.indexOf('=');
        return [part.slice(0, end), part.slice(end + 1)];
      }),
  );

/** Determines the wire's transaction-type and the first half of its order-stage. */
export const OPERATIONS = ['sale', 'preauth', 'account-verification', 'transfer'] as const;
export type Operation = (typeof OPERATIONS)[number];

export interface PlannedGate {
  readonly alias: GateAlias;
  readonly descriptor: string;
  readonly gateDescriptor: string;
  readonly partialReversal: boolean;
  readonly partialCapture: boolean;
  readonly longestFlightMs: number;
}

/**
 * `callback` is server_callback_url or the endpoint's address, `notify` is notify_url. `notification` is the merchant server that has not
 * acknowledged an approved order's card mapping (interface, section 4.8).
 */
export const CALLBACK_TARGETS = ['callback', 'notify', 'notification'] as const;
export type CallbackTarget = (typeof CALLBACK_TARGETS)[number];

export interface DevicePlan {
  /** Absent if no choice is offered. */
  readonly feeChoiceMs?: number;
  readonly isRandomSumRequired: boolean;
}

/** Fixed at acceptance, so that decisions can be replayed (architecture, rule 11). */
export interface Plan {
  readonly operation: Operation;
  readonly gates: NonEmpty<PlannedGate>;
  /** `enumerate_amounts`; absent if only the order's amount is tried (protocol decisions, section 7). */
  readonly amounts?: NonEmpty<Money>;
  /** Version of the screening rules; absent if there are none. */
  readonly screening?: string;
  readonly route?: ChosenRoute;
  readonly payerMs: number;
  /** Must make the first submit; absent if the order has no CVV (architecture, rule 5). */
  readonly cvvHolder?: BootId;
  readonly callbacks: readonly CallbackTarget[];
  /**
   * If present, the merchant server checks the order before the first gate and is notified of the cards before an approval is final (protocol
   * decisions, section 8).
   */
  readonly device?: DevicePlan;
}

export const plannedGate = ({ plan }: { readonly plan: Plan }, alias: GateAlias): PlannedGate => {
  const planned = plan.gates.find((gate) => gate.alias === alias);
  if (planned === undefined) throw new Error(`the plan has no gate ${alias}`);
  return planned;
};

export interface OrderCard {
  readonly handle: CardHandle;
  readonly uid: CardUid;
  readonly face: MaskedCard;
}

/** Never charged, and possibly known only by its number. */
export interface ReceivingCard extends Omit<OrderCard, 'face'> {
  readonly face: MaskedReceivingCard;
}

export const isChargeable = (card: ReceivingCard): card is OrderCard =>
  card.face.expiryMonth !== undefined && card.face.expiryYear !== undefined;

export interface AcceptedOrder {
  readonly orderId: OrderId;
  readonly merchant: MerchantLogin;
  readonly clientOrderId: ClientOrderId;
  readonly endpointId: EndpointId;
  /** For an account verification zero, in the endpoint's currency. */
  readonly amount: Money;
  readonly contentDigest: ContentDigest;
  readonly card: OrderCard;
  /** `Customer`, packed and sealed; a recurrent payment has that of the order which registered the card. */
  readonly customer: Sealed;
  readonly details: Sealed;
  /** Absent if the request gave no address, and in orders of earlier releases. */
  readonly emailDigest?: EmailDigest;
  readonly plan: Plan;
  readonly acceptedAt: Instant;
}

export interface OrderInProgress extends Omit<AcceptedOrder, 'card'> {
  readonly card?: OrderCard;
  readonly destination?: ReceivingCard;
  readonly device?: Sealed;
  readonly cardRefId?: CardRefId;
  readonly destinationCardRefId?: CardRefId;
  /** Absent if the card came with its number or no gate knew it at acceptance. */
  readonly atGates?: CardAtGates;
}

export interface Customer {
  readonly holder: string;
  readonly firstName?: string;
  readonly lastName?: string;
  readonly email?: string;
  readonly phone?: string;
  readonly cellPhone?: string;
  readonly country?: string;
  readonly state?: string;
  readonly city?: string;
  readonly zipCode?: string;
  readonly address1?: string;
  readonly ssn?: string;
  readonly birthday?: string;
}

export interface OrderDetails {
  readonly description: string;
  readonly ipAddress: string;
  readonly merchantData?: string;
  readonly purpose?: string;
  readonly comment?: string;
  readonly siteUrl?: string;
  readonly redirectUrl?: string;
  readonly redirectSuccessUrl?: string;
  readonly redirectFailUrl?: string;
  readonly callbackUrl?: string;
  readonly notifyUrl?: string;
}

/** Bound into the ciphertext. */
export const SEALED_FIELDS = {
  customer: 'customer',
  details: 'details',
  payerPage: 'payer-page',
  settlementReason: 'settlement-reason',
  followUpComment: 'follow-up-comment',
  device: 'device',
  gateSession: 'gate-session',
} as const;
