import { Controller, HttpCode, HttpStatus, Inject, Param, Post, UseFilters, UseGuards } from '@nestjs/common';
import type { Operator } from '@app/configuration';
import { HttpReply } from '@app/http/server';
import type { Deadline, Instant } from '@app/kernel';
import { EvidenceService } from '@app/investigation';
import { Action } from './action.pipe';
import { CallerDeadline } from './caller-deadline';
import { OperatorFilter } from './operator.filter';
import { CurrentOperator, OperatorGuard, OperatorRequest } from './operator.guard';
import { orderUnnamed } from './unnamed-order';
import { EvidenceRequest } from './evidence.requests';

const ZIP = 'application/zip';

/** Evidence for disputes, on the operator port alone. */
@Controller('audit')
@UseGuards(OperatorGuard)
@UseFilters(OperatorFilter)
export class EvidenceController {
  constructor(@Inject(EvidenceService) private readonly evidence: EvidenceService) {}

  @Post('orders/:orderId/evidence')
  @HttpCode(HttpStatus.OK)
  @OperatorRequest('order-evidence')
  async make(
    @Param('orderId') id: string,
    @Action(EvidenceRequest) { merchant, by, at, reason, actor }: EvidenceRequest,
    @CurrentOperator() operator: Operator,
    @CallerDeadline() deadline: Deadline,
  ): Promise<HttpReply> {
    const asked = { merchant, by, at: at as Instant | undefined, reason, deadline };
    const answer = await this.evidence.make(id, asked, { operator, claimedActor: actor });
    switch (answer.kind) {
      case 'pack':
        return new HttpReply({ status: HttpStatus.OK, contentType: ZIP, body: Buffer.from(answer.zip) });
      case 'refused':
        return HttpReply.json(answer.isLater ? HttpStatus.CONFLICT : HttpStatus.BAD_REQUEST, { error: answer.reason });
      case 'unknown-order':
      case 'ambiguous':
        return orderUnnamed(answer);
    }
  }
}
