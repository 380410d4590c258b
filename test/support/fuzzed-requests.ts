import {
  CreateCardRefRequest,
  encodeForm,
  fieldsOf,
  GetCardInfoRequest,
  JSON_ANSWER_TYPE,
  MakeRebillSaleRequest,
  OrderStatusRequest,
  SaleRequest,
} from '@app/gateway-protocol';
import type { Random } from '@app/kernel';
import type { RequestOptions } from './http-client';
import type { Fields, Merchant, Order } from './merchant';

/** A route, a request that it takes, and how that is signed. */
interface Route {
  readonly path: string;
  readonly message: Parameters<typeof fieldsOf>[0];
  readonly fields: () => Fields;
  readonly sign: (fields: Fields, at: string) => Fields;
}

export interface FuzzedRequest {
  readonly path: string;
  readonly options: RequestOptions;
  /** What is wrong with it, for a failure's message. */
  readonly told: string;
}

/** What programs choke on: numbers that are none, ends of ranges, control and bidirectional characters, names of members, markup, paths, addresses. */
const TEXTS: readonly string[] = [
  '', ' ', '0', '-1', '+1', '1e3', '0x10', '1,5', '.5', '5.', '00.00', '99999999999999999999', '9007199254740993', 'NaN', 'null', 'undefined',
  'true', '\0', '\r\nX: 1', '\t', '\u202e', '\ufeff', '\u00e9\u0301', '\u{1f600}', '\u{10ffff}', '%', '%00', '%zz', '+', '&', '=', 'a[b]',
  '__proto__', 'constructor', 'toString', '<script>', "' or 1=1 --", '${x}', '../../etc/passwd', 'http://127.0.0.1:1', 'https://[::1]/',
  'javascript:alert(1)', 'file:///etc/passwd', '4444333322221111', '5555 5555 5555 4444', '00', '13', '1969', '9999', 'ZZ', 'USD\n',
]; // prettier-ignore
const LENGTHS: readonly number[] = [1, 2, 3, 16, 20, 21, 40, 128, 129, 1_024, 65_536];
const PLACES: readonly string[] = [
  '1001',
  '1002',
  '1003',
  '9001',
  '7777',
  'group/2001',
  'group/9101',
  'group/7',
  '0',
  '%2e%2e',
  '%00',
  'x'.repeat(300),
  '1001/',
  '1001/x',
];
const CONTENT_TYPES: readonly string[] = [
  'application/json',
  'text/plain',
  'multipart/form-data',
  'application/x-www-form-urlencoded;charset=utf-16',
  ';',
  'x'.repeat(200),
];
const ACCEPTS: readonly string[] = [JSON_ANSWER_TYPE, '*/*', `${JSON_ANSWER_TYPE};q=0`, 'a/b;q=nonsense', ','.repeat(200)];
const METHODS: readonly string[] = ['GET', 'PUT', 'DELETE', 'PATCH', 'OPTIONS', 'HEAD'];
const FORM = 'application/x-www-form-urlencoded';
const CHANGES_MAX = 3;
const BITS = 8;

/** Requests of every Group A route, by a seed: those that it takes, with fields of its own message changed, and with a form or a transport that is broken. */
export class FuzzedRequests {
  readonly #routes: readonly Route[];

  constructor(
    private readonly random: Random,
    merchant: Merchant,
    order: Order,
    cardRefId: string,
  ) {
    const ofOrder = { path: 'status', message: OrderStatusRequest, sign: (fields: Fields) => merchant.signedOrder(fields) };
    this.#routes = [
      { path: 'sale', message: SaleRequest, fields: () => merchant.saleFields(), sign: (fields, at) => merchant.signedSale(fields, at) },
      {
        path: 'make-rebill-sale',
        message: MakeRebillSaleRequest,
        fields: () => merchant.rebillFields(cardRefId),
        sign: (fields, at) => merchant.signedRebill(fields, at),
      },
      { ...ofOrder, fields: () => merchant.orderFields(order) },
      { ...ofOrder, path: 'create-card-ref', message: CreateCardRefRequest, fields: () => merchant.orderFields(order) },
      {
        path: 'get-card-info',
        message: GetCardInfoRequest,
        fields: () => ({ login: merchant.login, cardrefid: cardRefId }),
        sign: (fields) => merchant.signedCardInfo(fields),
      },
    ];
  }

  next(): FuzzedRequest {
    const route = this.#oneOf(this.#routes);
    const told: string[] = [];
    const at = this.#chance(0.85) ? '1001' : this.#oneOf(PLACES);
    const fields = this.#changed(route, told);
    const isSigned = this.#chance(0.8);
    // Amounts that cannot be read cannot be signed either: such a request has the control of another.
    const signed = isSigned ? this.#signed(route, fields, at) : { ...fields, control: this.#text() };
    if (!isSigned) told.push('control');
    let body: Buffer = Buffer.from(this.#encoded(signed, told));
    if (this.#chance(0.1)) body = this.#broken(body, told);
    const method = this.#chance(0.98) ? 'POST' : this.#oneOf(METHODS);
    const headers = {
      'content-type': this.#chance(0.97) ? FORM : this.#oneOf(CONTENT_TYPES),
      ...(this.#chance(0.2) && { accept: this.#oneOf(ACCEPTS) }),
    };
    const hasBody = method !== 'GET' && method !== 'HEAD';
    return {
      path: `/paynet/api/v2/${route.path}/${at}`,
      options: { method, headers, ...(hasBody && { body }) },
      told: `${method} ${route.path}/${at}: ${told.join(', ') || 'nothing changed'}`,
    };
  }

  #signed(route: Route, fields: Fields, at: string): Fields {
    try {
      return route.sign(fields, at);
    } catch {
      return { ...fields, control: '0'.repeat(40) };
    }
  }

  #changed({ message, fields }: Route, told: string[]): Fields {
    const changed: Record<string, string | undefined> = { ...fields() };
    const names = fieldsOf(message).map(({ name }) => name);
    for (let count = this.#below(CHANGES_MAX + 1); count > 0; count--) {
      const name = this.#chance(0.95) ? this.#oneOf(names) : this.#text();
      changed[name] = this.#chance(0.2) ? undefined : this.#text();
      told.push(`${name.slice(0, 40)}=${String(changed[name]).slice(0, 40)}`);
    }
    return changed;
  }

  #encoded(fields: Fields, told: string[]): string {
    const pairs = Object.entries(fields);
    const twice = this.#chance(0.05) ? this.#oneOf(pairs) : undefined;
    if (twice !== undefined) told.push(`${twice[0].slice(0, 40)} twice`);
    return encodeForm(twice === undefined ? pairs : [...pairs, twice]);
  }

  #broken(body: Buffer, told: string[]): Buffer {
    const at = this.#below(body.length + 1);
    told.push(`the form broken at ${at}`);
    if (this.#chance(0.3)) return body.subarray(0, at);
    if (this.#chance(0.5))
      return Buffer.concat([body.subarray(0, at), Buffer.from(this.random.bytes(1 + this.#below(BITS))), body.subarray(at)]);
    const flipped = Buffer.from(body);
    if (at < flipped.length) flipped[at] = (flipped[at] ?? 0) ^ (1 << this.#below(BITS));
    return flipped;
  }

  #text(): string {
    if (this.#chance(0.75)) return this.#oneOf(TEXTS);
    const unit = this.#oneOf(['x', '9', 'é', '\u{1f600}', ' ', '%']);
    return unit.repeat(this.#oneOf(LENGTHS));
  }

  #below(max: number): number {
    return Math.floor(this.random.fraction() * max);
  }

  #chance(share: number): boolean {
    return this.random.fraction() < share;
  }

  #oneOf<Item>(items: readonly Item[]): Item {
    const item = items[this.#below(items.length)];
    if (item === undefined) throw new Error('nothing to choose from');
    return item;
  }
}
