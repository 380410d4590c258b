import {
  accountVerificationControl,
  amountFollowUpControl,
  callbackControl,
  cardInfoControl,
  encodeForm,
  initialPaymentControl,
  JSON_ANSWER_TYPE,
  orderControl,
  parseFormAnswer,
  rebillControl,
  type ControlKey,
} from '@app/gateway-protocol';
import { parseAmount, Secret } from '@app/kernel';
import type { HttpAnswer, PublicSide } from './http-client';
import { until } from './until';

/** Fields of a request by their names in the interface; one that is undefined is left out. */
export type Fields = Readonly<Record<string, string | undefined>>;

export interface Answer extends HttpAnswer {
  /** Of a form or JSON answer; empty where it is neither. */
  readonly fields: Readonly<Record<string, string>>;
}

export interface Sending {
  /** `1001`, or `group/2001`. */
  readonly at?: string;
  /** Requests the JSON variant. */
  readonly json?: boolean;
  /** The name in the path where it is not the operation's: the alias `make-rebill`. */
  readonly path?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** An order as its merchant names it. */
export interface Order {
  readonly clientOrderId: string;
  readonly orderId: string;
}

/** An order, or a follow-up of one, as the answer to its request names it. */
export interface Accepted extends Order {
  readonly serial: string;
}

export type FollowUp = 'capture' | 'return' | 'void';

export interface MerchantSettings {
  readonly login?: string;
  readonly controlKey?: string;
  readonly rebillControl?: 'with-endpoint' | 'without-endpoint';
  /** Entry point of every request that names none. */
  readonly at?: string;
  readonly pathPrefix?: string;
}

/** The key of the sandbox, which is that of the known answers of protocol decisions, section 5. */
export const SANDBOX_CONTROL_KEY = 'B17F59B4-A7DC-41B4-8FF9-37D986B43D20';
/** The number that every example of this family of gateways uses; no cardholder has it. */
export const TEST_CARD_NUMBER = '4444333322221111';

const FINAL: ReadonlySet<string | undefined> = new Set(['approved', 'declined', 'filtered', 'error']);
const STATUS_WAIT_MS = 20_000;

const fieldsOf = ({ headers, body }: HttpAnswer): Answer['fields'] => {
  const type = String(headers['content-type'] ?? '');
  if (type.startsWith(JSON_ANSWER_TYPE)) return JSON.parse(body) as Answer['fields'];
  return body.startsWith('type=') ? Object.fromEntries(parseFormAnswer(body)) : {};
};

/** A merchant of the service as its integrators write one: signs, posts and reads; every field can be replaced or left out. */
export class Merchant {
  static #lastOrder = 0;
  readonly login: string;
  readonly key: ControlKey;
  readonly #service: PublicSide;
  readonly #settings: Required<Omit<MerchantSettings, 'login' | 'controlKey'>>;

  constructor(service: PublicSide, { login = 'acme', controlKey = SANDBOX_CONTROL_KEY, ...settings }: MerchantSettings = {}) {
    this.#service = service;
    this.login = login;
    this.key = new Secret(controlKey);
    this.#settings = { rebillControl: 'with-endpoint', at: '1001', pathPrefix: '/paynet', ...settings };
  }

  /** A client_orderid that no earlier request of this test process has used. */
  newOrderId(prefix = 'o'): string {
    Merchant.#lastOrder++;
    return `${prefix}-${process.pid}-${Date.now().toString(36)}-${Merchant.#lastOrder}`;
  }

  /** A sale that a gate approves at once (protocol decisions, sections 9 and 10), without its control. */
  saleFields(fields: Fields = {}): Fields {
    return {
      client_orderid: this.newOrderId('s'),
      order_desc: 'Two pairs of shoes',
      amount: '10.42',
      currency: 'USD',
      card_printed_name: 'JOHN SMITH',
      credit_card_number: TEST_CARD_NUMBER,
      expire_month: '12',
      expire_year: '2039',
      cvv2: '123',
      address1: '1 Main Street',
      city: 'Springfield',
      zip_code: '12345',
      country: 'US',
      state: 'CA',
      email: 'john.smith@example.com',
      phone: '+12125550100',
      ipaddress: '203.0.113.7',
      ...fields,
    };
  }

  /** A recurrent payment (interface, section 2.4) without its control. */
  rebillFields(cardRefId: string, fields: Fields = {}): Fields {
    return {
      login: this.login,
      client_orderid: this.newOrderId('r'),
      cardrefid: cardRefId,
      order_desc: 'Monthly fee',
      amount: '5.50',
      currency: 'USD',
      ipaddress: '203.0.113.7',
      ...fields,
    };
  }

  orderFields(
    { clientOrderId, orderId }: { readonly clientOrderId: string; readonly orderId?: string | undefined },
    fields: Fields = {},
  ): Fields {
    return { login: this.login, client_orderid: clientOrderId, orderid: orderId, ...fields };
  }

  signedSale(fields: Fields, at = this.#settings.at): Fields {
    const { client_orderid = '', email = '', amount = '' } = trimmedAll(fields);
    const signed = { entryPoint: idOf(at), clientOrderId: client_orderid, amountMinor: parseAmount(amount) ?? 0n, email };
    return { ...fields, control: fields['control'] ?? initialPaymentControl(signed, this.key) };
  }

  signedRebill(fields: Fields, at = this.#settings.at): Fields {
    const { login = '', client_orderid = '', cardrefid = '', amount = '', currency = '' } = trimmedAll(fields);
    const amountMinor = parseAmount(amount) ?? 0n;
    const signed = { entryPoint: idOf(at), login, clientOrderId: client_orderid, cardRefId: cardrefid, amountMinor, currency };
    return { ...fields, control: fields['control'] ?? rebillControl(signed, this.key, this.#settings.rebillControl) };
  }

  signedVerification(fields: Fields, at = this.#settings.at): Fields {
    const { client_orderid = '', email = '' } = trimmedAll(fields);
    const signed = { entryPoint: idOf(at), clientOrderId: client_orderid, email };
    return { ...fields, control: fields['control'] ?? accountVerificationControl(signed, this.key) };
  }

  /** Capture and return of an amount; without one, signed like any other request that names an order (protocol decisions, section 5). */
  signedFollowUp(fields: Fields): Fields {
    const { login = '', client_orderid = '', orderid = '', amount, currency = '' } = trimmedAll(fields);
    if (amount === undefined) return this.signedOrder(fields);
    const named = { login, clientOrderId: client_orderid, orderId: orderid };
    const control = amountFollowUpControl(named, { amountMinor: parseAmount(amount) ?? 0n, currency }, this.key);
    return { ...fields, control: fields['control'] ?? control };
  }

  /** Status, create-card-ref, and a follow-up without amount. */
  signedOrder(fields: Fields): Fields {
    const { login = '', client_orderid = '', orderid = '' } = trimmedAll(fields);
    return { ...fields, control: fields['control'] ?? orderControl({ login, clientOrderId: client_orderid, orderId: orderid }, this.key) };
  }

  signedCardInfo(fields: Fields): Fields {
    const { login = '', cardrefid = '' } = trimmedAll(fields);
    return { ...fields, control: fields['control'] ?? cardInfoControl({ login, cardRefId: cardrefid }, this.key) };
  }

  /** The control that a callback or a browser redirect must carry (protocol decisions, section 6). */
  callbackControlOf(status: string, { orderId, clientOrderId }: Order): string {
    return callbackControl({ status, orderId, clientOrderId }, this.key);
  }

  sale(fields: Fields = {}, sending: Sending = {}): Promise<Answer> {
    return this.post('sale', this.signedSale(this.saleFields(fields), sending.at), sending);
  }

  preauth(fields: Fields = {}, sending: Sending = {}): Promise<Answer> {
    return this.post('preauth', this.signedSale(this.saleFields(fields), sending.at), sending);
  }

  accountVerification(fields: Fields = {}, sending: Sending = {}): Promise<Answer> {
    const { amount: _amount, currency: _currency, ...verification } = this.saleFields(fields);
    return this.post('account-verification', this.signedVerification(verification, sending.at), sending);
  }

  rebill(cardRefId: string, fields: Fields = {}, sending: Sending = {}): Promise<Answer> {
    return this.post('make-rebill-sale', this.signedRebill(this.rebillFields(cardRefId, fields), sending.at), sending);
  }

  rebillPreauth(cardRefId: string, fields: Fields = {}, sending: Sending = {}): Promise<Answer> {
    return this.post('make-rebill-preauth', this.signedRebill(this.rebillFields(cardRefId, fields), sending.at), sending);
  }

  followUp(kind: FollowUp, order: Order, fields: Fields = {}, sending: Sending = {}): Promise<Answer> {
    return this.post(kind, this.signedFollowUp(this.orderFields(order, fields)), sending);
  }

  status(
    order: { readonly clientOrderId: string; readonly orderId?: string | undefined },
    fields: Fields = {},
    sending: Sending = {},
  ): Promise<Answer> {
    return this.post('status', this.signedOrder(this.orderFields(order, fields)), sending);
  }

  createCardRef(order: Order, fields: Fields = {}, sending: Sending = {}): Promise<Answer> {
    return this.post('create-card-ref', this.signedOrder(this.orderFields(order, fields)), sending);
  }

  cardInfo(cardRefId: string, fields: Fields = {}, sending: Sending = {}): Promise<Answer> {
    return this.post('get-card-info', this.signedCardInfo({ login: this.login, cardrefid: cardRefId, ...fields }), sending);
  }

  /** Posts the fields unchanged, also those of requests that no integrator should send. */
  async post(
    operation: string,
    fields: Fields,
    { at = this.#settings.at, json = false, path = operation, headers = {} }: Sending = {},
  ): Promise<Answer> {
    return this.postBody(`${path}/${at}`, encodeForm(Object.entries(fields)), { ...(json && { accept: JSON_ANSWER_TYPE }), ...headers });
  }

  /** @param path below `/api/v2/` */
  async postBody(path: string, body: string | Buffer, headers: Readonly<Record<string, string>> = {}): Promise<Answer> {
    const answer = await this.#service.request(`${this.#settings.pathPrefix}/api/v2/${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
      body,
    });
    return { ...answer, fields: fieldsOf(answer) };
  }

  /** An accepted order; the test fails with the answer where it was refused. */
  async accepted(answer: Promise<Answer>): Promise<Accepted> {
    const { fields, body } = await answer;
    const { type, 'merchant-order-id': clientOrderId, 'paynet-order-id': orderId, 'serial-number': serial } = fields;
    if (type !== 'async-response' || clientOrderId === undefined || orderId === undefined || serial === undefined)
      throw new Error(`not accepted: ${body}`);
    return { clientOrderId, orderId, serial };
  }

  /**
   * Polls as merchants do, until the status is one of these.
   * @param asked further fields of the request
   */
  async statusWhen(
    order: Order,
    isAsked: (fields: Answer['fields']) => boolean,
    what: string,
    timeoutMs = STATUS_WAIT_MS,
    asked: Fields = {},
  ): Promise<Answer['fields']> {
    let seen: Answer['fields'] | undefined;
    return until(
      async () => {
        seen = (await this.status(order, asked)).fields;
        if (seen['type'] !== 'status-response') throw new Error(`no status: ${JSON.stringify(seen)}`);
        return isAsked(seen) ? seen : undefined;
      },
      { what: `${what} of ${order.orderId}`, timeoutMs, seen: () => seen },
    );
  }

  /** The answer once the status is final. */
  finalStatus(order: Order, timeoutMs?: number): Promise<Answer['fields']> {
    return this.statusWhen(order, ({ status }) => FINAL.has(status), 'a final status', timeoutMs);
  }

  /** The status of one follow-up, requested by its own serial, once it is final. */
  followUpEnd({ serial, ...order }: Accepted, timeoutMs?: number): Promise<Answer['fields']> {
    return this.statusWhen(order, ({ status }) => FINAL.has(status), `the end of ${serial}`, timeoutMs, { 'by-request-sn': serial });
  }

  /** An order that ended approved. */
  async approved(answer: Promise<Answer>): Promise<Accepted> {
    const order = await this.accepted(answer);
    const { status } = await this.finalStatus(order);
    if (status !== 'approved') throw new Error(`${order.orderId} ended ${status}`);
    return order;
  }

  /** A sale that ended approved. */
  approvedSale(fields: Fields = {}, sending: Sending = {}): Promise<Accepted> {
    return this.approved(this.sale(fields, sending));
  }

  /** A follow-up that ended approved. */
  async approvedFollowUp(kind: FollowUp, order: Order, fields: Fields = {}, sending: Sending = {}): Promise<Accepted> {
    const followUp = await this.accepted(this.followUp(kind, order, fields, sending));
    const { status } = await this.followUpEnd(followUp);
    if (status !== 'approved') throw new Error(`the ${kind} of ${order.orderId} ended ${status}`);
    return followUp;
  }

  /** A card reference, by an approved sale and its registration. */
  async registeredCard(fields: Fields = {}, sending: Sending = {}): Promise<string> {
    const { fields: answer, body } = await this.createCardRef(await this.approvedSale(fields, sending));
    const cardRefId = answer['card-ref-id'];
    if (cardRefId === undefined) throw new Error(`not registered: ${body}`);
    return cardRefId;
  }
}

const trimmedAll = (fields: Fields): Fields => Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, value?.trim()]));
const idOf = (at: string): string => at.slice(at.lastIndexOf('/') + 1);
