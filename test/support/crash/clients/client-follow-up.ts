import type { Answer } from '../../merchants/merchant';
import { ClientRecord } from './client-record';
import type { LoadFollowUp } from './load';

/** A follow-up as its client sees it. The idempotency key makes every repeat the same follow-up. */
export class ClientFollowUp extends ClientRecord {
  /** Must contain one serial, however often the request was repeated (protocol decisions, section 10). */
  readonly serials = new Set<string>();

  constructor(
    readonly kind: LoadFollowUp,
    readonly key: string,
  ) {
    super();
  }

  get isAcknowledged(): boolean {
    return this.serials.size > 0;
  }

  get serial(): string {
    const [first] = this.serials;
    if (first === undefined) throw new Error(`${this.key} was never acknowledged`);
    return first;
  }

  takeAnswer(orderId: string, answer: Answer): void {
    const { type, 'paynet-order-id': namedId, 'serial-number': serial } = answer.fields;
    if (type === 'async-response' && namedId === orderId && serial !== undefined) this.serials.add(serial);
    else this.takeRefusal(answer);
  }

  takeStatus(orderId: string, fields: Answer['fields']): void {
    this.takeStatusOf(orderId, fields);
  }
}
