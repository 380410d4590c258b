import { systemClock, systemIds, systemRandom, type Clock, type Ids, type Random } from '@app/kernel';
import { KeyedDigests, RingSealer, type KeyRing } from '@app/card-vault';
import type { EventStore } from '@app/event-store';
import type { Products, Product } from '@app/configuration';
import { isSameSecret, isWebhookAuthentic, isDeviceSignature, paymentSignature, verificationSignature } from '@app/gateway-protocol';
import { AnswerCheckHandler } from '../application/answer-check.handler';
import { ConsumerCards } from '../application/consumer-cards';
import {
  type ConsumerAuthentication,
  type ConsumerAnswer,
  type TokenRequest,
  IssueAccessTokenHandler,
} from '../application/issue-access-token.handler';
import { OpenInvoiceHandler } from '../application/open-invoice.handler';
import { DurableOrderEnds } from '../application/order-ends';
import type { ProductChecks, InvoiceSignatures, SignedInvoice } from '../application/ports';
import { RecordCardsHandler } from '../application/record-cards.handler';
import type { MerchantServerRequest } from './request';

const signatureOf = ({ controlKey }: Product, { order, ...invoice }: SignedInvoice): string =>
  order.operation === 'verification'
    ? verificationSignature({ ...invoice, currency: order.currency }, controlKey)
    : paymentSignature({ ...invoice, currency: order.amount.currency, amountCentis: Number(order.amount.minor) }, controlKey);

/** Makes session.signature (interface, section 5.3). */
const protocolSignatures: InvoiceSignatures = {
  sign: signatureOf,
  isSigned: (product, invoice, signature) => isDeviceSignature(signatureOf(product, invoice), signature),
};

/**
 * Whether a card mapping notification is the gateway's: an app knows every other value in it, and could otherwise register a card that no order
 * proved. Where the product has a `callback.secret` its signature must cover the body, near the time of its headers; where it has none, every
 * notification is accepted outside production, and in production none unless `unsignedNotifications` allows it. A notification replayed within that
 * time was recorded before, and changes nothing.
 */
class NotificationProof {
  constructor(
    private readonly isProduction: boolean,
    private readonly clock: Clock,
  ) {}

  isGiven({ product, header, body }: MerchantServerRequest): boolean {
    const { callbackSecret, unsignedNotifications = false } = product;
    if (callbackSecret === undefined) return unsignedNotifications || !this.isProduction;
    const [id, timestamp, signature] = [header('webhook-id'), header('webhook-timestamp'), header('webhook-signature')];
    const headers = {
      ...(id !== undefined && { 'webhook-id': id }),
      ...(timestamp !== undefined && { 'webhook-timestamp': timestamp }),
      ...(signature !== undefined && { 'webhook-signature': signature }),
    };
    return isWebhookAuthentic(headers, Buffer.from(body).toString('utf8'), callbackSecret, this.clock.now());
  }
}

const BEARER = /^Bearer ([!-~]{1,1024})$/;
/** The limits of consumer.email (interface, section 2.6). */
const EMAIL_LENGTH_MIN = 3;
const EMAIL_LENGTH_MAX = 128;
const CONTROL_CHARACTER = /\p{Cc}/u;

const isEmail = (text: string): boolean =>
  text.length >= EMAIL_LENGTH_MIN && text.length <= EMAIL_LENGTH_MAX && text.isWellFormed() && !CONTROL_CHARACTER.test(text);

/**
 * Identifies consumers by the caller's `?email=` where no product does it (protocol decisions, section 8). Where the product has a
 * `tokenSecret` the caller must be its own server and present it; in production no token is issued without one.
 */
class ConfiguredConsumers implements ConsumerAuthentication {
  constructor(private readonly isProduction: boolean) {}

  async authenticate({ product, query, header }: TokenRequest): Promise<ConsumerAnswer> {
    const { tokenSecret } = product;
    if (tokenSecret === undefined) {
      if (this.isProduction) return { kind: 'refused' };
    } else {
      const [, shown] = BEARER.exec(header('authorization') ?? '') ?? [];
      if (shown === undefined || !isSameSecret(tokenSecret.reveal(), shown)) return { kind: 'refused' };
    }
    const [email, ...more] = query.getAll('email');
    if (email === undefined) return { kind: 'known' };
    if (more.length > 0 || !isEmail(email)) return { kind: 'malformed', message: 'email must be given once, 3 to 128 characters' };
    return { kind: 'known', email };
  }
}

export interface MerchantServerSettings {
  /** From a configuration file (`loadProducts`), or made by the product itself (`productsOf`). */
  readonly products: Products;
  /** The merchant server's own store, shared by all its instances. Its opener closes it. */
  readonly store: EventStore;
  /** The same for every instance, so that each can open what another sealed. */
  readonly keyRing: KeyRing;
  /** In production the default issues a token only to a caller with the product's `tokenSecret`, and card mapping notifications must be signed. */
  readonly isProduction: boolean;
  /** Identifies consumers (default: by `?email=`). */
  readonly consumers?: ConsumerAuthentication;
  /** The product's decision on each operation (default: none). */
  readonly checks?: ProductChecks;
  readonly clock?: Clock;
  readonly ids?: Ids;
  readonly random?: Random;
}

/** The merchant's half of the mobile device API, without its wire. */
export class MountableMerchantServer {
  readonly products: Products;
  readonly consumers: ConsumerAuthentication;
  readonly random: Random;
  readonly issueAccessToken: IssueAccessTokenHandler;
  readonly openInvoice: OpenInvoiceHandler;
  readonly answerCheck: AnswerCheckHandler;
  readonly recordCards: RecordCardsHandler;
  readonly consumerCards: ConsumerCards;
  readonly orderEnds: DurableOrderEnds;
  readonly notificationProof: NotificationProof;

  constructor({ products, store, keyRing, isProduction, consumers, checks, ...world }: MerchantServerSettings) {
    const { clock = systemClock, ids = systemIds, random = systemRandom } = world;
    const ports = { store, clock, ids, random, digests: new KeyedDigests(keyRing), sealer: new RingSealer(keyRing, random) };
    this.products = products;
    this.consumers = consumers ?? new ConfiguredConsumers(isProduction);
    this.random = random;
    this.issueAccessToken = new IssueAccessTokenHandler(ports);
    this.openInvoice = new OpenInvoiceHandler(ports, protocolSignatures);
    this.answerCheck = new AnswerCheckHandler(ports, protocolSignatures, checks);
    this.orderEnds = new DurableOrderEnds(ports);
    this.recordCards = new RecordCardsHandler(ports, this.orderEnds);
    this.consumerCards = new ConsumerCards(ports);
    this.notificationProof = new NotificationProof(isProduction, clock);
  }
}
