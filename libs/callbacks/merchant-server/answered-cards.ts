import { isCardRefId, type CardHandle, type CardRefId, type CardUid, type MerchantLogin, type Sealed } from '@app/kernel';
import { CardErased, type CardVault } from '@app/card-vault';
import { isSameSecret } from '@app/gateway-protocol';
import type { OrderCard, OrderInProgress, ReceivingCard, ReferredCard } from '@app/orders/domain';
import type { AnsweredCard } from './check-call';
import { holderName } from './agreement';

export type KnownReference =
  | { readonly use: 'source'; readonly card: OrderCard; readonly customer: Sealed }
  | { readonly use: 'destination'; readonly card: ReceivingCard; readonly customer: Sealed };

export interface KnownReferences {
  find(merchant: MerchantLogin, cardRefId: CardRefId): Promise<KnownReference | undefined>;
}

export type CardFailure = 'contradiction' | 'unknown-card';

export interface NamedCards {
  readonly source?: ReferredCard;
  readonly destination?: ReferredCard<ReceivingCard>;
  readonly sourceCustomer?: Sealed;
}

interface Found {
  readonly cardRefId: CardRefId;
  readonly reference: KnownReference;
}

interface FoundSource {
  readonly cardRefId: CardRefId;
  readonly card: OrderCard;
  readonly customer: Sealed;
}

/** Undefined if the card was shredded. */
const opened = <Card>(opening: Promise<Card>): Promise<Card | undefined> =>
  opening.catch((error: unknown) => {
    if (error instanceof CardErased) return undefined;
    throw error;
  });

/**
 * Compares the cards of a check's answer with the app's: every reference must be answered, without a contradiction (protocol decisions,
 * section 8).
 * Numbers are compared inside secrets and never leave them.
 */
export class AnsweredCards {
  constructor(
    private readonly references: KnownReferences,
    private readonly vault: Pick<CardVault, 'open' | 'openReceiving'>,
  ) {}

  async namedIn(
    { merchant, card, destination, plan }: OrderInProgress,
    answer: { readonly source?: AnsweredCard; readonly destination?: AnsweredCard },
  ): Promise<NamedCards | CardFailure> {
    const source = await this.source(merchant, card, answer.source);
    if (typeof source === 'string') return source;
    const named: NamedCards =
      source === undefined ? {} : { source: { cardRefId: source.cardRefId, card: source.card }, sourceCustomer: source.customer };
    if (plan.operation !== 'transfer') return named;
    const receiving = await this.destination(merchant, destination, answer.destination);
    if (typeof receiving === 'string') return receiving;
    return receiving === undefined ? named : { ...named, destination: { cardRefId: receiving.cardRefId, card: receiving.reference.card } };
  }

  private async source(
    merchant: MerchantLogin,
    own: OrderCard | undefined,
    answered: AnsweredCard = {},
  ): Promise<FoundSource | CardFailure | undefined> {
    const found = await this.found(merchant, own, answered);
    if (typeof found === 'string') return found;
    // A reference mapped as a destination must not pay.
    if (found?.reference.use === 'destination') return 'unknown-card';
    const card = own ?? found?.reference.card;
    if (card === undefined) return 'unknown-card';
    const failure = await this.contradiction(merchant, card, answered);
    if (failure !== undefined) return failure;
    if (own !== undefined || found === undefined) return undefined;
    const { cardRefId, reference } = found;
    return { cardRefId, card: reference.card, customer: reference.customer };
  }

  private async destination(
    merchant: MerchantLogin,
    own: ReceivingCard | undefined,
    answered: AnsweredCard = {},
  ): Promise<Found | CardFailure | undefined> {
    const found = await this.found(merchant, own, answered);
    if (typeof found === 'string') return found;
    const card = own ?? found?.reference.card;
    if (card === undefined) return 'unknown-card';
    const number = answered.card?.reveal().number;
    const failure = number === undefined ? undefined : await this.otherNumber(merchant, card.handle, number);
    if (failure !== undefined) return failure;
    return own === undefined ? found : undefined;
  }

  /** The answer's reference: required if the app sent no card; otherwise it must be of the same card. */
  private async found(
    merchant: MerchantLogin,
    own: { readonly uid: CardUid } | undefined,
    { serverCardId }: AnsweredCard,
  ): Promise<Found | CardFailure | undefined> {
    if (serverCardId === undefined) return own === undefined ? 'unknown-card' : undefined;
    if (!isCardRefId(serverCardId)) return 'unknown-card';
    const reference = await this.references.find(merchant, serverCardId);
    if (reference === undefined) return 'unknown-card';
    if (own !== undefined && own.uid !== reference.card.uid) return 'contradiction';
    return { cardRefId: serverCardId, reference };
  }

  private async contradiction(
    merchant: MerchantLogin,
    { handle }: OrderCard,
    { card: answered }: AnsweredCard,
  ): Promise<CardFailure | undefined> {
    if (answered === undefined) return undefined;
    const kept = await opened(this.vault.open(merchant, handle));
    if (kept === undefined) return 'unknown-card';
    const { number, expiry, holder } = answered.reveal();
    const own = kept.reveal();
    const isSame =
      (number === undefined || isSameSecret(own.number, number)) &&
      (expiry === undefined || (expiry.month === own.expiryMonth && expiry.year === own.expiryYear)) &&
      (holder === undefined || holderName(holder) === own.holder);
    return isSame ? undefined : 'contradiction';
  }

  private async otherNumber(merchant: MerchantLogin, handle: CardHandle, number: string): Promise<CardFailure | undefined> {
    const kept = await opened(this.vault.openReceiving(merchant, handle));
    if (kept === undefined) return 'unknown-card';
    return isSameSecret(kept.reveal().number, number) ? undefined : 'contradiction';
  }
}
