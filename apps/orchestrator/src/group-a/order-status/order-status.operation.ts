import { isOrderId, type ClientOrderId } from '@app/kernel';
import type { OrderStatusRequest, OrderStatusV4Request } from '@app/gateway-protocol';
import type { OrderStatusView } from '@app/projections';
import type { CurrentOrderReader } from '@app/order-queries';
import { refused, type AdmittedRequest, type Answer, type GroupAOperation, type Proof } from '../operation';
import { isOffered } from '../served';
import type { StatusAnswer } from './order-status.answer';

type Message = OrderStatusRequest | OrderStatusV4Request;

/** Order status, v2 by checksum and v4 by OAuth (interface, section 2.5; protocol decisions, section 1). */
export class OrderStatusOperation<Asked extends Message> implements GroupAOperation<Asked> {
  readonly name = 'status';
  readonly amount = 'none';

  constructor(
    readonly message: new () => Asked,
    readonly proof: Proof,
    private readonly orders: CurrentOrderReader,
    private readonly statusAnswer: StatusAnswer,
  ) {}

  async perform({ message, entryPoint, merchant, serial, deadline }: AdmittedRequest<Asked>): Promise<Answer> {
    if (!isOffered(entryPoint, this.name)) return refused('operation-not-supported');
    const clientOrderId = message.client_orderid as ClientOrderId;
    let view: OrderStatusView | undefined;
    if (message.orderid === undefined) {
      const named = await this.orders.findAll(merchant.login, clientOrderId, deadline);
      if (named.length > 1) return refused('malformed-field', 'orderid: is required, for client_orderid names orders of two kinds');
      [view] = named;
    } else if (isOrderId(message.orderid)) {
      view = await this.orders.find(merchant.login, clientOrderId, message.orderid, deadline);
    }
    if (view === undefined) return refused('unknown-order');
    const askedSerial = message['by-request-sn'];
    if (askedSerial !== undefined && !view.requests.some((request) => request.serial === askedSerial)) {
      return refused('malformed-field', 'by-request-sn: names no request that made or changed this order');
    }
    return { kind: 'answer', pairs: await this.statusAnswer.pairs(view, merchant, { serial, askedSerial, deadline }) };
  }
}
