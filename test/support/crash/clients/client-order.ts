import type { Answer } from '../../merchants/merchant';
import type { Fields } from '../../merchants/signed-requests';
import { ClientFollowUp } from './client-follow-up';
import { ClientRecord } from './client-record';
import type { LoadKind } from './load';

/** The request of one client and every answer about it: the clients' record for the invariants (safety, section 2.1). */
export class ClientOrder extends ClientRecord {
  /** Every order id that an answer named: a single one, however often the request was repeated (I6). */
  readonly orderIds = new Set<string>();
  /** Requested once the order is approved. */
  readonly followUps: readonly ClientFollowUp[];

  constructor(
    readonly kind: LoadKind,
    readonly clientOrderId: string,
    /** As it was sent, checksum included, so that a repeat has the same bytes. */
    readonly request: Fields,
    /** The part of the run in which it was placed, for messages. */
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
