import { addMs, unreachable, type Decider, type Instant, type NonEmpty } from '@app/kernel';
import { ACCESS_TOKEN_LIFE_MS, type ClientCardId, type MerchantServerOperation, type KeyedDigest } from './terms';
import type { CardsMapped, CheckFacts, InvoiceCard, InvoiceEvent, InvoiceOpened } from './invoice.events';
import { evolve, type CheckedInvoice, type Invoice } from './invoice.state';

export interface OpenInvoice {
  readonly type: 'OpenInvoice';
  readonly data: Omit<InvoiceOpened['data'], 'openedAt'> & { readonly now: Instant };
}

/** The sender that the gateway names: each value must be the invoice's own (safety, section 3.1). */
export interface Presented {
  readonly operation: MerchantServerOperation;
  readonly accessToken: KeyedDigest;
  readonly serialNumber: KeyedDigest;
}

/** The gateway asks whether this operation is the merchant's own. */
export interface AnswerCheck {
  readonly type: 'AnswerCheck';
  readonly data: Presented & { readonly nonce: KeyedDigest; readonly facts: CheckFacts; readonly now: Instant };
}

/** The gateway notifies the cards of the operation. */
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
  /** The random source gave the same id twice. */
  | { readonly reason: 'invoice-opened-before' }
  | { readonly reason: 'unknown-invoice' }
  | { readonly reason: 'not-this-invoice' }
  /** The first check came too late. */
  | { readonly reason: 'invoice-expired' }
  /** Another session token, or other cards under the same. */
  | { readonly reason: 'other-session' }
  /** Answered before, and the answer is the same. */
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
