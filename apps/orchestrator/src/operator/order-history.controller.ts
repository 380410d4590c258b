import { Get, HttpStatus, Inject, Param, UseGuards } from '@nestjs/common';
import type { Operator } from '@app/configuration';
import type { StreamName } from '@app/event-store';
import { HttpReply } from '@app/http/server';
import type { OperatorQuery } from '@app/investigation/record';
import type { Deadline } from '@app/kernel';
import {
  actingAlone,
  type DifferenceJson,
  OrderHistories,
  type OrderSteps,
  type NoSuch,
  QueryAudit,
  type StateAsOf,
  type UnknownOrdersAt,
  type WhyJson,
} from '@app/investigation';
import { CallerDeadline } from './read-action';
import { DiffQuery, MomentQuery, momentOf, namesTwo, timeOf, UnknownQuery, versionOrTime, WhyQuery } from './history.requests';
import { NoQuestionGuard } from './no-question.guard';
import { OperatorRoutes } from './operator.filter';
import { CurrentOperator, OperatorRequest } from './operator.guard';
import { Question } from './question.pipe';

const NO_SUCH: Readonly<Record<NoSuch['reason'], string>> = {
  'unknown-order': 'not found',
  'no-such-version': 'the order has no such revision',
  'not-accepted-yet': 'the order did not exist yet',
};

const notFound = ({ reason }: NoSuch): HttpReply => HttpReply.json(HttpStatus.NOT_FOUND, { error: NO_SUCH[reason] });
const badRequest = (error: string): HttpReply => HttpReply.json(HttpStatus.BAD_REQUEST, { error });
const TWO_MOMENTS = 'give only one of atVersion, knownAt and trueAt';

/** Each query is recorded before it is answered. */
@OperatorRoutes('audit/orders')
export class OrderHistoryController {
  constructor(
    @Inject(OrderHistories) private readonly histories: OrderHistories,
    @Inject(QueryAudit) private readonly questions: QueryAudit,
  ) {}

  /**
   * The orders whose outcome was unknown at a time, in their state at that time
   * @answer 200 A page, which may be empty although more follow
   */
  @Get('unknown')
  @OperatorRequest('list-unknown-as-of')
  async unknown(
    @Question(UnknownQuery) question: UnknownQuery,
    @CurrentOperator() operator: Operator,
    @CallerDeadline() deadline: Deadline,
  ): Promise<HttpReply<UnknownOrdersAt>> {
    const { knownAt, limit, after, merchant } = question;
    const asked = { limit, after: after as StreamName | undefined, merchant };
    const told = await this.histories.unknown(timeOf(knownAt), asked, operator, deadline);
    await this.questions.answered(actingAlone(operator), { query: 'unknown-as-of', question, rows: told.orders.length });
    return HttpReply.json(HttpStatus.OK, told);
  }

  /**
   * The state of an order at a moment, with the events up to it
   */
  @Get(':orderId/state')
  @OperatorRequest('show-order-as-of')
  async state(
    @Param('orderId') orderId: string,
    @Question(MomentQuery) query: MomentQuery,
    @CurrentOperator() operator: Operator,
    @CallerDeadline() deadline: Deadline,
  ): Promise<HttpReply<StateAsOf>> {
    if (namesTwo(query)) return badRequest(TWO_MOMENTS);
    const found = await this.histories.state(orderId, momentOf(query), operator, deadline);
    await this.answered(operator, 'order-as-of', orderId, query, found);
    return 'reason' in found ? notFound(found) : HttpReply.json(HttpStatus.OK, found);
  }

  /**
   * The differences between two moments of an order, with the event behind each changed field
   */
  @Get(':orderId/diff')
  @OperatorRequest('diff-order')
  async diff(
    @Param('orderId') orderId: string,
    @Question(DiffQuery) query: DiffQuery,
    @CurrentOperator() operator: Operator,
    @CallerDeadline() deadline: Deadline,
  ): Promise<HttpReply<{ readonly differences: readonly DifferenceJson[] }>> {
    const { from, to, true: isTrue } = query;
    const by = isTrue === 'true' ? 'true-at' : 'known-at';
    const found = await this.histories.diff(orderId, versionOrTime(from, by), versionOrTime(to, by), operator, deadline);
    await this.answered(operator, 'order-difference', orderId, query, found);
    if (!('reason' in found)) return HttpReply.json(HttpStatus.OK, found);
    return found.reason === 'backwards' ? badRequest('from is later than to') : notFound(found);
  }

  /**
   * Every state of an order by both clocks, as changes against the state before
   * @answer 200 Any state, and any difference between two, without a further request
   */
  @Get(':orderId/steps')
  @UseGuards(NoQuestionGuard)
  @OperatorRequest('order-steps')
  async steps(
    @Param('orderId') orderId: string,
    @CurrentOperator() operator: Operator,
    @CallerDeadline() deadline: Deadline,
  ): Promise<HttpReply<OrderSteps>> {
    const found = await this.histories.steps(orderId, operator, deadline);
    await this.answered(operator, 'order-steps', orderId, {}, found);
    return 'reason' in found ? notFound(found) : HttpReply.json(HttpStatus.OK, found);
  }

  /**
   * The event that set a field of an order, its actor, and the chain of causes back to the request
   */
  @Get(':orderId/why')
  @OperatorRequest('explain-order')
  async why(
    @Param('orderId') orderId: string,
    @Question(WhyQuery) query: WhyQuery,
    @CurrentOperator() operator: Operator,
    @CallerDeadline() deadline: Deadline,
  ): Promise<HttpReply<WhyJson>> {
    if (namesTwo(query)) return badRequest(TWO_MOMENTS);
    const found = await this.histories.why(orderId, query.field, momentOf(query), operator, deadline);
    await this.answered(operator, 'order-why', orderId, query, found);
    if (!('reason' in found)) return HttpReply.json(HttpStatus.OK, found.why);
    return found.reason === 'no-field' ? badRequest(`no such field; there are ${found.known.join(', ')}`) : notFound(found);
  }

  /** For an unknown order, the record contains no text of the request. */
  private answered(operator: Operator, query: OperatorQuery, orderId: string, question: object, found: object): Promise<void> {
    const isUnknown = 'reason' in found && found.reason === 'unknown-order';
    return this.questions.answered(actingAlone(operator), {
      query,
      ...(!isUnknown && { orderId }),
      question,
      rows: 'reason' in found ? 0 : 1,
    });
  }
}
