import { Get, HttpStatus, Inject, Param, Post, UseGuards } from '@nestjs/common';
import { Transform } from 'class-transformer';
import { Length } from 'class-validator';
import { HttpReply, type Refused } from '@app/http/server';
import { present, type Deadline } from '@app/kernel';
import { deliveryAsJson, FOUND_LIMIT_MAX, type DeliveryJson, type OrderSummary } from '@app/read-models/queries';
import type { StreamRebuilt } from '@app/read-models';
import type { Operator } from '@app/configuration';
import type { OperatorQuery } from '@app/investigation/record';
import {
  actingAlone,
  actingFor,
  type Found,
  OrderNames,
  QueryAudit,
  OperatorService,
  type Resolution,
  type ShownOrder,
  type Unparking,
} from '@app/investigation';
import { Action } from './action.pipe';
import { approvalReply, isUnderApproval, type ApprovalReply } from './approval-reply';
import { FourEyes } from './four-eyes';
import { CallerDeadline, NotRecorded } from './read-action';
import { OperatorRoutes } from './operator.filter';
import { CurrentOperator, OperatorRequest } from './operator.guard';
import { Question } from './question.pipe';
import { NoQuestionGuard } from './no-question.guard';
import { IsLimit, merchantIn, ResendRequest, ResolveRequest, UnparkRequest, IsLogin, optional } from './operator.requests';

const SEARCH_LENGTH_MAX = 256;
const AFTER_LENGTH_MAX = 600;

/** The orders that an identifier of any kind refers to. */
class FindOrdersRequest {
  /** An identifier of any kind. */
  @NotRecorded()
  @Transform(({ value }: { readonly value: unknown }) => (typeof value === 'string' ? value.trim() : value))
  @Length(1, SEARCH_LENGTH_MAX, { message: `q must be an identifier of 1 to ${SEARCH_LENGTH_MAX} characters` })
  readonly q!: string;

  /** Only orders of this merchant. */
  @optional(IsLogin())
  readonly merchant?: string;

  /** Orders of a page. */
  @IsLimit(FOUND_LIMIT_MAX)
  readonly limit?: number;

  /** The `next` of the previous page. */
  @optional(NotRecorded(), Length(1, AFTER_LENGTH_MAX, { message: 'after must be the next of the previous page' }))
  readonly after?: string;
}

const RESOLUTION_STATUS: Readonly<Record<Exclude<Resolution['reason'], 'resolved'>, number>> = {
  'unknown-order': HttpStatus.NOT_FOUND,
  'nothing-to-resolve': HttpStatus.CONFLICT,
  'flight-not-over': HttpStatus.CONFLICT,
  'order-moved': HttpStatus.CONFLICT,
};
const UNPARKING_STATUS: Readonly<Record<Unparking['reason'], number>> = {
  unparked: HttpStatus.OK,
  'not-parked': HttpStatus.NOT_FOUND,
  'still-parked': HttpStatus.CONFLICT,
};

/** Each query is recorded before it is answered. */
@OperatorRoutes()
export class OperatorController {
  constructor(
    @Inject(OperatorService) private readonly operators: OperatorService,
    @Inject(FourEyes) private readonly fourEyes: FourEyes,
    @Inject(QueryAudit) private readonly questions: QueryAudit,
    @Inject(OrderNames) private readonly names: OrderNames,
  ) {}

  /**
   * The orders that an identifier of any kind refers to
   * @answer 200 Each with the identifier’s role in it
   */
  @Get('orders/find')
  @OperatorRequest('find-orders')
  async find(
    @Question(FindOrdersRequest) { q, ...asked }: FindOrdersRequest,
    @CurrentOperator() operator: Operator,
    @CallerDeadline() deadline: Deadline,
  ): Promise<HttpReply<Found>> {
    const found = await this.operators.find(q, asked, operator, deadline);
    if (found === undefined) return HttpReply.json(HttpStatus.BAD_REQUEST, { error: 'after must be the next of the previous page' });
    await this.questions.answered(actingAlone(operator), { query: 'find-orders', question: { q, ...asked }, rows: found.found.length });
    return HttpReply.json(HttpStatus.OK, found);
  }

  /**
   * One order
   * @answer 200 Read from its stream, with its legal holds and erasures
   */
  @Get('orders/:orderId')
  @UseGuards(NoQuestionGuard)
  @OperatorRequest('show-order')
  async order(
    @Param('orderId') orderId: string,
    @CurrentOperator() operator: Operator,
    @CallerDeadline() deadline: Deadline,
  ): Promise<HttpReply<ShownOrder>> {
    const order = await this.operators.order(orderId, operator, deadline);
    await this.answered(operator, 'show-order', orderId, order && 1);
    return order === undefined ? this.notFound() : HttpReply.json(HttpStatus.OK, order);
  }

  /**
   * Its callbacks and each attempt to deliver them
   * @answer 200 The oldest first
   */
  @Get('orders/:orderId/deliveries')
  @UseGuards(NoQuestionGuard)
  @OperatorRequest('list-deliveries')
  async deliveries(
    @Param('orderId') orderId: string,
    @CurrentOperator() operator: Operator,
    @CallerDeadline() deadline: Deadline,
  ): Promise<HttpReply<{ readonly deliveries: readonly DeliveryJson[] }>> {
    const deliveries = await this.operators.deliveries(orderId, operator, deadline);
    await this.answered(operator, 'list-deliveries', orderId, deliveries?.length);
    return deliveries === undefined ? this.notFound() : HttpReply.json(HttpStatus.OK, { deliveries: deliveries.map(deliveryAsJson) });
  }

  /**
   * Resolves an unknown outcome that the gate does not report
   * @example {"as": "declined", "reason": "The acquirer says so, by telephone", "actor": "kim"}
   * @answer 202 It waits for the approval of a second person
   * @answer 409 No outcome is unknown, the gate may still report it, or the order changed during the request
   */
  @Post('orders/:orderId/resolution')
  @OperatorRequest('settle-unknown')
  async resolve(
    @Param('orderId') orderId: string,
    @Action(ResolveRequest) message: ResolveRequest,
    @CurrentOperator() operator: Operator,
  ): Promise<HttpReply<{ readonly order: OrderSummary }> | ApprovalReply> {
    const { as: to, reason: grounds, followUp, alone: isAlone = false } = message;
    const wish = { action: 'settle-unknown', target: orderId, to, ...present({ followUp, merchant: merchantIn(message) }) } as const;
    const resolution = await this.fourEyes.perform(wish, { reason: grounds, isAlone }, actingFor(operator, message));
    if (isUnderApproval(resolution)) return approvalReply(resolution);
    const { reason } = resolution;
    if (reason === 'resolved') return HttpReply.json(HttpStatus.OK, { order: resolution.order });
    return HttpReply.json(RESOLUTION_STATUS[reason], { error: reason, ...(await this.names.gapOf(resolution)) });
  }

  /**
   * Sends a callback again, with the same id and bytes
   * @example {"reason": "The shop lost it"}
   * @answer 202 The callback will be sent at once
   */
  @Post('deliveries/:deliveryId/resend')
  @OperatorRequest('resend-delivery')
  async resend(
    @Param('deliveryId') deliveryId: string,
    @Action(ResendRequest) message: ResendRequest,
    @CurrentOperator() operator: Operator,
  ): Promise<HttpReply<{ readonly deliveryId: string; readonly merchant: string; readonly isDueAlready: boolean }, 202>> {
    const answer = await this.operators.resend(deliveryId, message.reason, actingFor(operator, message));
    if (answer.reason === 'unknown-delivery') return HttpReply.json(HttpStatus.NOT_FOUND, { error: answer.reason });
    return HttpReply.json(HttpStatus.ACCEPTED, { deliveryId, merchant: answer.merchant, isDueAlready: answer.reason === 'due-already' });
  }

  /**
   * Projects a parked stream again
   * @example {"reason": "The upgrade is finished"}
   * @answer 404 No projection has parked the stream
   * @answer 409 One of its events still cannot be applied
   */
  @Post('streams/:stream/unparking')
  @OperatorRequest('unpark-stream')
  async unpark(
    @Param('stream') stream: string,
    @Action(UnparkRequest) message: UnparkRequest,
    @CurrentOperator() operator: Operator,
  ): Promise<HttpReply<{ readonly stream: string } & StreamRebuilt> | HttpReply<Refused & StreamRebuilt, 404 | 409>> {
    const { reason, applied, stillParked } = await this.operators.unpark(stream, message.reason, actingFor(operator, message));
    return HttpReply.json(UNPARKING_STATUS[reason], {
      ...(reason === 'unparked' ? { stream } : { error: reason }),
      applied,
      stillParked,
    });
  }

  /** An unknown order may be named by a card number, so only the keyed digest is recorded. */
  private answered(operator: Operator, query: OperatorQuery, orderId: string, rows: number | undefined): Promise<void> {
    const about = rows === undefined ? { question: { id: orderId } } : { orderId, question: {} };
    return this.questions.answered(actingAlone(operator), { query, ...about, rows: rows ?? 0 });
  }

  private async notFound(): Promise<HttpReply> {
    return HttpReply.json(HttpStatus.NOT_FOUND, { error: 'not found', ...present({ index: await this.names.indexState() }) });
  }
}
