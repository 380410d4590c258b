import { systemClock, systemIds, systemRandom, type Clock, type Ids, type Random } from '@app/kernel';
import { KeyedDigests, RingSealer, type KeyRing } from '@app/card-vault';
import type { EventStore } from '@app/event-store';
import type { Products } from '@app/configuration';
import { AnswerCheckHandler } from '../application/answer-check.handler';
import { ConsumerCards } from '../application/consumer-cards';
import type { ConsumerAuthentication } from '../application/consumer-authentication';
import { IssueAccessTokenHandler } from '../application/issue-access-token.handler';
import { OpenInvoiceHandler } from '../application/open-invoice.handler';
import { DurableOrderEnds } from '../application/order-ends';
import type { ProductChecks } from '../application/product-checks';
import { RecordCardsHandler } from '../application/record-cards.handler';
import { ConfiguredConsumers } from './configured-consumers';
import { NotificationProof } from './notification-proof';
import { protocolSignatures } from './protocol-signatures';

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
