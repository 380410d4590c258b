import { HttpStatus, Inject, Post } from '@nestjs/common';
import { IsInt, Length, Max, Min } from 'class-validator';
import type { Operator } from '@app/configuration';
import { HttpReply } from '@app/http/server';
import { actingFor, BulkResending, type BulkResent, type CountedDeliveries } from '@app/investigation';
import { present, type Deadline, type Instant } from '@app/kernel';
import type { CallbackTarget } from '@app/orders/domain';
import type { DeliveryFilter } from '@app/read-models';
import { Action } from './action.pipe';
import { OperatorRoutes } from './operator.filter';
import { CurrentOperator, OperatorRequest } from './operator.guard';
import { A_CURSOR, IsCursor, IsDeliveryState, IsDeliveryTarget, IsLogin, optional, ReasonedAction } from './operator.requests';
import { CallerDeadline, NotRecorded } from './read-action';
import { AsInstant } from './transforms';

const AT_ONCE_MAX = 1_000;
const AT_ONCE_DEFAULT = 100;
const TOKEN_LENGTH_MAX = 100;
const A_LIMIT = `limit must be a whole number from 1 to ${AT_ONCE_MAX}`;

/** The callbacks of a filter are to be sent again. Each member of the filter narrows it. */
class ResendDeliveriesRequest extends ReasonedAction {
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

  /** The `token` of the count of the same filter. Absent: only counts. */
  @optional(NotRecorded(), Length(1, TOKEN_LENGTH_MAX, { message: 'token must be that of the count' }))
  readonly token?: string;

  /** Callbacks of this call. Default: 100. */
  @optional(IsInt({ message: A_LIMIT }), Min(1, { message: A_LIMIT }), Max(AT_ONCE_MAX, { message: A_LIMIT }))
  readonly limit?: number;

  /** The `next` of the previous call with this token. */
  @IsCursor()
  readonly cursor?: string;
}

type ResendingReply =
  HttpReply<Omit<CountedDeliveries, 'reason'>> | HttpReply<Omit<Extract<BulkResent, { reason: 'requested' }>, 'reason'>, 202>;

@OperatorRoutes('deliveries')
export class OperatorResendingController {
  constructor(@Inject(BulkResending) private readonly resending: BulkResending) {}

  /**
   * Counts the callbacks of a filter; with the token of the count, sends them again in parts
   * @example {"state": "failed", "merchant": "acme", "reason": "Their server was down"}
   * @answer 200 Without `token`: the count, and the token that names it for 24 hours. Nothing is sent
   * @answer 202 With `token`: attempts are requested. Repeat the call with `next` as `cursor`; a repeated call requests nothing twice
   * @answer 409 The token is not that of a count of this filter
   */
  @Post('resending')
  @OperatorRequest('resend-deliveries')
  async resend(
    @Action(ResendDeliveriesRequest) message: ResendDeliveriesRequest,
    @CurrentOperator() operator: Operator,
    @CallerDeadline() deadline: Deadline,
  ): Promise<ResendingReply> {
    const { state, merchant, target, since, until, token, limit = AT_ONCE_DEFAULT, cursor, reason } = message;
    const wanted = { state, merchant, target, since: since as Instant | undefined, until: until as Instant | undefined };
    const acting = actingFor(operator, message);
    if (token === undefined) {
      const { reason: _counted, ...counted } = await this.resending.count(wanted, acting, deadline);
      return HttpReply.json(HttpStatus.OK, counted);
    }
    const answer = await this.resending.resend(wanted, { token, limit, reason, ...present({ cursor }) }, acting, deadline);
    if (answer.reason === 'malformed-cursor') return HttpReply.json(HttpStatus.BAD_REQUEST, { error: A_CURSOR });
    if (answer.reason === 'not-counted') return HttpReply.json(HttpStatus.CONFLICT, { error: 'count the callbacks of this filter first' });
    const { requested, skipped, next } = answer;
    return HttpReply.json(HttpStatus.ACCEPTED, { requested, skipped, ...present({ next }) });
  }
}
