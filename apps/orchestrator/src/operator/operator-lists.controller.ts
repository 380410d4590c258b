import { Get, HttpStatus, Inject } from '@nestjs/common';
import { IsIn, Matches } from 'class-validator';
import { OPERATOR_NAME, OPERATOR_NAME_FORM, type Operator } from '@app/configuration';
import { HttpReply } from '@app/http/server';
import type { Deadline, Instant } from '@app/kernel';
import {
  actingAlone,
  OperatorLists,
  QueryAudit,
  type ActivityListed,
  type ListedDeliveries,
  type ListedDisputes,
  type ListedUnknown,
} from '@app/investigation';
import type { CallbackTarget } from '@app/orders/domain';
import { ACTIVITY_KINDS, type DeliveryFilter, type DisputeFilter } from '@app/read-models';
import { OperatorRoutes } from './operator.filter';
import { CurrentOperator, OperatorRequest } from './operator.guard';
import { A_CURSOR, IsDeliveryState, IsDeliveryTarget, IsLogin, LIMIT_DEFAULT, optional, PageRequest } from './operator.requests';
import { Question } from './question.pipe';
import { CallerDeadline, Reference } from './read-action';
import { AsInstant } from './transforms';

/** Callbacks of all orders. Each member narrows the list. */
class FindDeliveriesRequest extends PageRequest {
  /** `failed`: not delivered so far, given up (`exhausted`) or not (`waiting`). */
  @IsDeliveryState()
  readonly state?: NonNullable<DeliveryFilter['state']>;

  @optional(IsLogin())
  readonly merchant?: string;

  @IsDeliveryTarget()
  readonly target?: CallbackTarget;

  /** First attempt at this time or later. */
  @optional(AsInstant('since'))
  readonly since?: number;

  /** First attempt before this time. */
  @optional(AsInstant('until'))
  readonly until?: number;
}

class ListUnknownRequest extends PageRequest {
  @optional(IsLogin())
  readonly merchant?: string;
}

/** What operators did, asked and were refused. Each member narrows the list. */
class ListActivityRequest extends PageRequest {
  /** The name of an operator. */
  @optional(Matches(OPERATOR_NAME, { message: `person must be ${OPERATOR_NAME_FORM}` }))
  readonly person?: string;

  @optional(IsIn(ACTIVITY_KINDS, { message: `kind must be one of ${ACTIVITY_KINDS.join(', ')}` }))
  readonly kind?: (typeof ACTIVITY_KINDS)[number];

  /** Without `kind`: leaves out this kind, such as the many queries. */
  @optional(IsIn(ACTIVITY_KINDS, { message: `without must be one of ${ACTIVITY_KINDS.join(', ')}` }))
  readonly without?: (typeof ACTIVITY_KINDS)[number];

  /** An action, a query, the cause of a refusal, or the type of another event. */
  @optional(Matches(/^[A-Za-z][A-Za-z-]{0,63}$/, { message: 'name must be as an entry names it, such as settle-unknown' }))
  readonly name?: string;

  /** An orderid, delivery, case, stream, merchant or gate. */
  @optional(Reference(), Matches(/^[\x21-\x7e]{1,128}$/, { message: 'target must have 1 to 128 printable characters without blanks' }))
  readonly target?: string;

  @optional(AsInstant('since'))
  readonly since?: number;

  @optional(AsInstant('until'))
  readonly until?: number;
}

/** Chargebacks. Each member narrows the list. */
class ListDisputesRequest extends PageRequest {
  /** `over`: won or lost, by the latest report. Default: `open`, by the day on which the answer is due. */
  @optional(IsIn(['open', 'over'], { message: 'state must be open or over' }))
  readonly state?: DisputeFilter['state'];

  @optional(IsLogin())
  readonly merchant?: string;

  /** Due on this day or later; for `over`, the latest report at this time or later. */
  @optional(AsInstant('since'))
  readonly since?: number;

  /** Due before this day; for `over`, the latest report before this time. */
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
   * Orders with an unknown outcome, including that of a follow-up, the longest unknown first
   * @answer 200 A page. At most 500. The role viewer gets no card data
   */
  @Get('orders/unknown')
  @OperatorRequest('list-unknown')
  async unknown(
    @Question(ListUnknownRequest) { limit = LIMIT_DEFAULT, cursor, ...asked }: ListUnknownRequest,
    @CurrentOperator() operator: Operator,
    @CallerDeadline() deadline: Deadline,
  ): Promise<HttpReply<ListedUnknown>> {
    const page = await this.lists.unknown(asked.merchant, { limit, cursor, operator, deadline });
    if (page === undefined) return HttpReply.json(HttpStatus.BAD_REQUEST, { error: A_CURSOR });
    await this.questions.answered(actingAlone(operator), { query: 'list-unknown', question: asked, rows: page.orders.length });
    return HttpReply.json(HttpStatus.OK, page);
  }

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

  /**
   * Chargebacks by the day on which the answer is due; those without a day last
   * @answer 200 A page: the disputes of at most 500 orders
   */
  @Get('disputes')
  @OperatorRequest('list-disputes')
  async disputes(
    @Question(ListDisputesRequest) { limit = LIMIT_DEFAULT, cursor, ...asked }: ListDisputesRequest,
    @CurrentOperator() operator: Operator,
    @CallerDeadline() deadline: Deadline,
  ): Promise<HttpReply<ListedDisputes>> {
    const page = await this.lists.disputes({ ...asked, state: asked.state ?? 'open' }, { limit, cursor, operator, deadline });
    if (page === undefined) return HttpReply.json(HttpStatus.BAD_REQUEST, { error: A_CURSOR });
    await this.questions.answered(actingAlone(operator), { query: 'list-disputes', question: asked, rows: page.disputes.length });
    return HttpReply.json(HttpStatus.OK, page);
  }

  /**
   * What operators did, asked and were refused, and changes of the configuration, newest first
   * @answer 200 A page, at most 500. An operator limited to merchants gets its own entries and those about orders of its merchants
   */
  @Get('activity')
  @OperatorRequest('list-activity')
  async activity(
    @Question(ListActivityRequest) { limit = LIMIT_DEFAULT, cursor, ...asked }: ListActivityRequest,
    @CurrentOperator() operator: Operator,
    @CallerDeadline() deadline: Deadline,
  ): Promise<HttpReply<ActivityListed>> {
    const { since, until, ...filter } = asked;
    const times = { since: since as Instant | undefined, until: until as Instant | undefined };
    const page = await this.lists.activity({ ...filter, ...times }, { limit, cursor, operator, deadline });
    if (page === undefined) return HttpReply.json(HttpStatus.BAD_REQUEST, { error: A_CURSOR });
    await this.questions.answered(actingAlone(operator), { query: 'list-activity', question: asked, rows: page.activity.length });
    return HttpReply.json(HttpStatus.OK, page);
  }
}
