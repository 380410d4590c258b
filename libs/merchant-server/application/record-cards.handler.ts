import { isRejection, type ClientOrderId, type EndpointId, type Instant } from '@app/kernel';
import { load, runDecision, type Envelope } from '@app/event-store';
import type { Product } from '@app/configuration';
import { CARD_USES, type CardUse, type ClientCardId, type MerchantServerOperation, type InvoiceId } from '../domain/terms';
import { invoice, isInvoiceOf, type RecordCards, type InvoiceCard, type CheckedInvoice } from '../domain/invoice';
import type { OrderEnds } from '../domain/order-end';
import { session } from '../domain/session';
import { cardLike, wallet, type NameCards, type NotifiedCard, type Wallet } from '../domain/wallet';
import { invoiceCodec, invoiceStream, sessionStream, walletStream, sessionCodec, walletCodec } from '../merchant-server.codec';
import { digestOf } from './random-text';
import { envelopeOf } from './envelope';
import type { MerchantServerPorts } from './ports';
import type { DurableOrderEnds } from './order-ends';

export type GatewayCard = Pick<NotifiedCard, 'uniqueReferenceCardId' | 'bin' | 'serverCardId'>;

export interface CardsRequest {
  readonly product: Product;
  readonly operation: MerchantServerOperation;
  /** From the path, if it has one; the token also identifies the invoice (protocol decisions, section 1). */
  readonly invoiceId?: InvoiceId | undefined;
  readonly serialNumber: string;
  readonly accessToken: string;
  readonly nonce?: string | undefined;
  readonly token: string;
  readonly cards: { readonly [Use in CardUse]?: GatewayCard | undefined };
}

export type CardsResult =
  | { readonly kind: 'recorded'; readonly invoiceId: InvoiceId; readonly endpointId: EndpointId; readonly nonce: string }
  /** A wrong token, nonce or serial number, or other cards than before. */
  | { readonly kind: 'forbidden' }
  /** An earlier callback had another final status: cards of an unapproved order get no id. */
  | { readonly kind: 'order-not-approved' };

const FORBIDDEN = { kind: 'forbidden' } as const;

/** Records the cards in the gateway's notification of an approved operation; each gets an id for the app (interface, section 4.8). */
export class RecordCardsHandler {
  constructor(
    private readonly ports: MerchantServerPorts,
    private readonly ends: Pick<DurableOrderEnds, 'of'>,
  ) {}

  /** @throws StoreUnavailable, OutcomeUnknown */
  async handle({ product, operation, accessToken, serialNumber, nonce, token, cards, ...request }: CardsRequest): Promise<CardsResult> {
    const { store, digests, sealer, clock } = this.ports;
    const { login } = product;
    const sessionDigest = digestOf(digests, 'session token', login, token);
    const found = (await load(store, sessionStream(login, sessionDigest), session, sessionCodec)).state;
    if (found.status === 'none') return FORBIDDEN;
    const { invoiceId } = found;
    if (request.invoiceId !== undefined && request.invoiceId !== invoiceId) return FORBIDDEN;
    const presented = {
      operation,
      accessToken: digestOf(digests, 'access token', login, accessToken),
      serialNumber: digestOf(digests, 'serial number', login, serialNumber),
    };
    const stream = invoiceStream(login, invoiceId);
    const from = await load(store, stream, invoice, invoiceCodec);
    const { state } = from;
    // Checked first, so that an unauthenticated request does not read the wallet.
    if (state.status === 'none' || state.status === 'opened' || !isInvoiceOf(state, presented)) return FORBIDDEN;
    if (nonce !== undefined && digestOf(digests, 'nonce', login, nonce) !== state.nonce) return FORBIDDEN;
    const { endpointId, sealedNonce } = state;
    const recorded = (): CardsResult => ({ kind: 'recorded', invoiceId, endpointId, nonce: sealer.unseal(login, 'nonce', sealedNonce) });

    const now = clock.now();
    const naming = await this.naming(product, state, cards, now);
    const commandWith = (purse: Wallet): RecordCards => ({
      type: 'RecordCards',
      data: { ...presented, session: sessionDigest, cards: namedBy(purse, state, cards), now },
    });
    // Decided before a card gets an id: a refused or repeated notification must not change the wallet.
    const seen = invoice.decide(commandWith(naming.wallet), state);
    if (isRejection(seen)) return seen.reason === 'accepted-before' ? recorded() : FORBIDDEN;
    if (isEndedWithoutApproval(await this.ends.of(product, invoiceId as string as ClientOrderId))) return { kind: 'order-not-approved' };
    const envelope = envelopeOf(this.ports, 'gateway', login);
    const command = commandWith(await naming.record(envelope));
    const result = await runDecision({ store, codec: invoiceCodec, decider: invoice, stream, command, envelope, from });
    return result.kind === 'rejected' && result.rejection.reason !== 'accepted-before' ? FORBIDDEN : recorded();
  }

  /** The consumer's wallet with these cards, and the function that stores it. A card that the app paid with keeps its id. */
  private async naming({ login }: Product, invoice: CheckedInvoice, cards: CardsRequest['cards'], now: Instant): Promise<Naming> {
    const { store, ids } = this.ports;
    const unnamed = CARD_USES.flatMap((use) => {
      const card = cards[use];
      return card === undefined || nameUsed(invoice, use, card) !== undefined
        ? []
        : [{ use, ...card, newClientCardId: ids.next() as ClientCardId }];
    });
    if (unnamed.length === 0) return { wallet: wallet.initial, record: async () => wallet.initial };
    const stream = walletStream(login, invoice.consumer);
    const from = await load(store, stream, wallet, walletCodec);
    const email = invoice.check.email ?? invoice.email;
    const command: NameCards = { type: 'NameCards', data: { cards: unnamed, now, ...(email !== undefined && { email }) } };
    const decision = wallet.decide(command, from.state);
    if (isRejection(decision)) return { wallet: from.state, record: async () => from.state };
    return {
      wallet: decision.reduce((folded, event) => wallet.evolve(folded, event), from.state),
      record: async (envelope) =>
        (await runDecision({ store, codec: walletCodec, decider: wallet, stream, command, envelope, from })).state,
    };
  }
}

/** Uses the latest status of each order of the invoiceId, because the gateway may correct itself. */
const isEndedWithoutApproval = (ends: OrderEnds['ends']): boolean => {
  const newest = new Map(ends.map(({ orderId, status }) => [orderId, status]));
  return newest.size > 0 && ![...newest.values()].includes('approved');
};

interface Naming {
  readonly wallet: Wallet;
  /** Durable when it resolves, including ids from concurrent requests. */
  readonly record: (envelope: Envelope) => Promise<Wallet>;
}

const namedBy = (purse: Wallet, invoice: CheckedInvoice, cards: CardsRequest['cards']): { readonly [Use in CardUse]?: InvoiceCard } =>
  Object.fromEntries(
    CARD_USES.flatMap((use) => {
      const card = cards[use];
      if (card === undefined) return [];
      const clientCardId = nameUsed(invoice, use, card) ?? cardLike(purse, { use, ...card })?.clientCardId;
      return clientCardId === undefined ? [] : [[use, { ...card, clientCardId } satisfies InvoiceCard]];
    }),
  );

/** The id that the app paid with, if the notification has the same reference (protocol decisions, section 8). */
const nameUsed = ({ check }: CheckedInvoice, use: CardUse, { serverCardId }: GatewayCard): ClientCardId | undefined =>
  check[use]?.serverCardId === serverCardId ? check[use]?.clientCardId : undefined;
