import { Controller, Get, HttpCode, HttpStatus, Inject, Param, Post, UseFilters, UseGuards } from '@nestjs/common';
import type { Operator } from '@app/configuration';
import { HttpReply } from '@app/http/server';
import type { Deadline, Instant } from '@app/kernel';
import { AuditService, type AuditAnswer, type TrailAnswer } from '@app/investigation';
import { Action } from './action.pipe';
import { CallerDeadline } from './caller-deadline';
import { OperatorFilter } from './operator.filter';
import { CurrentOperator, OperatorGuard, OperatorRequest } from './operator.guard';
import { ConfigurationRequest } from './configuration.request';
import { LIMIT_DEFAULT, ListOrdersRequest, SearchOrdersRequest } from './list-orders.request';
import { listQuestion } from './list-question';
import { orderUnnamed } from './unnamed-order';
import { Question } from './question.pipe';
import { RevealRequest, TrailRequest } from './trail.requests';

/** What a page tells of itself, also in formats that are rows alone. */
const replyOf = ({ contentType, body, next, leftOut, index }: AuditAnswer): HttpReply =>
  new HttpReply({
    status: HttpStatus.OK,
    contentType,
    body,
    headers: {
      ...(next !== undefined && { 'Audit-Next': next }),
      ...(leftOut.length > 0 && { 'Audit-Left-Out': leftOut.join(', ') }),
      ...(index !== undefined && { 'Audit-Index': index }),
    },
  });

const ID_LENGTH_MAX = 256;

const trailReply = (answer: TrailAnswer): HttpReply => (answer.kind === 'told' ? replyOf(answer.answer) : orderUnnamed(answer));

/** The audit: lists of orders, and trails of them, for investigators, on the operator port alone. */
@Controller('audit')
@UseGuards(OperatorGuard)
@UseFilters(OperatorFilter)
export class AuditController {
  constructor(@Inject(AuditService) private readonly audit: AuditService) {}

  @Get('orders')
  @OperatorRequest('list-orders')
  list(
    @Question(ListOrdersRequest) request: ListOrdersRequest,
    @CurrentOperator() operator: Operator,
    @CallerDeadline() deadline: Deadline,
  ): Promise<HttpReply> {
    return this.answer(request, operator, deadline);
  }

  @Post('orders')
  @HttpCode(HttpStatus.OK)
  @OperatorRequest('search-orders')
  search(
    @Action(SearchOrdersRequest) request: SearchOrdersRequest,
    @CurrentOperator() operator: Operator,
    @CallerDeadline() deadline: Deadline,
  ): Promise<HttpReply> {
    return this.answer(request, operator, deadline);
  }

  @Get('orders/:orderId')
  @OperatorRequest('order-trail')
  trail(
    @Param('orderId') id: string,
    @Question(TrailRequest) request: TrailRequest,
    @CurrentOperator() operator: Operator,
    @CallerDeadline() deadline: Deadline,
  ): Promise<HttpReply> {
    return this.trailOf(id, request, undefined, operator, deadline);
  }

  @Post('orders/:orderId/reveal')
  @HttpCode(HttpStatus.OK)
  @OperatorRequest('reveal-order')
  reveal(
    @Param('orderId') id: string,
    @Action(RevealRequest) request: RevealRequest,
    @CurrentOperator() operator: Operator,
    @CallerDeadline() deadline: Deadline,
  ): Promise<HttpReply> {
    return this.trailOf(id, request, request.reason, operator, deadline);
  }

  @Get('configuration')
  @OperatorRequest('configuration-in-force')
  async configuration(
    @Question(ConfigurationRequest) { at, actor }: ConfigurationRequest,
    @CurrentOperator() operator: Operator,
    @CallerDeadline() deadline: Deadline,
  ): Promise<HttpReply> {
    const found = await this.audit.configuration(at as Instant | undefined, deadline, { operator, claimedActor: actor });
    return found === undefined
      ? HttpReply.json(HttpStatus.NOT_FOUND, { error: 'no configuration was on record by then' })
      : HttpReply.json(HttpStatus.OK, found);
  }

  private async trailOf(
    id: string,
    { merchant, by, format = 'json', actor }: TrailRequest,
    reason: string | undefined,
    operator: Operator,
    deadline: Deadline,
  ): Promise<HttpReply> {
    if (id.length > ID_LENGTH_MAX) return HttpReply.json(HttpStatus.NOT_FOUND, { error: 'not found' });
    const asked = { merchant, by, format, deadline, ...(reason !== undefined && { reveal: { reason } }) };
    return trailReply(await this.audit.orderTrail(id, asked, { operator, claimedActor: actor }));
  }

  private async answer(request: ListOrdersRequest, operator: Operator, deadline: Deadline): Promise<HttpReply> {
    const { limit = LIMIT_DEFAULT, cursor, format = 'json', actor } = request;
    const asked = { limit, cursor, format, deadline };
    const answer = await this.audit.listOrders(listQuestion(request), asked, { operator, claimedActor: actor });
    return answer === undefined
      ? HttpReply.json(HttpStatus.BAD_REQUEST, { error: 'cursor must be what the page before told, of the same question' })
      : replyOf(answer);
  }
}
