import { poll } from './poll';
import type { Answer, MerchantClient, Request } from './merchant-client';
import type { MerchantSite } from '../merchant-site';
import type { TourReport } from './tour-report';

/** A claim of the tour did not hold. */
export class TourFailed extends Error {
  override readonly name = 'TourFailed';
}

/** Makes the order ids of a visit new in a log that has those of earlier ones. */
export const newVisitId = (): string => `tour-${Date.now().toString(36)}`;

export interface PlacedOrder {
  readonly endpoint: string;
  readonly clientOrderId: string;
  readonly orderId: string;
}

/** An unknown outcome of the simulator is resolved within 30 s (architecture, "Configuration"). */
const FINAL_TIMEOUT_MS = 40_000;
const CALLBACK_TIMEOUT_MS = 20_000;
const FINAL = new Set(['approved', 'declined', 'error', 'filtered']);

/** One visit of the merchant acme, shared by all steps of the tour. */
export class TourVisit {
  readonly login = 'acme';

  constructor(
    readonly client: MerchantClient,
    readonly report: TourReport,
    readonly site: MerchantSite,
    /** Address of the merchant's site. */
    readonly siteUrl: string,
    readonly visitId: string,
  ) {}

  clientOrderId(name: string): string {
    return `${this.visitId}-${name}`;
  }

  /** @throws TourFailed where the claim does not hold */
  claim(text: string, holds: boolean): asserts holds {
    this.report.claim(text, holds);
    if (!holds) throw new TourFailed(text);
  }

  /** A sale of 10.42 USD with a test card; what the CVV does is the simulator's convention (protocol decisions, section 9). */
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

  /** Shows request and answer, and claims that the order was accepted. */
  async place(request: Request): Promise<PlacedOrder> {
    const answer = await this.client.send(request);
    this.claim('the order is taken in: the answer comes at once, its outcome later', answer.get('type') === 'async-response');
    const clientOrderId = request.fields['client_orderid'] ?? '';
    return { endpoint: request.endpoint, clientOrderId, orderId: answer.get('paynet-order-id') ?? '' };
  }

  /** Asks for the status of the order, or with a serial for that of the request. */
  statusOf({ endpoint, clientOrderId, orderId }: PlacedOrder, serial?: string): Request {
    const asked = serial === undefined ? {} : { 'by-request-sn': serial };
    return { operation: 'status', endpoint, fields: { login: this.login, client_orderid: clientOrderId, orderid: orderId, ...asked } };
  }

  /** Asks until the answer fits; undefined when the time is over. */
  async statusWhen(order: PlacedOrder, isAwaited: (answer: Answer) => boolean, serial?: string): Promise<Answer | undefined> {
    return poll(FINAL_TIMEOUT_MS, async () => {
      const answer = await this.client.ask(this.statusOf(order, serial));
      return isAwaited(answer) ? answer : undefined;
    });
  }

  /** Waits until the order, or the request of that serial, is final, and shows the answer that says so. */
  async final(order: PlacedOrder, serial?: string): Promise<Answer> {
    await this.statusWhen(order, (answer) => FINAL.has(answer.get('status') ?? ''), serial);
    return this.client.send(this.statusOf(order, serial));
  }

  callbackOf({ orderId }: PlacedOrder): ReturnType<MerchantSite['callbackOf']> {
    return this.site.callbackOf(orderId, CALLBACK_TIMEOUT_MS);
  }
}
