import { encodeForm, JSON_ANSWER_TYPE, parseFormAnswer } from '@app/gateway-protocol';
import type { HttpAnswer, PublicSide } from '../http/http-client';
import { SignedRequests, type Fields, type Order, type SigningSettings } from './signed-requests';
import { until } from '../until';

export interface Answer extends HttpAnswer {
  readonly fields: Readonly<Record<string, string>>;
}

export interface Sending {
  /** `1001`, or `group/2001`. */
  readonly at?: string;
  readonly json?: boolean;
  /** Name in the path if it differs from the operation's: the alias `make-rebill`. */
  readonly path?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface Accepted extends Order {
  readonly serial: string;
}

export type FollowUp = 'capture' | 'return' | 'void';

export interface MerchantSettings extends SigningSettings {
  readonly pathPrefix?: string;
}

const FINAL: ReadonlySet<string | undefined> = new Set(['approved', 'declined', 'filtered', 'error']);
const STATUS_WAIT_MS = 20_000;

export const fieldsOf = ({ headers, body }: HttpAnswer): Answer['fields'] => {
  const type = String(headers['content-type'] ?? '');
  if (type.startsWith(JSON_ANSWER_TYPE)) return JSON.parse(body) as Answer['fields'];
  return body.startsWith('type=') ? Object.fromEntries(parseFormAnswer(body)) : {};
};

export class Merchant extends SignedRequests {
  readonly #service: PublicSide;
  readonly #pathPrefix: string;

  constructor(service: PublicSide, { pathPrefix = '/paynet', ...settings }: MerchantSettings = {}) {
    super(settings);
    this.#service = service;
    this.#pathPrefix = pathPrefix;
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

  async post(
    operation: string,
    fields: Fields,
    { at = this.at, json = false, path = operation, headers = {} }: Sending = {},
  ): Promise<Answer> {
    return this.postBody(`${path}/${at}`, encodeForm(Object.entries(fields)), { ...(json && { accept: JSON_ANSWER_TYPE }), ...headers });
  }

  async postBody(path: string, body: string | Buffer, headers: Readonly<Record<string, string>> = {}): Promise<Answer> {
    const answer = await this.#service.request(`${this.#pathPrefix}/api/v2/${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
      body,
    });
    return { ...answer, fields: fieldsOf(answer) };
  }

  /** Fails the test with the answer if the order was refused. */
  async accepted(answer: Promise<Answer>): Promise<Accepted> {
    const { fields, body } = await answer;
    const { type, 'merchant-order-id': clientOrderId, 'paynet-order-id': orderId, 'serial-number': serial } = fields;
    if (type !== 'async-response' || clientOrderId === undefined || orderId === undefined || serial === undefined)
      throw new Error(`not accepted: ${body}`);
    return { clientOrderId, orderId, serial };
  }

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

  finalStatus(order: Order, timeoutMs?: number): Promise<Answer['fields']> {
    return this.statusWhen(order, ({ status }) => FINAL.has(status), 'a final status', timeoutMs);
  }

  followUpEnd({ serial, ...order }: Accepted, timeoutMs?: number): Promise<Answer['fields']> {
    return this.statusWhen(order, ({ status }) => FINAL.has(status), `the end of ${serial}`, timeoutMs, { 'by-request-sn': serial });
  }

  async approved(answer: Promise<Answer>): Promise<Accepted> {
    const order = await this.accepted(answer);
    const { status } = await this.finalStatus(order);
    if (status !== 'approved') throw new Error(`${order.orderId} ended ${status}`);
    return order;
  }

  approvedSale(fields: Fields = {}, sending: Sending = {}): Promise<Accepted> {
    return this.approved(this.sale(fields, sending));
  }

  async approvedFollowUp(kind: FollowUp, order: Order, fields: Fields = {}, sending: Sending = {}): Promise<Accepted> {
    const followUp = await this.accepted(this.followUp(kind, order, fields, sending));
    const { status } = await this.followUpEnd(followUp);
    if (status !== 'approved') throw new Error(`the ${kind} of ${order.orderId} ended ${status}`);
    return followUp;
  }

  async registeredCard(fields: Fields = {}, sending: Sending = {}): Promise<string> {
    const { fields: answer, body } = await this.createCardRef(await this.approvedSale(fields, sending));
    const cardRefId = answer['card-ref-id'];
    if (cardRefId === undefined) throw new Error(`not registered: ${body}`);
    return cardRefId;
  }
}
