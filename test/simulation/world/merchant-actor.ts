import type { Egress } from '@app/egress';
import { sleep } from '@app/kernel';
import type { VirtualClock } from '@app/testing';
import { Merchant, type Answer, type FollowUp } from '../../support/merchants/merchant';
import { formOf } from '../../support/merchants/payer';
import type { Fields, Order } from '../../support/merchants/signed-requests';
import { CallbackServer } from './callback-server';
import type { KeyedChance } from './keyed-chance';
import { ConnectionLost, type Network } from './network';

export interface MerchantFaults {
  /** The merchant's server cannot be reached. */
  readonly down: number;
  /** It took the callback, and its answer is lost. */
  readonly answerLost: number;
  /** It answers with an error. */
  readonly failing: number;
  /** The payer closes the page of the bank. */
  readonly payerLeaves: number;
}

export const HEALTHY_MERCHANT: MerchantFaults = { down: 0, answerLost: 0, failing: 0, payerLeaves: 0.05 };

export type InitialKind = 'sale' | 'preauth' | 'accountVerification' | 'rebill';

/** What one request of the merchant was answered with: the fields, or that nothing came back. */
export interface Told {
  readonly atMs: number;
  readonly fields: Answer['fields'] | 'lost';
}

export interface CallbackTaken {
  readonly atMs: number;
  readonly webhookId: string;
  readonly fields: Readonly<Record<string, string>>;
  readonly wasAcknowledged: boolean;
}

/** The merchant's own record of one of its orders. */
export interface OrderRecord {
  readonly clientOrderId: string;
  readonly kind: InitialKind;
  readonly amount: string;
  /** Tried in turn where the one before is declined; the amount alone where the request lists none. */
  readonly amounts: readonly string[];
  readonly requests: Told[];
  readonly statuses: Told[];
  readonly callbacks: CallbackTaken[];
  readonly followUps: FollowUpRecord[];
  /** Whether its callbacks are acknowledged one day. */
  readonly takesCallbacks: boolean;
  /** From the answer that accepted it. */
  order: Order | undefined;
  cardRefId: string | undefined;
  isOver: boolean;
}

export interface FollowUpRecord {
  readonly kind: FollowUp;
  readonly amount: string | undefined;
  readonly requests: Told[];
  readonly statuses: Told[];
  serial: string | undefined;
}

const FINAL: ReadonlySet<string | undefined> = new Set(['approved', 'declined', 'filtered', 'error']);
/** Codes that say: send the same again (protocol decisions, section 3). */
const AGAIN: ReadonlySet<string | undefined> = new Set(['20', '21', '99']);
const POLL_MS = [3_000, 5_000, 10_000, 20_000, 30_000, 60_000] as const;
const AGAIN_MS = [1_000, 3_000, 10_000, 30_000, 60_000] as const;
const TRIES_MAX = 200;
/** Of every card that a payer types in. */
export const SECURITY_CODE = '7391';
/** A shop whose program asks again and again for what the gate declines, on one order. */
const INSISTS_SHARE = 0.005;
const INSISTS_TIMES = 251;
/** Tried where an amount was declined that lists another. */
const LESSER_AMOUNT = '0.50';
// 4.35 is not a whole number of cents where somebody reckons with floats.
const AMOUNTS = ['4.35', '1.00', '250.00', '0.99'] as const;

const nth = (list: readonly number[], at: number): number => list[Math.min(at, list.length - 1)] ?? 0;
export const statusOf = ({ fields }: Told): string | undefined => (fields === 'lost' ? undefined : fields['status']);
const isFinal = (told: Told | undefined): boolean => told !== undefined && FINAL.has(statusOf(told));

export interface MerchantActorSettings {
  readonly time: VirtualClock;
  readonly chance: KeyedChance;
  readonly network: Network;
  readonly faults: () => MerchantFaults;
  readonly login: string;
  readonly controlKey: string;
  readonly endpointId: string;
  /** Of its orders: those whose callbacks it never acknowledges. */
  readonly neverTakes: number;
  /** How many orders it makes at once, when it has registered its first card. */
  readonly burst: number;
}

/** A merchant with its shop, its payers and its server for callbacks: it orders, asks, repeats what was not answered, and writes everything down. */
export class MerchantActor {
  readonly orders = new Map<string, OrderRecord>();
  readonly #merchant: Merchant;
  readonly #cardRefs: string[] = [];
  readonly #server: CallbackServer;

  constructor(readonly settings: MerchantActorSettings) {
    const { network, login, controlKey, endpointId } = settings;
    this.#server = new CallbackServer(settings, (clientOrderId) => this.orders.get(clientOrderId));
    this.#merchant = new Merchant(network, { login, controlKey, at: endpointId, pathPrefix: '/paynet' });
  }

  get login(): string {
    return this.settings.login;
  }

  /** Its server, as the service's way out reaches it. */
  get egress(): Egress {
    return this.#server.egress;
  }

  /** Of the cards that it registered, newest first. */
  get cardRefs(): readonly string[] {
    return this.#cardRefs;
  }

  get isAtRest(): boolean {
    return [...this.orders.values()].every(({ isOver }) => isOver);
  }

  /** Orders one after the other, each in its own time, over so many milliseconds. */
  begin(count: number, withinMs: number): void {
    const { time, chance, login } = this.settings;
    for (let number = 0; number < count; number++) {
      const clientOrderId = `${login}-${number}`;
      time.after(chance.between(0, withinMs, 'merchant.begins', clientOrderId), () => void this.#order(clientOrderId));
    }
  }

  async #order(clientOrderId: string, kind = this.#kindOf(clientOrderId)): Promise<void> {
    const { chance } = this.settings;
    const amount = chance.pick(AMOUNTS, 'merchant.amount', clientOrderId);
    const isListed = kind === 'rebill' && chance.happens(0.4, 'merchant.lists-amounts', clientOrderId);
    const record: OrderRecord = {
      clientOrderId,
      kind,
      amount,
      amounts: isListed ? [amount, LESSER_AMOUNT] : [amount],
      requests: [],
      statuses: [],
      callbacks: [],
      followUps: [],
      takesCallbacks: !chance.happens(this.settings.neverTakes, 'callback.never', clientOrderId),
      order: undefined,
      cardRefId: undefined,
      isOver: false,
    };
    this.orders.set(clientOrderId, record);
    record.order = orderIn(await this.#untilAnswered(record.requests, this.#requestOf(record)));
    if (record.order !== undefined) {
      const end = await this.#untilFinal(record, record.order, record.statuses);
      if (end === 'approved') await this.#afterApproval(record, record.order);
    }
    record.isOver = true;
  }

  #kindOf(clientOrderId: string): InitialKind {
    const { chance } = this.settings;
    if (this.#cardRefs.length > 0 && chance.happens(0.4, 'merchant.rebills', clientOrderId)) return 'rebill';
    return chance.pick(['sale', 'sale', 'sale', 'preauth', 'accountVerification'] as const, 'merchant.kind', clientOrderId);
  }

  #requestOf({ clientOrderId, kind, amount, amounts }: OrderRecord): () => Promise<Answer> {
    const fields: Fields = {
      client_orderid: clientOrderId,
      server_callback_url: `https://${this.login}.example/callbacks/${clientOrderId}`,
      redirect_url: `https://${this.login}.example/back`,
    };
    const [cardRefId = ''] = this.#cardRefs;
    const cvv2 = SECURITY_CODE;
    const list = amounts.length > 1 ? { enumerate_amounts: amounts.join(',') } : {};
    if (kind === 'rebill') return () => this.#merchant.rebill(cardRefId, { ...fields, redirect_url: undefined, amount, ...list });
    if (kind === 'accountVerification') return () => this.#merchant.accountVerification({ ...fields, cvv2 });
    return () => this.#merchant[kind]({ ...fields, cvv2, amount });
  }

  /** Sends the same until an answer decides something, as the interface asks of merchants. */
  async #untilAnswered(told: Told[], send: () => Promise<Answer>): Promise<Answer['fields'] | undefined> {
    for (let tries = 0; tries < TRIES_MAX; tries++) {
      const fields = await this.#ask(told, send);
      if (fields !== 'lost' && !AGAIN.has(fields['error-code'])) return fields;
      await sleep(this.settings.time, nth(AGAIN_MS, tries));
    }
    return undefined;
  }

  async #ask(told: Told[], send: () => Promise<Answer>): Promise<Answer['fields'] | 'lost'> {
    let fields: Answer['fields'] | 'lost' = 'lost';
    try {
      ({ fields } = await send());
    } catch (error) {
      if (!(error instanceof ConnectionLost)) throw error;
    }
    told.push({ atMs: this.settings.time.now(), fields });
    return fields;
  }

  async #untilFinal(record: OrderRecord, order: Order, told: Told[], asked: Fields = {}): Promise<string | undefined> {
    let hasPayerActed = false;
    for (let tries = 0; tries < TRIES_MAX && !isFinal(told.at(-1)); tries++) {
      const fields = await this.#ask(told, () => this.#merchant.status(order, asked));
      const way = fields === 'lost' ? undefined : fields['redirect-to'];
      if (way !== undefined && !hasPayerActed) hasPayerActed = await this.#payerActs(record.clientOrderId, way);
      await sleep(this.settings.time, nth(POLL_MS, tries));
    }
    const last = told.at(-1);
    return last === undefined ? undefined : statusOf(last);
  }

  /** @returns whether the payer is through with it, or has gone away */
  async #payerActs(clientOrderId: string, way: string): Promise<boolean> {
    const { chance, network, faults } = this.settings;
    if (chance.happens(faults().payerLeaves, 'payer.leaves', clientOrderId)) return true;
    try {
      const page = await network.send(way);
      const back = page.status === 200 ? formOf(page.body)?.fields['TermUrl'] : undefined;
      if (back === undefined) return false;
      const headers = { 'content-type': 'application/x-www-form-urlencoded' };
      const returned = await network.send(back, { method: 'POST', headers, body: 'PaRes=ok' });
      return returned.status === 200;
    } catch (error) {
      if (!(error instanceof ConnectionLost)) throw error;
      return false;
    }
  }

  async #afterApproval(record: OrderRecord, order: Order): Promise<void> {
    const { chance } = this.settings;
    const { clientOrderId, kind } = record;
    if (kind !== 'rebill' && chance.happens(0.4, 'merchant.registers', clientOrderId)) await this.#register(record, order);
    if (kind === 'accountVerification') return;
    if (kind === 'sale' && chance.happens(INSISTS_SHARE, 'merchant.insists', clientOrderId)) return this.#insist(record, order);
    if (kind === 'preauth' && chance.happens(0.7, 'merchant.captures', clientOrderId)) await this.#followUp(record, order, 'capture');
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
    const fields = await this.#untilAnswered([], () => this.#merchant.createCardRef(order));
    record.cardRefId = fields?.['card-ref-id'];
    if (record.cardRefId === undefined) return;
    const { burst, login } = this.settings;
    const number = this.#cardRefs.unshift(record.cardRefId) > 1 ? 0 : burst;
    for (let at = 0; at < number; at++) void this.#order(`${login}-burst-${at}`, 'rebill');
  }

  async #followUp(record: OrderRecord, order: Order, kind: FollowUp, amount?: string): Promise<void> {
    const followUp: FollowUpRecord = { kind, amount, requests: [], statuses: [], serial: undefined };
    record.followUps.push(followUp);
    const fields: Fields = amount === undefined ? {} : { amount, currency: 'USD' };
    const headers = { 'idempotency-key': `${order.orderId}-${kind}-${record.followUps.length}` };
    const answer = await this.#untilAnswered(followUp.requests, () => this.#merchant.followUp(kind, order, fields, { headers }));
    followUp.serial = answer?.['serial-number'];
    if (orderIn(answer) === undefined) return;
    await this.#untilFinal(record, order, followUp.statuses, { 'by-request-sn': followUp.serial });
  }
}

const orderIn = (fields: Answer['fields'] | undefined): Order | undefined => {
  const { type, 'merchant-order-id': clientOrderId, 'paynet-order-id': orderId } = fields ?? {};
  return type === 'async-response' && clientOrderId !== undefined && orderId !== undefined ? { clientOrderId, orderId } : undefined;
};
