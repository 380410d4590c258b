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

/** By what a gate can charge a registered card without its number. */
export const CHARGED_BY = ['token', 'network-transaction'] as const;
export type ChargedBy = (typeof CHARGED_BY)[number];

/** A gate's own token of a card; a reference, not a card number. */
export interface GateToken {
  readonly gate: GateAlias;
  readonly token: string;
}

/** What gates know a registered card by: each gate's own token, and the scheme's id of the payment that proved the card, which any gate may take. */
export interface CardAtGates {
  readonly tokens: readonly GateToken[];
  readonly networkTransactionId?: string;
}

type KnownAtGate =
  { readonly kind: 'token'; readonly token: string } | { readonly kind: 'network-transaction'; readonly networkTransactionId: string };

/** By what this gate charges the card, the first of its means that there is; undefined where it needs the card itself. */
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

/** As far as an order that may be charged at these gates can use it; undefined where none of them can. */
export const cardAtPlannedGates = (
  { tokens, networkTransactionId }: CardAtGates,
  gates: readonly { readonly alias: GateAlias }[],
): CardAtGates | undefined => {
  const planned = tokens.filter(({ gate }) => gates.some(({ alias }) => alias === gate));
  if (planned.length === 0 && networkTransactionId === undefined) return undefined;
  return { tokens: planned, ...(networkTransactionId !== undefined && { networkTransactionId }) };
};

/** The edge accepts no text with NUL, so it separates without escaping and 64k of text stay 64k under the seal (safety, T30). */
const SEPARATOR = '\u0000';

/** Packs the members that are given into one text to be sealed. */
export const packTexts = (texts: object): string =>
  Object.entries(texts as Readonly<Record<string, string | undefined>>)
    .filter((entry): entry is [string, string] => entry[1] !== undefined)
    .map(([name, text]) => {
      if (text.includes(SEPARATOR)) throw new Error(`${name} holds NUL`);
      return `${name}=${text}`;
    })
    .join(SEPARATOR);

/** Unpacks what `packTexts` packed, by name. */
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

/** What an order does at its gate; the wire's transaction-type and the first half of its order-stage follow from it. */
export const OPERATIONS = ['sale', 'preauth', 'account-verification', 'transfer'] as const;
export type Operation = (typeof OPERATIONS)[number];

/** A gate as it was when the order was accepted, because what is shown of it and what bounds it must not change under the order. */
export interface PlannedGate {
  readonly alias: GateAlias;
  /** The text on the payer's statement: the entry point's descriptor, else the gate's. */
  readonly descriptor: string;
  readonly gateDescriptor: string;
  readonly partialReversal: boolean;
  readonly partialCapture: boolean;
  readonly longestFlightMs: number;
}

/**
 * The receivers of the final status: `callback` is server_callback_url or the endpoint's own address, `notify` is notify_url, `notification` is the
 * merchant server that has not acknowledged the card mapping of an approved order (interface, section 4.8).
 */
export const CALLBACK_TARGETS = ['callback', 'notify', 'notification'] as const;
export type CallbackTarget = (typeof CALLBACK_TARGETS)[number];

/** What an order of the device interface waits for beside its gates (protocol decisions, section 8). */
export interface DevicePlan {
  /** How long the consumer may choose among the gates' fees; absent where no choice is offered. */
  readonly feeChoiceMs?: number;
  readonly isRandomSumRequired: boolean;
}

/** Fixed with the acceptance, so that history can be decided again (architecture, rule 11). */
export interface Plan {
  readonly operation: Operation;
  /** In the order in which they are asked. */
  readonly gates: NonEmpty<PlannedGate>;
  /** `enumerate_amounts`, in the order in which they are tried; absent where only the order's amount is (protocol decisions, section 7). */
  readonly amounts?: NonEmpty<Money>;
  /** Version of the entry point's screening rules, recorded under that name; absent where it has none. */
  readonly screening?: string;
  /** How `gates` were chosen; absent where the entry point has no routing rules, and none of its gates that can serve the order was left out. */
  readonly route?: ChosenRoute;
  /** How long the payer may take on the authentication page. */
  readonly payerMs: number;
  /** The process that holds the CVV and must make the first submit; absent where the order came without one (architecture, rule 5). */
  readonly cvvHolder?: BootId;
  readonly callbacks: readonly CallbackTarget[];
  /** The merchant server is asked before the first gate, and notified of the cards before an approval is final. */
  readonly device?: DevicePlan;
}

/** @throws Error for a gate that the plan does not have */
export const plannedGate = ({ plan }: { readonly plan: Plan }, alias: GateAlias): PlannedGate => {
  const planned = plan.gates.find((gate) => gate.alias === alias);
  if (planned === undefined) throw new Error(`the plan has no gate ${alias}`);
  return planned;
};

/** A card as an order knows it: its handle in the vault, and what may be shown of it. */
export interface OrderCard {
  readonly handle: CardHandle;
  readonly uid: CardUid;
  readonly face: MaskedCard;
}

/** A card that receives: never charged, and possibly known by its number alone. */
export interface ReceivingCard extends Omit<OrderCard, 'face'> {
  readonly face: MaskedReceivingCard;
}

/** Whether enough is known of a card to charge it. */
export const isChargeable = (card: ReceivingCard): card is OrderCard =>
  card.face.expiryMonth !== undefined && card.face.expiryYear !== undefined;

/** The data of every context's `OrderAccepted`; a context adds its own. */
export interface AcceptedOrder {
  readonly orderId: OrderId;
  readonly merchant: MerchantLogin;
  readonly clientOrderId: ClientOrderId;
  /** The endpoint that serves the order, also where a group was called. */
  readonly endpointId: EndpointId;
  /** Zero, in the endpoint's currency, for an account verification, which moves no money. */
  readonly amount: Money;
  readonly contentDigest: ContentDigest;
  readonly card: OrderCard;
  /** `Customer`, packed and sealed; for a recurrent payment that of the order which registered the card. */
  readonly customer: Sealed;
  /** `OrderDetails`, packed and sealed. */
  readonly details: Sealed;
  /** By which an order of a known address is found; absent where the request gave none, and in orders of earlier releases. */
  readonly emailDigest?: EmailDigest;
  readonly plan: Plan;
  readonly acceptedAt: Instant;
}

/** An order as it is processed: one of the device interface may learn its cards from the merchant server, before any gate is asked. */
export interface OrderUnderWay extends Omit<AcceptedOrder, 'card'> {
  readonly card?: OrderCard;
  /** Present for a transfer. */
  readonly destination?: ReceivingCard;
  /** `DeviceTexts`, packed and sealed. */
  readonly device?: Sealed;
  /** The reference by which the card was given. */
  readonly cardRefId?: CardRefId;
  readonly destinationCardRefId?: CardRefId;
  /** What the planned gates knew the card by when the order was accepted; absent where it came with its number, and where no gate knows it. */
  readonly atGates?: CardAtGates;
}

/** The payer (protocol decisions, section 10); what was not given is absent. */
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

/** Free text and addresses of one order. */
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

/** Names under which texts are sealed; bound into the ciphertext. */
export const SEALED_FIELDS = {
  customer: 'customer',
  details: 'details',
  payerPage: 'payer-page',
  settlementReason: 'settlement-reason',
  followUpComment: 'follow-up-comment',
  device: 'device',
  gateSession: 'gate-session',
} as const;
