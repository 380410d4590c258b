import {
  type Currency,
  type EndpointId,
  type Instant,
  type MerchantLogin,
  type Money,
  type Sealed,
  unreachable,
  addMs,
  type Decider,
  type NonEmpty,
} from '@app/kernel';
import { type ClientCardId, type MerchantServerOperation, type InvoiceId, type KeyedDigest, ACCESS_TOKEN_LIFE_MS } from './terms';

/** A verification has only a currency; sale and transfer have an amount. */
export type InvoiceOrder =
  | { readonly operation: 'verification'; readonly currency: Currency }
  | { readonly operation: Exclude<MerchantServerOperation, 'verification'>; readonly amount: Money };

/** A device began an operation and received the values that it must present to the gateway. */
export type InvoiceOpened = {
  readonly type: 'InvoiceOpened';
  readonly data: {
    readonly merchant: MerchantLogin;
    readonly invoiceId: InvoiceId;
    readonly order: InvoiceOrder;
    readonly endpointId: EndpointId;
    readonly accessToken: KeyedDigest;
    readonly serialNumber: KeyedDigest;
    readonly nonce: KeyedDigest;
    /** The same values sealed, for the answers that contain them. */
    readonly sealedNonce: Sealed;
    readonly consumer: KeyedDigest;
    readonly email?: Sealed;
    readonly openedAt: Instant;
  };
};

/** A card named by reference: the app's id of it, and the gateway's. */
export type NamedCard = { readonly clientCardId: ClientCardId; readonly serverCardId: string };

/** The answer to the gateway's first valid check; every repeat gets the same. */
export type CheckFacts = {
  readonly session: KeyedDigest;
  readonly source?: NamedCard;
  readonly destination?: NamedCard;
  readonly email?: Sealed;
  /** From the cardholder's statement, in minor units; absent in events of version 1, which contained it unsealed. */
  readonly randomSum?: Sealed;
};

/** The gateway checked the invoice: the operation is bound to that session token permanently. */
export type CheckAnswered = { readonly type: 'CheckAnswered'; readonly data: CheckFacts & { readonly answeredAt: Instant } };

/** A card of the finished operation that the app may show and reuse. */
export type InvoiceCard = NamedCard & { readonly uniqueReferenceCardId: string; readonly bin: number };

/** The gateway notified the operation's cards; each has an id for the app. */
export type CardsMapped = {
  readonly type: 'CardsMapped';
  readonly data: { readonly source?: InvoiceCard; readonly destination?: InvoiceCard; readonly mappedAt: Instant };
};

export type InvoiceEvent = InvoiceOpened | CheckAnswered | CardsMapped;

type Checked = InvoiceOpened['data'] & { readonly check: CheckFacts };
type Mapped = Checked & { readonly cards: Omit<CardsMapped['data'], 'mappedAt'> };

export type Invoice =
  | { readonly status: 'none' }
  | (InvoiceOpened['data'] & { readonly status: 'opened' })
  | (Checked & { readonly status: 'checked' })
  | (Mapped & { readonly status: 'mapped' });

export type CheckedInvoice = Extract<Invoice, { status: 'checked' | 'mapped' }>;

const evolve = (state: Invoice, event: InvoiceEvent): Invoice => {
  switch (event.type) {
    case 'InvoiceOpened':
      if (state.status !== 'none') throw new Error('InvoiceOpened twice');
      return { status: 'opened', ...event.data };
    case 'CheckAnswered': {
      if (state.status !== 'opened') throw new Error(`CheckAnswered of an invoice that is ${state.status}`);
      const { answeredAt: _, ...check } = event.data;
      return { ...state, status: 'checked', check };
    }
    case 'CardsMapped': {
      if (state.status !== 'checked') throw new Error(`CardsMapped of an invoice that is ${state.status}`);
      const { mappedAt: _, ...cards } = event.data;
      return { ...state, status: 'mapped', cards };
    }
    default:
      return unreachable(event);
  }
};

export interface OpenInvoice {
  readonly type: 'OpenInvoice';
  readonly data: Omit<InvoiceOpened['data'], 'openedAt'> & { readonly now: Instant };
}

/** The gateway's values, each of which must match the invoice (safety, section 3.1). */
interface Presented {
  readonly operation: MerchantServerOperation;
  readonly accessToken: KeyedDigest;
  readonly serialNumber: KeyedDigest;
}

export interface AnswerCheck {
  readonly type: 'AnswerCheck';
  readonly data: Presented & { readonly nonce: KeyedDigest; readonly facts: CheckFacts; readonly now: Instant };
}

export interface RecordCards {
  readonly type: 'RecordCards';
  readonly data: Presented & {
    readonly session: KeyedDigest;
    readonly cards: Omit<CardsMapped['data'], 'mappedAt'>;
    readonly now: Instant;
  };
}

export type InvoiceCommand = OpenInvoice | AnswerCheck | RecordCards;

export type InvoiceRejection =
  /** The random source repeated an id. */
  | { readonly reason: 'invoice-opened-before' }
  | { readonly reason: 'unknown-invoice' }
  | { readonly reason: 'not-this-invoice' }
  /** The first check came too late. */
  | { readonly reason: 'invoice-expired' }
  /** Another session token, or other cards under the same. */
  | { readonly reason: 'other-session' }
  /** Already answered with the same content. */
  | { readonly reason: 'accepted-before'; readonly invoice: CheckedInvoice };

type Opened = Exclude<Invoice, { status: 'none' }>;

export const isInvoiceOf = (invoice: Opened, { operation, accessToken, serialNumber }: Presented): boolean =>
  invoice.order.operation === operation && invoice.accessToken === accessToken && invoice.serialNumber === serialNumber;

const isNamed = (named: { readonly clientCardId: ClientCardId } | undefined, other: typeof named): boolean =>
  named?.clientCardId === other?.clientCardId;

const isSameCheck = (before: CheckFacts, now: CheckFacts): boolean =>
  before.session === now.session && isNamed(before.source, now.source) && isNamed(before.destination, now.destination);

const answerCheck = ({ data }: AnswerCheck, state: Invoice): NonEmpty<InvoiceEvent> | InvoiceRejection => {
  if (state.status === 'none') return { reason: 'unknown-invoice' };
  const { facts, now } = data;
  if (!isInvoiceOf(state, data) || state.nonce !== data.nonce) return { reason: 'not-this-invoice' };
  if (state.status !== 'opened') {
    return isSameCheck(state.check, facts) ? { reason: 'accepted-before', invoice: state } : { reason: 'other-session' };
  }
  if (now >= addMs(state.openedAt, ACCESS_TOKEN_LIFE_MS)) return { reason: 'invoice-expired' };
  return [{ type: 'CheckAnswered', data: { ...facts, answeredAt: now } }];
};

const isSameCard = (before: InvoiceCard | undefined, now: InvoiceCard | undefined): boolean =>
  before?.uniqueReferenceCardId === now?.uniqueReferenceCardId && isNamed(before, now);

const recordCards = ({ data }: RecordCards, state: Invoice): NonEmpty<InvoiceEvent> | InvoiceRejection => {
  if (state.status === 'none') return { reason: 'unknown-invoice' };
  if (!isInvoiceOf(state, data)) return { reason: 'not-this-invoice' };
  if (state.status === 'opened' || state.check.session !== data.session) return { reason: 'other-session' };
  const { cards, now } = data;
  if (state.status === 'mapped') {
    const isSame = isSameCard(state.cards.source, cards.source) && isSameCard(state.cards.destination, cards.destination);
    return isSame ? { reason: 'accepted-before', invoice: state } : { reason: 'other-session' };
  }
  return [{ type: 'CardsMapped', data: { ...cards, mappedAt: now } }];
};

export const invoice: Decider<InvoiceCommand, InvoiceEvent, Invoice, InvoiceRejection> = {
  initial: { status: 'none' },
  evolve,
  decide: (command, state) => {
    switch (command.type) {
      case 'OpenInvoice': {
        if (state.status !== 'none') return { reason: 'invoice-opened-before' };
        const { now, ...data } = command.data;
        return [{ type: 'InvoiceOpened', data: { ...data, openedAt: now } }];
      }
      case 'AnswerCheck':
        return answerCheck(command, state);
      case 'RecordCards':
        return recordCards(command, state);
      default:
        return unreachable(command);
    }
  },
};
