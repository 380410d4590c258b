import type { Answer } from '../../merchants/merchant';
import type { Fields } from '../../merchants/signed-requests';
import { ClientFollowUp } from './client-follow-up';
import { ClientRecord } from './client-record';
import type { LoadKind } from './load';

/** One client's request and all its answers, for the invariants (safety, section 2.1). */
export class ClientOrder extends ClientRecord {
  /** Must contain one order id, however often the request was repeated (I6). */
  readonly orderIds = new Set<string>();
  readonly followUps: readonly ClientFollowUp[];

  constructor(
    readonly kind: LoadKind,
    readonly clientOrderId: string,
    /** As sent, with its checksum, so that a repeat has the same bytes. */
    readonly request: Fields,
    readonly bornIn: string,
  ) {
    super();
    this.followUps = kind.followUps.map((followUp, index) => new ClientFollowUp(followUp, `${clientOrderId}-follow-up-${index + 1}`));
  }

  get isAcknowledged(): boolean {
    return this.orderIds.size > 0;
  }

  get orderId(): string {
    const [first] = this.orderIds;
    if (first === undefined) throw new Error(`${this.clientOrderId} was never acknowledged`);
    return first;
  }

  get callbackPath(): string {
    return `/callback/${this.clientOrderId}`;
  }

  get notifyPath(): string {
    return `/notify/${this.clientOrderId}`;
  }

  takeAnswer(answer: Answer): void {
    const { type, 'paynet-order-id': orderId, 'merchant-order-id': clientOrderId } = answer.fields;
    if (type === 'async-response' && orderId !== undefined && clientOrderId === this.clientOrderId) this.orderIds.add(orderId);
    else this.takeRefusal(answer);
  }

  takeStatus(fields: Answer['fields']): void {
    this.takeStatusOf(this.orderId, fields);
  }
}
