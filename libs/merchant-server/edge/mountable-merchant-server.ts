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

const protocolSignatures: InvoiceSignatures = {
  sign: signatureOf,
  isSigned: (product, invoice, signature) => isDeviceSignature(signatureOf(product, invoice), signature),
};

/**
 * Proves that a card mapping notification is the gateway's: the app knows all its other values and could register an unproved card.
 * With `callback.secret`, a signature must cover body and time. Without it, production accepts notifications only with
 * `unsignedNotifications`.
 * A replay within the signature's time is harmless: it was already recorded.
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
 * Identifies consumers by `?email=` unless the product does (protocol decisions, section 8).
 * With `tokenSecret`, only the product's server may call and must present it. Production issues no token without one.
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
  /** From a configuration file (`loadProducts`) or from code (`productsOf`). */
  readonly products: Products;
  /** The merchant server's store, shared by all its instances. Its opener closes it. */
  readonly store: EventStore;
  /** The same for every instance, so that each can open another's sealed values. */
  readonly keyRing: KeyRing;
  /** In production, `tokenSecret` is required for tokens by default, and card mapping notifications must be signed. */
  readonly isProduction: boolean;
  /** Identifies consumers (default: by `?email=`). */
  readonly consumers?: ConsumerAuthentication;
  /** The product's decision on each operation (default: none). */
  readonly checks?: ProductChecks;
  readonly clock?: Clock;
  readonly ids?: Ids;
  readonly random?: Random;
}

/** The merchant's part of the mobile device API, without HTTP. */
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
