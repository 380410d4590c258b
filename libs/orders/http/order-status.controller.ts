import { Controller, Inject } from '@nestjs/common';
import { isOrderId, type ClientOrderId } from '@app/kernel';
import type { OrderStatusRequest, OrderStatusV4Request } from '@app/gateway-protocol';
import type { OrderStatusView } from '@app/read-models';
import type { CurrentOrderReader } from '@app/read-models/queries';
import { type AdmittedRequest, refused, type Answer, type Translation, Admitted, GroupAOperation, type Serves } from '@app/http/group-a';
import { isOffered } from './order-intake';
import type { NextChange } from './next-change';
import type { OrderStatusAnswer } from './order-status.answer';

type Message = OrderStatusRequest | OrderStatusV4Request;

/** One translation for both versions, whose fields are the same (interface, section 2.5). */
export class OrderStatusTranslation implements Translation<Message> {
  constructor(
    private readonly orders: CurrentOrderReader,
    private readonly statusAnswer: OrderStatusAnswer,
    private readonly nextChange: NextChange,
  ) {}

  async perform({ operation, message, entryPoint, merchant, serial, deadline }: AdmittedRequest<Message>): Promise<Answer> {
    if (!isOffered(entryPoint, operation)) return refused('operation-not-supported');
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
    const { orderId } = view;
    const read = () => this.orders.find(merchant.login, clientOrderId, orderId, deadline);
    const current = await this.nextChange.of(view, { merchant, deadline, read });
    return { kind: 'answer', pairs: await this.statusAnswer.pairs(current, merchant, { serial, askedSerial, deadline }) };
  }
}

/** Order status of both versions (interface, section 2.5). */
@Controller('api')
export class OrderStatusController implements Serves<'status' | 'statusV4'> {
  constructor(@Inject(OrderStatusTranslation) private readonly translation: OrderStatusTranslation) {}

  @GroupAOperation('status')
  status(@Admitted() request: AdmittedRequest<OrderStatusRequest>): Promise<Answer> {
    return this.translation.perform(request);
  }

  @GroupAOperation('statusV4')
  statusV4(@Admitted() request: AdmittedRequest<OrderStatusV4Request>): Promise<Answer> {
    return this.translation.perform(request);
  }
}
