import type { EndpointId } from '@app/kernel';
import { load, runDecision, type Envelope } from '@app/event-store';
import type { Product } from '@app/merchant-accounts';
import { CARD_USES, type CardUse, type ClientCardId, type DeskOperation, type InvoiceId } from '../domain/desk-terms';
import { invoice, isInvoiceOf } from '../domain/invoice.decide';
import type { InvoiceCard } from '../domain/invoice.events';
import type { CheckedInvoice } from '../domain/invoice.state';
import { session } from '../domain/session.decide';
import { cardLike, wallet, type ToldCard } from '../domain/wallet.decide';
import { invoiceCodec } from '../invoice.codec';
import { invoiceStream, sessionStream, walletStream } from '../merchant-desk.stream';
import { sessionCodec } from '../session.codec';
import { walletCodec } from '../wallet.codec';
import { digestOf } from './desk-digests';
import { envelopeOf } from './desk-envelope';
import type { DeskPorts } from './desk-ports';

/** A card as the gateway tells it. */
export type GatewayCard = Pick<ToldCard, 'uniqueReferenceCardId' | 'bin' | 'serverCardId'>;

export interface CardsRequest {
  readonly product: Product;
  readonly operation: DeskOperation;
  /** Of the path, where it has one: the token says it too (protocol decisions, section 1). */
  readonly invoiceId?: InvoiceId | undefined;
  readonly serialNumber: string;
  readonly accessToken: string;
  readonly token: string;
  readonly cards: { readonly [Use in CardUse]?: GatewayCard | undefined };
}

export type CardsResult =
  | { readonly kind: 'recorded'; readonly invoiceId: InvoiceId; readonly endpointId: EndpointId; readonly nonce: string }
  /** A wrong token or serial number, or other cards than before. */
  | { readonly kind: 'forbidden' };

const FORBIDDEN = { kind: 'forbidden' } as const;

/** The gateway tells which cards took part in an approved operation; each gets a name that the app may keep (interface, section 4.8). */
export class RecordCardsHandler {
  constructor(private readonly ports: DeskPorts) {}

  /** @throws StoreUnavailable, OutcomeUnknown */
  async handle({ product, operation, accessToken, serialNumber, token, cards, ...request }: CardsRequest): Promise<CardsResult> {
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
    if (state.status === 'none' || state.status === 'opened' || !isInvoiceOf(state, presented)) return FORBIDDEN;
    if (state.check.session !== sessionDigest || areOthers(state, cards)) return FORBIDDEN;

    const envelope = envelopeOf(this.ports, 'gateway', login);
    const command = {
      type: 'RecordCards' as const,
      data: { ...presented, session: sessionDigest, cards: await this.named(product, state, cards, envelope), now: clock.now() },
    };
    const result = await runDecision({ store, codec: invoiceCodec, decider: invoice, stream, command, envelope, from });
    if (result.kind === 'rejected' && result.rejection.reason !== 'accepted-before') return FORBIDDEN;
    const { endpointId, sealedNonce } = state;
    return { kind: 'recorded', invoiceId, endpointId, nonce: sealer.unseal(login, 'nonce', sealedNonce) };
  }

  /** The cards with their names: what the app named itself keeps its name, what is new gets one. */
  private async named(
    product: Product,
    invoice: CheckedInvoice,
    cards: CardsRequest['cards'],
    envelope: Envelope,
  ): Promise<{ readonly [Use in CardUse]?: InvoiceCard }> {
    const told = CARD_USES.flatMap((use) => {
      const card = cards[use];
      return card === undefined ? [] : [{ use, card, knownAs: nameUsed(invoice, use, card) }];
    });
    const unnamed = told.filter(({ knownAs }) => knownAs === undefined).map(({ use, card }) => ({ use, ...card }));
    const names = unnamed.length === 0 ? undefined : await this.nameNew(product, invoice, unnamed, envelope);
    return Object.fromEntries(
      told.flatMap(({ use, card, knownAs }) => {
        const clientCardId = knownAs ?? names?.(use, card);
        return clientCardId === undefined ? [] : [[use, { ...card, clientCardId } satisfies InvoiceCard]];
      }),
    );
  }

  /** Undefined of a card that found no room. */
  private async nameNew(
    { login }: Product,
    { consumer, email, check }: CheckedInvoice,
    cards: readonly Omit<ToldCard, 'newClientCardId'>[],
    envelope: Envelope,
  ): Promise<(use: CardUse, card: GatewayCard) => ClientCardId | undefined> {
    const { store, clock, ids } = this.ports;
    const carried = check.email ?? email;
    const { state } = await runDecision({
      store,
      codec: walletCodec,
      decider: wallet,
      stream: walletStream(login, consumer),
      command: {
        type: 'NameCards',
        data: {
          cards: cards.map((card) => ({ ...card, newClientCardId: ids.next() as ClientCardId })),
          now: clock.now(),
          ...(carried !== undefined && { email: carried }),
        },
      },
      envelope,
    });
    return (use, { uniqueReferenceCardId }) => cardLike(state, { use, uniqueReferenceCardId })?.clientCardId;
  }
}

/** Other cards than were told before: none of them gets a name. */
const areOthers = (invoice: CheckedInvoice, cards: CardsRequest['cards']): boolean =>
  invoice.status === 'mapped' &&
  CARD_USES.some((use) => {
    const before = invoice.cards[use];
    return before !== undefined && before.uniqueReferenceCardId !== cards[use]?.uniqueReferenceCardId;
  });

/** The name that the app paid by, where the gateway tells that very reference (protocol decisions, section 8: a repeat by reference keeps it). */
const nameUsed = ({ check }: CheckedInvoice, use: CardUse, { serverCardId }: GatewayCard): ClientCardId | undefined =>
  check[use]?.serverCardId === serverCardId ? check[use]?.clientCardId : undefined;
