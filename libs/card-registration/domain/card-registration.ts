import {
  type AttemptKey,
  type CardRefId,
  type ClientOrderId,
  type EndpointId,
  type GateAlias,
  type Instant,
  type MerchantLogin,
  type OrderId,
  type OrderKind,
  type Sealed,
  unreachable,
  type Decider,
  type NonEmpty,
} from '@app/kernel';
import { type ReceivingCard, isChargeable, type CardAtGates, type OrderCard, type OrderFact, type GateApproval } from '@app/orders/domain';

export const CARD_USES = ['source', 'destination'] as const;
/** A destination reference is for transfers only and is never charged. */
export type CardUse = (typeof CARD_USES)[number];

/** A card that was proved by an approved order has a reference, which the merchant keeps instead of the card. */
export type CardReferenceIssued = {
  readonly type: 'CardReferenceIssued';
  readonly data: {
    readonly cardRefId: CardRefId;
    readonly use: CardUse;
    readonly merchant: MerchantLogin;
    readonly orderKind: OrderKind;
    readonly orderId: OrderId;
    readonly clientOrderId: ClientOrderId;
    readonly endpointId: EndpointId;
    readonly card: ReceivingCard;
    readonly customer: Sealed;
    readonly issuedAt: Instant;
  };
};

/** Durable before the gate is asked. */
export type GateTokenWanted = {
  readonly type: 'GateTokenWanted';
  readonly data: {
    readonly gate: GateAlias;
    readonly attemptKey: AttemptKey;
    readonly gateOrderId?: string;
    readonly wantedAt: Instant;
  };
};

/** From here on the gate can charge the card by its token. */
export type GateTokenKept = {
  readonly type: 'GateTokenKept';
  readonly data: { readonly gate: GateAlias; readonly token: string; readonly keptAt: Instant };
};

export const TOKEN_REFUSALS = ['refused-by-gate', 'other-card', 'given-up'] as const;
export type TokenRefusal = (typeof TOKEN_REFUSALS)[number];

/** The gate gives no token of the card, gave another card's token, or stayed silent until we stopped asking. */
export type GateTokenRefused = {
  readonly type: 'GateTokenRefused';
  readonly data: { readonly gate: GateAlias; readonly cause: TokenRefusal; readonly refusedAt: Instant };
};

/** Any gate that takes this id may charge the card. */
export type NetworkTransactionKept = {
  readonly type: 'NetworkTransactionKept';
  readonly data: { readonly gate: GateAlias; readonly networkTransactionId: string; readonly keptAt: Instant };
};

/** Recorded before the card is shredded: nothing charges it from here on. */
type CardShredded = {
  readonly type: 'CardShredded';
  readonly data: { readonly shreddedAt: Instant };
};

type GateTokenEvent = GateTokenWanted | GateTokenKept | GateTokenRefused | NetworkTransactionKept;
export type CardRegistrationEvent = CardReferenceIssued | GateTokenEvent | CardShredded;

interface TokensOfCard {
  readonly atGates: CardAtGates;
  readonly wanted: readonly GateTokenWanted['data'][];
  readonly refusedBy: readonly GateAlias[];
}

type Issued = Omit<CardReferenceIssued['data'], 'use' | 'card'> & TokensOfCard & { readonly status: 'issued' };

export type CardRegistration =
  | { readonly status: 'none' }
  | { readonly status: 'shredded'; readonly cardRefId: CardReferenceIssued['data']['cardRefId'] }
  | (Issued & { readonly use: 'source'; readonly card: OrderCard })
  | (Issued & { readonly use: 'destination'; readonly card: ReceivingCard });

const NOTHING_KNOWN: TokensOfCard = { atGates: { tokens: [] }, wanted: [], refusedBy: [] };

const issuedOf = ({ use, card, ...issued }: CardReferenceIssued['data']): CardRegistration => {
  if (use === 'destination') return { status: 'issued', use, card, ...issued, ...NOTHING_KNOWN };
  if (!isChargeable(card)) throw new Error('a reference to charge a card that only receives');
  return { status: 'issued', use, card, ...issued, ...NOTHING_KNOWN };
};

const tokensAfter = ({ atGates, wanted, refusedBy }: TokensOfCard, event: GateTokenEvent): TokensOfCard => {
  const { gate } = event.data;
  const others = <Item extends { readonly gate: GateAlias }>(items: readonly Item[]): readonly Item[] =>
    items.filter((item) => item.gate !== gate);
  switch (event.type) {
    case 'GateTokenWanted':
      return { atGates, wanted: [...others(wanted), event.data], refusedBy };
    case 'GateTokenKept': {
      const tokens = [...others(atGates.tokens), { gate, token: event.data.token }];
      return { atGates: { ...atGates, tokens }, wanted: others(wanted), refusedBy };
    }
    case 'GateTokenRefused':
      return { atGates, wanted: others(wanted), refusedBy: event.data.cause === 'given-up' ? refusedBy : [...refusedBy, gate] };
    case 'NetworkTransactionKept':
      return { atGates: { ...atGates, networkTransactionId: event.data.networkTransactionId }, wanted, refusedBy };
    default:
      return unreachable(event);
  }
};

export const evolve = (state: CardRegistration, event: CardRegistrationEvent): CardRegistration => {
  if (event.type === 'CardReferenceIssued') {
    if (state.status !== 'none') throw new Error(`${event.type} twice`);
    return issuedOf(event.data);
  }
  if (state.status === 'none') throw new Error(`${event.type} before CardReferenceIssued`);
  if (state.status === 'shredded') throw new Error(`${event.type} after CardShredded`);
  if (event.type === 'CardShredded') return { status: 'shredded', cardRefId: state.cardRefId };
  const { atGates, wanted, refusedBy } = state;
  return { ...state, ...tokensAfter({ atGates, wanted, refusedBy }, event) };
};

/** A repeat gets the same reference. */
export interface IssueCardReference {
  readonly type: 'IssueCardReference';
  readonly data: {
    readonly merchant: MerchantLogin;
    readonly cardRefId: CardRefId;
    readonly use: CardUse;
    readonly order: OrderFact;
    /** Whether the approving gate returns a token when asked. */
    readonly canRegister: boolean;
    readonly now: Instant;
  };
}

export type IssueRejection =
  | { readonly reason: 'accepted-before'; readonly cardRefId: CardRefId }
  | { readonly reason: 'card-shredded' }
  | { readonly reason: 'order-not-final' }
  /** The card proved nothing and must not be charged later. */
  | { readonly reason: 'order-not-approved'; readonly end: Extract<OrderFact['end'], { kind: 'refused' }> };

const issueCardReference = ({ data }: IssueCardReference, state: CardRegistration): NonEmpty<CardRegistrationEvent> | IssueRejection => {
  const { merchant, cardRefId, use, order, canRegister, now } = data;
  const { end, card, approval, mapped: _known, ...rest } = order;
  const tokensBeside = (known: TokensOfCard): readonly CardRegistrationEvent[] =>
    use === 'destination' || approval === undefined ? [] : tokensOf(approval, { canRegister, known, now });
  if (state.status === 'shredded') return { reason: 'card-shredded' };
  if (state.status === 'issued') {
    const [first, ...others] = end.kind === 'approved' ? tokensBeside(state) : [];
    return first === undefined ? { reason: 'accepted-before', cardRefId: state.cardRefId } : [first, ...others];
  }
  if (end.kind === 'open') return { reason: 'order-not-final' };
  if (end.kind === 'refused') return { reason: 'order-not-approved', end };
  if (card === undefined) throw new Error(`${order.orderId} is approved and has no card`);
  if (use === 'source' && !isChargeable(card)) throw new Error(`${order.orderId}: its card only receives`);
  const issued = { type: 'CardReferenceIssued' as const, data: { cardRefId, use, merchant, ...rest, card, issuedAt: now } };
  return [issued, ...tokensBeside(NOTHING_KNOWN)];
};

export const cardRegistration: Decider<IssueCardReference, CardRegistrationEvent, CardRegistration, IssueRejection> = {
  initial: { status: 'none' },
  evolve,
  decide: issueCardReference,
};

export interface RecordGateToken {
  readonly type: 'RecordGateToken';
  readonly data: {
    readonly gate: GateAlias;
    readonly told: { readonly kind: 'registered'; readonly token: string } | { readonly kind: 'refused'; readonly cause: TokenRefusal };
    readonly now: Instant;
  };
}

interface GateTokenRejection {
  readonly reason: 'nothing-new';
}

/** A token that the gate returns only on request is wanted. */
const tokensOf = (
  approval: GateApproval,
  { canRegister, known, now }: { readonly canRegister: boolean; readonly known: TokensOfCard; readonly now: Instant },
): readonly GateTokenEvent[] => {
  const { gate, attemptKey, gateOrderId, cardToken, networkTransactionId } = approval;
  const { atGates, wanted, refusedBy } = known;
  const events: GateTokenEvent[] = [];
  const isKnown = atGates.tokens.some((one) => one.gate === gate);
  if (networkTransactionId !== undefined && atGates.networkTransactionId === undefined) {
    events.push({ type: 'NetworkTransactionKept', data: { gate, networkTransactionId, keptAt: now } });
  }
  if (cardToken !== undefined) {
    if (!isKnown) events.push({ type: 'GateTokenKept', data: { gate, token: cardToken, keptAt: now } });
  } else if (canRegister && !isKnown && !refusedBy.includes(gate) && !wanted.some((one) => one.gate === gate)) {
    const named = { gate, attemptKey, ...(gateOrderId !== undefined && { gateOrderId }) };
    events.push({ type: 'GateTokenWanted', data: { ...named, wantedAt: now } });
  }
  return events;
};

const recordGateToken = ({ data }: RecordGateToken, state: CardRegistration): NonEmpty<CardRegistrationEvent> | GateTokenRejection => {
  const { gate, told, now } = data;
  if (state.status !== 'issued' || !state.wanted.some((one) => one.gate === gate)) return { reason: 'nothing-new' };
  switch (told.kind) {
    case 'registered':
      return [{ type: 'GateTokenKept', data: { gate, token: told.token, keptAt: now } }];
    case 'refused':
      return [{ type: 'GateTokenRefused', data: { gate, cause: told.cause, refusedAt: now } }];
    default:
      return unreachable(told);
  }
};

export const gateTokens: Decider<RecordGateToken, CardRegistrationEvent, CardRegistration, GateTokenRejection> = {
  initial: { status: 'none' },
  evolve,
  decide: recordGateToken,
};
