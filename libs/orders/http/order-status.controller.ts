import { Controller, Inject } from '@nestjs/common';
import type { OrderStatusRequest, OrderStatusV4Request } from '@app/gateway-protocol';
import { type AdmittedRequest, Admitted, type Answer, GroupAOperation, type Serves } from '@app/http/group-a';
import { OrderStatusTranslation } from './order-status.translation';

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
