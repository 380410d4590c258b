import { Get, HttpStatus, Inject } from '@nestjs/common';
import { IsIn, IsInt, Length, Max, Min } from 'class-validator';
import type { Operator } from '@app/configuration';
import { HttpReply } from '@app/http/server';
import type { Deadline, Instant } from '@app/kernel';
import { actingAlone, OperatorLists, QueryAudit, type ListedDeliveries } from '@app/investigation';
import { CALLBACK_TARGETS, type CallbackTarget } from '@app/orders/domain';
import { DELIVERY_STATES, type DeliveryFilter } from '@app/read-models';
import { LIMIT_DEFAULT } from './list-orders.request';
import { OperatorRoutes } from './operator.filter';
import { CurrentOperator, OperatorRequest } from './operator.guard';
import { IsLogin, optional } from './operator.requests';
import { Question } from './question.pipe';
import { CallerDeadline, NotRecorded } from './read-action';
import { AsInstant, AsWholeNumber } from './transforms';

const LIMIT_MAX = 500;
const CURSOR_LENGTH_MAX = 400;
const A_LIMIT = `limit must be a whole number from 1 to ${LIMIT_MAX}`;
const A_CURSOR = 'cursor must be the next of the previous page';

abstract class PageRequest {
  /** Entries of a page. */
  @optional(AsWholeNumber(), IsInt({ message: A_LIMIT }), Min(1, { message: A_LIMIT }), Max(LIMIT_MAX, { message: A_LIMIT }))
  readonly limit?: number;

  /** The `next` of the previous page. */
  @optional(NotRecorded(), Length(1, CURSOR_LENGTH_MAX, { message: A_CURSOR }))
  readonly cursor?: string;
}

/** Callbacks of all orders. Each member narrows the list. */
class FindDeliveriesRequest extends PageRequest {
  /** `failed`: not delivered so far, given up (`exhausted`) or not (`waiting`). */
  @optional(IsIn(DELIVERY_STATES, { message: `state must be one of ${DELIVERY_STATES.join(', ')}` }))
  readonly state?: NonNullable<DeliveryFilter['state']>;

  @optional(IsLogin())
  readonly merchant?: string;

  @optional(IsIn(CALLBACK_TARGETS, { message: `target must be one of ${CALLBACK_TARGETS.join(', ')}` }))
  readonly target?: CallbackTarget;

  /** First attempt at this time or later. */
  @optional(AsInstant('since'))
  readonly since?: number;

  /** First attempt before this time. */
  @optional(AsInstant('until'))
  readonly until?: number;
}

/** Lists over all orders. Each query is recorded before it is answered. */
@OperatorRoutes()
export class OperatorListsController {
  constructor(
    @Inject(OperatorLists) private readonly lists: OperatorLists,
    @Inject(QueryAudit) private readonly questions: QueryAudit,
  ) {}

  /**
   * Callbacks of all orders from their first attempt on, oldest first
   * @answer 200 A page. At most 500
   */
  @Get('deliveries')
  @OperatorRequest('find-deliveries')
  async deliveries(
    @Question(FindDeliveriesRequest) { limit = LIMIT_DEFAULT, cursor, ...asked }: FindDeliveriesRequest,
    @CurrentOperator() operator: Operator,
    @CallerDeadline() deadline: Deadline,
  ): Promise<HttpReply<ListedDeliveries>> {
    const { since, until, ...filter } = asked;
    const times = { since: since as Instant | undefined, until: until as Instant | undefined };
    const page = await this.lists.deliveries({ ...filter, ...times }, { limit, cursor, operator, deadline });
    if (page === undefined) return HttpReply.json(HttpStatus.BAD_REQUEST, { error: A_CURSOR });
    await this.questions.answered(actingAlone(operator), { query: 'find-deliveries', question: asked, rows: page.deliveries.length });
    return HttpReply.json(HttpStatus.OK, page);
  }
}
