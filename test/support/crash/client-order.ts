import type { Answer, Fields } from '../merchant';
import type { LoadKind } from './load';

const FINAL: ReadonlySet<string | undefined> = new Set(['approved', 'declined', 'filtered', 'error']);

/** What one client asked for, and all that it was ever told of it: the clients' record of the invariants (safety, section 2.1). */
export class ClientOrder {
  /** Every order id that an answer named: one, however often the request was repeated (I6). */
  readonly orderIds = new Set<string>();
  /** What no client may be told. */
  readonly faults: string[] = [];
  #final: { readonly status: string; readonly code: string | undefined } | undefined;

  #refusals = 0;

  constructor(
    readonly kind: LoadKind,
    readonly clientOrderId: string,
    /** As it was sent, checksum included: a repeat is the same to the byte. */
    readonly request: Fields,
    /** The part of the run in which it was placed, for messages. */
    readonly bornIn: string,
  ) {}

  get isAcknowledged(): boolean {
    return this.orderIds.size > 0;
  }

  get orderId(): string {
    const [first] = this.orderIds;
    if (first === undefined) throw new Error(`${this.clientOrderId} was never acknowledged`);
    return first;
  }

  /** Answers that nothing was accepted. */
  get refusals(): number {
    return this.#refusals;
  }

  /** The final status as the client knows it. */
  get final(): { readonly status: string; readonly code: string | undefined } | undefined {
    return this.#final;
  }

  get callbackPath(): string {
    return `/callback/${this.clientOrderId}`;
  }

  get notifyPath(): string {
    return `/notify/${this.clientOrderId}`;
  }

  takeAnswer({ fields, body }: Answer): void {
    const { type, 'paynet-order-id': orderId, 'merchant-order-id': clientOrderId, 'error-code': code } = fields;
    if (type === 'async-response' && orderId !== undefined && clientOrderId === this.clientOrderId) {
      this.orderIds.add(orderId);
      return;
    }
    // Nothing was accepted, or nobody knows: both ask for the same request again (protocol decisions, section 4).
    if (type === 'error' && code === '20') this.#refusals++;
    if (type === 'error' && (code === '20' || code === '21')) return;
    this.faults.push(`was answered ${JSON.stringify(body)}`);
  }

  takeStatus(fields: Answer['fields']): void {
    const { type, status, 'paynet-order-id': orderId, 'error-code': code } = fields;
    // Nobody can tell now: asked again later.
    if (type === 'error' && code === '20') return;
    if (type !== 'status-response' || status === undefined || orderId !== this.orderId) {
      this.faults.push(`acknowledged, and its status is ${JSON.stringify(fields)}`);
      return;
    }
    const known = this.#final;
    if (known !== undefined && (known.status !== status || known.code !== code)) {
      this.faults.push(`was told ${known.status} ${known.code}, and then ${status} ${code} (safety, I13)`);
    }
    if (FINAL.has(status)) this.#final = { status, code };
  }
}
