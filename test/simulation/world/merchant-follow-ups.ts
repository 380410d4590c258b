import type { Answer } from '../../support/merchants/merchant';
import type { Order } from '../../support/merchants/signed-requests';
import { GiveBacks } from './give-backs';
import type { KeyedChance } from './keyed-chance';
import { isRecurrent, type OrderRecord } from './merchant-records';
import type { MerchantRequests } from './merchant-requests';

export interface MerchantFollowUpsSettings {
  readonly requests: MerchantRequests;
  readonly chance: KeyedChance;
  readonly registerV4: (order: Order, nonce: string) => Promise<Answer>;
  readonly onFirstCard: () => void;
}

/** A shop that repeats declined follow-ups of one order. Such a run costs as much as many others, so it is rare. */
const INSISTS_SHARE = 0.0002;
const INSISTS_TIMES = 251;
/** Lasts beyond the storm's end. While the service's clocks are too far behind, each attempt is refused. */
const V4_TRIES_MAX = 8;

export class MerchantFollowUps {
  readonly cardRefs: string[] = [];

  readonly #giveBacks: GiveBacks;

  constructor(private readonly settings: MerchantFollowUpsSettings) {
    this.#giveBacks = new GiveBacks(settings.requests, settings.chance);
  }

  async after(record: OrderRecord, order: Order): Promise<void> {
    const { chance } = this.settings;
    const { clientOrderId, kind } = record;
    if (!isRecurrent(kind) && chance.happens(0.5, 'merchant.registers', clientOrderId)) await this.#register(record, order);
    if (kind === 'accountVerification') return;
    if (kind === 'sale' && chance.happens(INSISTS_SHARE, 'merchant.insists', clientOrderId)) return this.#insist(record, order);
    if ((kind === 'preauth' || kind === 'rebillPreauth') && chance.happens(0.7, 'merchant.captures', clientOrderId))
      await this.#giveBacks.ask(record, order, 'capture');
    await this.#giveBacks.some(record, order);
  }

  /** Each return of a cent is declined. The return of the whole amount afterwards must still be accepted. */
  async #insist(record: OrderRecord, order: Order): Promise<void> {
    for (let times = 0; times < INSISTS_TIMES; times++) await this.#giveBacks.ask(record, order, 'return', '0.01');
    await this.#giveBacks.ask(record, order, 'return');
  }

  async #register(record: OrderRecord, order: Order): Promise<void> {
    const { requests, chance } = this.settings;
    const fields = await requests.untilAnswered([], (merchant) => merchant.createCardRef(order));
    record.cardRefId = fields?.['card-ref-id'];
    const { cardRefId } = record;
    if (cardRefId === undefined) return;
    if (this.cardRefs.unshift(cardRefId) === 1) this.settings.onFirstCard();
    if (chance.happens(0.3, 'merchant.registers-v4', record.clientOrderId)) await this.#registerV4(record, order);
    if (chance.happens(0.5, 'merchant.asks-card', record.clientOrderId))
      record.cardInfo = await requests.untilAnswered([], (merchant) => merchant.cardInfo(cardRefId));
  }

  async #registerV4(record: OrderRecord, order: Order): Promise<void> {
    let tries = 0;
    const send = (): Promise<Answer> => this.settings.registerV4(order, `${record.clientOrderId}-${tries++}`);
    const fields = await this.settings.requests.untilAnswered([], send, V4_TRIES_MAX);
    if (fields !== undefined) record.cardRefV4 = { source: fields['recurring-payment-id'], destination: fields['dst-card-ref-id'] };
  }
}
