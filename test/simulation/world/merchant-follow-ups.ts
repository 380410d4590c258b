import type { Answer, FollowUp } from '../../support/merchants/merchant';
import type { Fields, Order } from '../../support/merchants/signed-requests';
import type { KeyedChance } from './keyed-chance';
import { isRecurrent, orderIn, type FollowUpRecord, type OrderRecord } from './merchant-records';
import type { MerchantRequests } from './merchant-requests';

export interface MerchantFollowUpsSettings {
  readonly requests: MerchantRequests;
  readonly chance: KeyedChance;
  /** Asks for the references of an order's card by version 4. */
  readonly registerV4: (order: Order, nonce: string) => Promise<Answer>;
  readonly onFirstCard: () => void;
}

/** A shop whose program asks again and again for what the gate declines, on one order. */
const INSISTS_SHARE = 0.005;
const INSISTS_TIMES = 251;

/** What a merchant does with an order that was approved: registers its card, captures, gives back, undoes. */
export class MerchantFollowUps {
  /** The newest first. */
  readonly cardRefs: string[] = [];

  constructor(private readonly settings: MerchantFollowUpsSettings) {}

  async after(record: OrderRecord, order: Order): Promise<void> {
    const { chance } = this.settings;
    const { clientOrderId, kind } = record;
    if (!isRecurrent(kind) && chance.happens(0.4, 'merchant.registers', clientOrderId)) await this.#register(record, order);
    if (kind === 'accountVerification') return;
    if (kind === 'sale' && chance.happens(INSISTS_SHARE, 'merchant.insists', clientOrderId)) return this.#insist(record, order);
    if ((kind === 'preauth' || kind === 'rebillPreauth') && chance.happens(0.7, 'merchant.captures', clientOrderId))
      await this.#followUp(record, order, 'capture');
    if (chance.happens(0.3, 'merchant.returns', clientOrderId)) {
      const parts = chance.between(1, 2, 'merchant.return-parts', clientOrderId);
      for (let part = 0; part < parts; part++) await this.#followUp(record, order, 'return', part === 0 ? '0.50' : undefined);
    } else if (chance.happens(0.15, 'merchant.voids', clientOrderId)) await this.#followUp(record, order, 'void');
  }

  /** Each return of a cent is declined; the return of the whole, behind them, is not to be refused for it. */
  async #insist(record: OrderRecord, order: Order): Promise<void> {
    for (let times = 0; times < INSISTS_TIMES; times++) await this.#followUp(record, order, 'return', '0.01');
    await this.#followUp(record, order, 'return');
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
    const fields = await this.settings.requests.untilAnswered([], () =>
      this.settings.registerV4(order, `${record.clientOrderId}-${tries++}`),
    );
    // Where the clocks of the service are behind by more than a timestamp may be, each is refused.
    if (fields !== undefined) record.cardRefV4 = { source: fields['recurring-payment-id'], destination: fields['dst-card-ref-id'] };
  }

  async #followUp(record: OrderRecord, order: Order, kind: FollowUp, amount?: string): Promise<void> {
    const { requests } = this.settings;
    const followUp: FollowUpRecord = { kind, amount, requests: [], statuses: [], serial: undefined };
    record.followUps.push(followUp);
    const fields: Fields = amount === undefined ? {} : { amount, currency: 'USD' };
    const headers = { 'idempotency-key': `${order.orderId}-${kind}-${record.followUps.length}` };
    const answer = await requests.untilAnswered(followUp.requests, (merchant) => merchant.followUp(kind, order, fields, { headers }));
    followUp.serial = answer?.['serial-number'];
    if (orderIn(answer) === undefined) return;
    await requests.untilFinal(order, followUp.statuses, { 'by-request-sn': followUp.serial });
  }
}
