import { Controller, Inject, Param, Post, UseFilters, UseGuards } from '@nestjs/common';
import type { Operator } from '@app/configuration';
import type { HttpReply } from '@app/http-server';
import { Action } from './action.pipe';
import { OperatorFilter } from './operator.filter';
import { CurrentOperator, OperatorGuard, OperatorRequest } from './operator.guard';
import { ResolveRequest } from './operator.requests';
import { OperatorService } from './operator.service';
import { resolutionReply } from './resolution-reply';

/** Paths of release 0.2.0 with the errors that it answered, for scripts that use them; the documents do not show them. */
@Controller()
@UseGuards(OperatorGuard)
@UseFilters(OperatorFilter)
export class OperatorFormerPathsController {
  constructor(@Inject(OperatorService) private readonly operators: OperatorService) {}

  @Post('orders/:orderId/settlement')
  @OperatorRequest('settle-unknown')
  async resolve(
    @Param('orderId') orderId: string,
    @Action(ResolveRequest) message: ResolveRequest,
    @CurrentOperator() operator: Operator,
  ): Promise<HttpReply> {
    const resolution = await this.operators.resolve(orderId, message, { operator, claimedActor: message.actor });
    return resolutionReply(resolution, resolution.reason === 'nothing-to-resolve' ? 'nothing-to-settle' : undefined);
  }
}
