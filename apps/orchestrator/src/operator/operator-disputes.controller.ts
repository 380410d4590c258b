import { Controller, HttpStatus, Inject, Param, Post, UseFilters, UseGuards } from '@nestjs/common';
import { HttpReply } from '@app/http/server';
import type { Clock } from '@app/kernel';
import { CLOCK } from '@app/kernel/injection';
import type { Operator } from '@app/configuration';
import { OperatorService, type Reporting } from '@app/investigation';
import { Action } from './action.pipe';
import { OperatorFilter } from './operator.filter';
import { CurrentOperator, OperatorGuard, OperatorRequest } from './operator.guard';
import { reportIn } from './report-message';
import { ReportRequest } from './report.requests';

const replyTo = (reporting: Reporting): HttpReply => {
  if ('order' in reporting) return HttpReply.json(HttpStatus.OK, { order: reporting.order, isKnown: reporting.reason === 'known' });
  if ('cause' in reporting) return HttpReply.json(HttpStatus.ACCEPTED, { setAside: reporting.cause });
  const status = reporting.reason === 'unknown-order' ? HttpStatus.NOT_FOUND : HttpStatus.CONFLICT;
  return HttpReply.json(status, { error: reporting.reason });
};

/** What gates report after the end of an order and send on paper or in files, on the operator port alone. */
@Controller()
@UseGuards(OperatorGuard)
@UseFilters(OperatorFilter)
export class OperatorDisputesController {
  constructor(
    @Inject(OperatorService) private readonly operators: OperatorService,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  @Post('orders/:orderId/reports')
  @OperatorRequest('record-report')
  async report(
    @Param('orderId') orderId: string,
    @Action(ReportRequest) message: ReportRequest,
    @CurrentOperator() operator: Operator,
  ): Promise<HttpReply> {
    const report = reportIn(message, this.clock.now());
    if ('error' in report) return HttpReply.json(HttpStatus.BAD_REQUEST, { error: report.error });
    return replyTo(await this.operators.report(orderId, report.ok, { operator, claimedActor: message.actor }, message.merchant));
  }
}
