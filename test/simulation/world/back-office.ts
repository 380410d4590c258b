import type { VirtualClock } from '@app/testing';
import { Merchant } from '../../support/merchants/merchant';
import type { DeviceRecord } from './device-records';
import { GiveBacks } from './give-backs';
import { APP_MERCHANT } from './installation';
import type { KeyedChance } from './keyed-chance';
import { recordOfOrder, type OrderRecord } from './merchant-records';
import { MerchantRequests } from './merchant-requests';
import type { Network } from './network';
import type { PayerActor } from './payer-actor';

export interface BackOfficeSettings {
  readonly time: VirtualClock;
  readonly chance: KeyedChance;
  readonly network: Network;
  readonly payer: PayerActor;
}

export class BackOffice {
  readonly orders: OrderRecord[] = [];
  readonly #requests: MerchantRequests;
  readonly #giveBacks: GiveBacks;

  constructor({ time, chance, network, payer }: BackOfficeSettings) {
    const { login, controlKey, endpointId } = APP_MERCHANT;
    const integration = new Merchant(network, { login, controlKey, at: endpointId, pathPrefix: '/paynet' });
    this.#requests = new MerchantRequests({ payer, time, controlKeys: () => [controlKey], integrationWith: () => integration });
    this.#giveBacks = new GiveBacks(this.#requests, chance);
  }

  async mayGiveBack({ order, accepted }: DeviceRecord): Promise<void> {
    const clientOrderId = accepted.at(-1)?.invoiceId;
    if (clientOrderId === undefined || order.currency !== 'USD' || order.operation === 'verification') return;
    const record = recordOfOrder({ clientOrderId, kind: 'sale', amount: '' });
    this.orders.push(record);
    const fields = await this.#requests.untilAnswered(record.statuses, (merchant) => merchant.status({ clientOrderId }));
    const orderId = fields?.['paynet-order-id'];
    if (orderId === undefined) return;
    record.order = { clientOrderId, orderId };
    await this.#giveBacks.some(record, record.order);
  }
}
