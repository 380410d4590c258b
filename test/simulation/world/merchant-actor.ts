import type { VirtualClock } from '@app/testing';
import { fieldsOf, Merchant, type Answer } from '../../support/merchants/merchant';
import type { Fields, Order } from '../../support/merchants/signed-requests';
import { CallbackServer, type CallbackFaults } from './callback-server';
import type { KeyedChance } from './keyed-chance';
import { MerchantFollowUps } from './merchant-follow-ups';
import { orderIn, recordOfOrder, SECURITY_CODE, type InitialKind, type OrderRecord, type Told } from './merchant-records';
import { MerchantRequests } from './merchant-requests';
import { ConnectionLost, type Network } from './network';
import { PayerActor } from './payer-actor';
import { requestV4 } from './request-v4';

export interface MerchantFaults extends CallbackFaults {
  readonly payerLeaves: number;
  readonly forges: number;
}

export const HEALTHY_MERCHANT: MerchantFaults = { down: 0, answerLost: 0, failing: 0, slow: 0, payerLeaves: 0.05, forges: 0 };

const DENIED = 403;
/** Tried after a decline, if the request lists a second amount. */
const LESSER_AMOUNT = '0.50';
// 4.35 is not a whole number of cents in floating-point arithmetic.
const AMOUNTS = ['4.35', '1.00', '250.00', '0.99'] as const;

export interface MerchantActorSettings {
  readonly time: VirtualClock;
  readonly chance: KeyedChance;
  readonly network: Network;
  readonly faults: () => MerchantFaults;
  readonly login: string;
  readonly controlKeys: () => readonly string[];
  readonly endpointId: string;
  readonly neverTakes: number;
  readonly chargesOfCard: number;
}

/** A merchant with its shop, payers and callback server. It orders, polls, repeats unanswered requests, and records everything. */
export class MerchantActor {
  readonly orders = new Map<string, OrderRecord>();
  readonly forged = new Map<string, Told[]>();
  readonly callbackServer: CallbackServer;
  readonly #requests: MerchantRequests;
  readonly #followUps: MerchantFollowUps;

  constructor(readonly settings: MerchantActorSettings) {
    const { network, login, controlKeys, endpointId, time, chance, faults } = settings;
    const payer = new PayerActor({ chance, network, leaves: () => faults().payerLeaves });
    const integrationWith = (controlKey: string) => new Merchant(network, { login, controlKey, at: endpointId, pathPrefix: '/paynet' });
    this.#requests = new MerchantRequests({ payer, time, controlKeys, integrationWith });
    const registerV4 = async ({ clientOrderId, orderId }: Order, nonce: string): Promise<Answer> => {
      const fields = [['client_orderid', clientOrderId], ['orderid', orderId]] as const; // prettier-ignore
      const { path, options } = requestV4({ operation: 'create-card-ref', endpointId, login, fields, nonce, now: time.now() });
      const answer = await network.request(path, options);
      // The network doubled the request and the copy arrived first: a nonce serves once.
      if (answer.status === DENIED) throw new ConnectionLost('the nonce was served already');
      return { ...answer, fields: fieldsOf(answer) };
    };
    this.#followUps = new MerchantFollowUps({ requests: this.#requests, chance, registerV4, onFirstCard: () => this.#chargeCard() });
    this.callbackServer = new CallbackServer({ time, chance, faults, orderOf: (clientOrderId) => this.orders.get(clientOrderId) });
  }

  get login(): string {
    return this.settings.login;
  }

  get cardRefs(): readonly string[] {
    return this.#followUps.cardRefs;
  }

  get isAtRest(): boolean {
    return [...this.orders.values()].every(({ isOver }) => isOver);
  }

  begin(count: number, withinMs: number): void {
    const { time, chance, login } = this.settings;
    for (let number = 0; number < count; number++) {
      const clientOrderId = `${login}-${number}`;
      time.after(chance.between(0, withinMs, 'merchant.begins', clientOrderId), () => void this.#order(clientOrderId));
    }
  }

  #chargeCard(): void {
    const { login, chargesOfCard } = this.settings;
    for (let number = 0; number < chargesOfCard; number++) void this.#order(`${login}-again-${number}`, 'rebill');
  }

  async #order(clientOrderId: string, kind = this.#kindOf(clientOrderId)): Promise<void> {
    const { chance, faults, neverTakes } = this.settings;
    if (chance.happens(faults().forges, 'merchant.forged', clientOrderId)) void this.#forge(`${clientOrderId}-forged`);
    const amount = chance.pick(AMOUNTS, 'merchant.amount', clientOrderId);
    const isListed = kind === 'rebill' && chance.happens(0.4, 'merchant.lists-amounts', clientOrderId);
    const amounts = isListed ? [amount, LESSER_AMOUNT] : [amount];
    const takesCallbacks = !chance.happens(neverTakes, 'callback.never', clientOrderId);
    const record = recordOfOrder({ clientOrderId, kind, amount, amounts, takesCallbacks });
    this.orders.set(clientOrderId, record);
    record.order = orderIn(await this.#requests.untilAnswered(record.requests, this.#requestOf(record)));
    if (record.order !== undefined) {
      const end = await this.#requests.untilFinal(record.order, record.statuses);
      if (end === 'approved') await this.#followUps.after(record, record.order);
    }
    record.isOver = true;
  }

  async #forge(clientOrderId: string): Promise<void> {
    const { network, login, endpointId, chance } = this.settings;
    const controlKey = Buffer.from(chance.randomOf(`forger ${clientOrderId}`).bytes(16)).toString('hex');
    const forger = new Merchant(network, { login, controlKey, at: endpointId, pathPrefix: '/paynet' });
    const told: Told[] = [];
    this.forged.set(clientOrderId, told);
    await this.#requests.asksOnce(told, () => forger.sale({ client_orderid: clientOrderId, cvv2: SECURITY_CODE, amount: '1.00' }));
  }

  #kindOf(clientOrderId: string): InitialKind {
    const { chance } = this.settings;
    if (this.#followUps.cardRefs.length > 0 && chance.happens(0.4, 'merchant.rebills', clientOrderId))
      return chance.happens(0.3, 'merchant.holds', clientOrderId) ? 'rebillPreauth' : 'rebill';
    return chance.pick(['sale', 'sale', 'sale', 'preauth', 'accountVerification'] as const, 'merchant.kind', clientOrderId);
  }

  #requestOf({ clientOrderId, kind, amount, amounts }: OrderRecord): (merchant: Merchant) => Promise<Answer> {
    // An order without a callback address uses that of its endpoint.
    const namesAddress = this.settings.chance.happens(0.8, 'merchant.names-address', clientOrderId);
    const fields: Fields = {
      client_orderid: clientOrderId,
      server_callback_url: namesAddress ? `https://${this.login}.example/callbacks/${clientOrderId}` : undefined,
      redirect_url: `https://${this.login}.example/back`,
    };
    const [cardRefId = ''] = this.#followUps.cardRefs;
    const cvv2 = SECURITY_CODE;
    const list = amounts.length > 1 ? { enumerate_amounts: amounts.join(',') } : {};
    if (kind === 'rebill' || kind === 'rebillPreauth')
      return (merchant) => merchant[kind](cardRefId, { ...fields, redirect_url: undefined, amount, ...list });
    if (kind === 'accountVerification') return (merchant) => merchant.accountVerification({ ...fields, cvv2 });
    return (merchant) => merchant[kind]({ ...fields, cvv2, amount });
  }
}
