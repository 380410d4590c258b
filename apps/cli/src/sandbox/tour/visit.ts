import type { KeyObject } from 'node:crypto';
import { encodeForm, FORM_ANSWER_TYPE, parseFormAnswer } from '@app/gateway-protocol';
import { systemClock, systemIds } from '@app/kernel';
import type { Configuration } from '@app/configuration';
import { asJson, type Output, shortened } from '../../terminal';
import type { OrderStory } from '../../orders/story';
import { renderStory, renderUpstreamOrder, storyAsData, upstreamOrderAsData } from '../../orders/render-story';
import type { UpstreamOrder } from '../../orders/upstream';
import { signRequest, type SignedOperation, type SignedRequest } from '../../verbs/sign';
import { poll } from '../programs';
import type { MerchantSite } from '../merchant-site';

/** Secret fields of the device API, by path. */
const CARD_NUMBER = /[cC]ard\.number$/;
const SECURITY_CODE = /\.securityCode$/;

/** Masks card fields that must not appear on screens or in logs (safety, section 5.1), also for the sandbox's test cards. */
export const masked = (name: string, value: string): string => {
  if (name === 'credit_card_number' || CARD_NUMBER.test(name))
    return `${value.slice(0, 6)}${'*'.repeat(Math.max(value.length - 10, 0))}${value.slice(-4)}`;
  return name === 'cvv2' || SECURITY_CODE.test(name) ? '*'.repeat(value.length) : value;
};

export type Fields = Iterable<readonly [name: string, value: string]>;

const VALUE_CHARACTERS_MAX = 100;

export class TourReport {
  readonly #output: Output;
  #steps = 0;

  constructor(output: Output) {
    this.#output = output;
  }

  say(text: string): void {
    if (this.#output.isJson) this.#json({ kind: 'note', text });
    else this.#output.line(text);
  }

  step(title: string, explanation: string): void {
    this.#steps += 1;
    if (this.#output.isJson) return this.#json({ kind: 'step', number: this.#steps, title, told: explanation });
    this.#output.line();
    this.#output.line(this.#output.paint('strong', `${this.#steps}. ${title}`));
    this.#output.line(`   ${explanation}`);
  }

  request(method: string, url: string, fields: Fields): void {
    this.#exchange('request', `→ ${method} ${url}`, { method, url }, fields);
  }

  answer(head: string, fields: Fields): void {
    this.#exchange('answer', `← ${head}`, { head }, fields);
  }

  claim(text: string, holds: boolean): void {
    if (this.#output.isJson) this.#json({ kind: 'claim', text, holds });
    else this.#output.line(`   ${holds ? this.#output.paint('good', '✓') : this.#output.paint('bad', '✗')} ${text}`);
  }

  story(story: OrderStory, upstream?: readonly UpstreamOrder[]): void {
    if (this.#output.isJson)
      return this.#json({
        kind: 'order',
        ...storyAsData(story),
        ...(upstream !== undefined && { upstream: upstream.map(upstreamOrderAsData) }),
      });
    const { paint } = this.#output;
    for (const lines of [renderStory(story, paint), ...(upstream ?? []).map((one) => renderUpstreamOrder(one, story, paint))]) {
      this.#output.line();
      for (const line of lines) this.#output.line(line);
    }
  }

  command(purpose: string, line: string): void {
    if (this.#output.isJson) return this.#json({ kind: 'command', purpose, line });
    this.#output.line();
    this.#output.line(this.#output.paint('faint', `# ${purpose}`));
    this.#output.line(line);
  }

  #exchange(kind: string, head: string, facts: object, fields: Fields): void {
    const shown = [...fields].map(([name, value]) => [name, masked(name, value)] as const);
    if (this.#output.isJson) return this.#json({ kind, ...facts, fields: Object.fromEntries(shown) });
    this.#output.line(`   ${this.#output.paint('strong', head)}`);
    const width = Math.max(0, ...shown.map(([name]) => name.length));
    for (const [name, value] of shown) {
      this.#output.line(`     ${this.#output.paint('faint', name.padEnd(width))}  ${shortened(value, VALUE_CHARACTERS_MAX)}`);
    }
  }

  #json(value: object): void {
    this.#output.line(asJson(value));
  }
}

export type Answer = ReadonlyMap<string, string>;

const ANSWER_TIMEOUT_MS = 15_000;

export interface Request {
  readonly operation: SignedOperation;
  readonly endpoint: string;
  readonly fields: Readonly<Record<string, string>>;
  /** Version 4 is signed with the merchant's private key instead of its control key. */
  readonly version?: 4;
}

interface Answered {
  readonly answer: Answer;
  readonly httpStatus: number;
}

export class MerchantClient {
  constructor(
    private readonly configuration: Configuration,
    private readonly privateKey: KeyObject,
    private readonly report?: TourReport,
  ) {}

  sign({ operation, endpoint, fields, version }: Request): SignedRequest {
    const oauth = version === 4 ? { privateKey: this.privateKey, nonce: systemIds.next(), now: systemClock.now() } : undefined;
    return signRequest({ operation, endpoint, fields: new Map(Object.entries(fields)), oauth }, this.configuration);
  }

  /** Shows the exchange; `change` tampers with the signed request. */
  async send(request: Request, change: Readonly<Record<string, string>> = {}): Promise<Answer> {
    const signed = this.sign(request);
    const fields = signed.fields.map(([name, value]) => [name, change[name] ?? value] as const);
    return (await this.sendSigned({ ...signed, fields })).answer;
  }

  async sendSigned(signed: SignedRequest): Promise<Answered> {
    const { url = '', authorization, fields } = signed;
    this.report?.request('POST', url, authorization === undefined ? fields : [['Authorization', authorization], ...fields]);
    const { head, ...answered } = await post(signed);
    this.report?.answer(head, answered.answer);
    return answered;
  }

  /** Shows nothing, for repeated requests. */
  async ask(request: Request): Promise<Answer> {
    return (await post(this.sign(request))).answer;
  }
}

const post = async ({ url = '', authorization, fields }: SignedRequest): Promise<Answered & { readonly head: string }> => {
  const startedAt = performance.now();
  const response = await fetch(url, {
    method: 'POST',
    headers: {
      'Content-Type': 'application/x-www-form-urlencoded',
      Accept: FORM_ANSWER_TYPE,
      ...(authorization !== undefined && { Authorization: authorization }),
    },
    body: encodeForm(fields),
    signal: AbortSignal.timeout(ANSWER_TIMEOUT_MS),
  });
  const body = await response.text();
  const head = `HTTP ${response.status}, ${(performance.now() - startedAt).toFixed(0)} ms`;
  return { answer: response.ok ? parseFormAnswer(body) : new Map(), httpStatus: response.status, head };
};

export class TourFailed extends Error {
  override readonly name = 'TourFailed';
}

export const newVisitId = (): string => `tour-${Date.now().toString(36)}`;

export interface PlacedOrder {
  readonly endpoint: string;
  readonly clientOrderId: string;
  readonly orderId: string;
}

/** The simulator resolves an unknown outcome within 30 s (architecture, "Configuration"). */
const FINAL_TIMEOUT_MS = 40_000;
const CALLBACK_TIMEOUT_MS = 20_000;
const FINAL = new Set(['approved', 'declined', 'error', 'filtered']);

export class TourVisit {
  readonly login = 'acme';

  constructor(
    readonly client: MerchantClient,
    readonly report: TourReport,
    readonly site: MerchantSite,
    readonly siteUrl: string,
    readonly visitId: string,
  ) {}

  clientOrderId(name: string): string {
    return `${this.visitId}-${name}`;
  }

  claim(text: string, holds: boolean): asserts holds {
    this.report.claim(text, holds);
    if (!holds) throw new TourFailed(text);
  }

  sale(name: string, { endpoint, cvv2, ...more }: { readonly endpoint: string; readonly cvv2: string } & Record<string, string>): Request {
    const fields = {
      client_orderid: this.clientOrderId(name),
      order_desc: 'A pair of shoes',
      amount: '10.42',
      currency: 'USD',
      card_printed_name: 'JOHN SMITH',
      credit_card_number: '4444333322221111',
      expire_month: '12',
      expire_year: '2035',
      cvv2,
      address1: '12 Main Street',
      city: 'Springfield',
      zip_code: '12345',
      country: 'US',
      state: 'CA',
      email: 'john.smith@example.com',
      phone: '+12025550123',
      ipaddress: '192.0.2.10',
      ...more,
    };
    return { operation: 'sale', endpoint, fields };
  }

  async place(request: Request): Promise<PlacedOrder> {
    const answer = await this.client.send(request);
    this.claim('the order is taken in: the answer comes at once, its outcome later', answer.get('type') === 'async-response');
    const clientOrderId = request.fields['client_orderid'] ?? '';
    return { endpoint: request.endpoint, clientOrderId, orderId: answer.get('paynet-order-id') ?? '' };
  }

  statusOf({ endpoint, clientOrderId, orderId }: PlacedOrder, serial?: string): Request {
    const asked = serial === undefined ? {} : { 'by-request-sn': serial };
    return { operation: 'status', endpoint, fields: { login: this.login, client_orderid: clientOrderId, orderid: orderId, ...asked } };
  }

  async statusWhen(order: PlacedOrder, isAwaited: (answer: Answer) => boolean, serial?: string): Promise<Answer | undefined> {
    return poll(FINAL_TIMEOUT_MS, async () => {
      const answer = await this.client.ask(this.statusOf(order, serial));
      return isAwaited(answer) ? answer : undefined;
    });
  }

  async final(order: PlacedOrder, serial?: string): Promise<Answer> {
    await this.statusWhen(order, (answer) => FINAL.has(answer.get('status') ?? ''), serial);
    return this.client.send(this.statusOf(order, serial));
  }

  callbackOf({ orderId }: PlacedOrder): ReturnType<MerchantSite['callbackOf']> {
    return this.site.callbackOf(orderId, CALLBACK_TIMEOUT_MS);
  }
}
