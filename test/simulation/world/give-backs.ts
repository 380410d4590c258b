import type { FollowUp } from '../../support/merchants/merchant';
import type { Fields, Order } from '../../support/merchants/signed-requests';
import type { KeyedChance } from './keyed-chance';
import { orderIn, type FollowUpRecord, type OrderRecord } from './merchant-records';
import type { MerchantRequests } from './merchant-requests';

const TOO_MUCH = '9999.00';

export class GiveBacks {
  constructor(
    private readonly requests: MerchantRequests,
    private readonly chance: KeyedChance,
  ) {}

  async some(record: OrderRecord, order: Order): Promise<void> {
    const { chance } = this;
    const { clientOrderId } = record;
    if (chance.happens(0.2, 'merchant.asks-too-much', clientOrderId)) await this.ask(record, order, 'return', TOO_MUCH);
    if (chance.happens(0.5, 'merchant.returns', clientOrderId)) {
      const parts = chance.between(1, 3, 'merchant.return-parts', clientOrderId);
      for (let part = 0; part < parts; part++) await this.ask(record, order, 'return', part === 1 ? undefined : '0.50');
    } else if (chance.happens(0.7, 'merchant.voids', clientOrderId)) await this.ask(record, order, 'void');
  }

  /**
   * @param amount in dollars; default: the whole amount
   */
  async ask(record: OrderRecord, order: Order, kind: FollowUp, amount?: string): Promise<void> {
    const { requests } = this;
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
