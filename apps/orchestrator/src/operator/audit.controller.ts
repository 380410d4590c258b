import { Get, HttpCode, HttpStatus, Inject, Param, Post } from '@nestjs/common';
import { IsIn } from 'class-validator';
import type { Operator } from '@app/configuration';
import { HttpReply } from '@app/http/server';
import {
  type Deadline,
  type Instant,
  present,
  type Currency,
  type EndpointId,
  type GateAlias,
  type MerchantLogin,
  type OrderKind,
} from '@app/kernel';
import {
  AuditService,
  type AuditAnswer,
  type TrailAnswer,
  aroundDay,
  IDENTIFIER_KINDS,
  isDay,
  isZone,
  type ListQuestion,
  type OrderPage,
  type ShownConfiguration,
  type TrailPage,
  type Notice,
  AUDIT_FORMATS,
  type AuditFormat,
  type NameKind,
} from '@app/investigation';
import type { OrderListFilter } from '@app/read-models';
import { Action, InvalidAction } from './action.pipe';
import { CallerDeadline } from './read-action';
import { OperatorRoutes } from './operator.filter';
import { CurrentOperator, OperatorRequest } from './operator.guard';
import { ListOrdersRequest, SearchOrdersRequest, A_DAY, A_ZONE } from './list-orders.request';
import { orderUnnamed } from './unnamed-order';
import { Question } from './question.pipe';
import { IsLogin, IsNameKind, LIMIT_DEFAULT, NamedOrderAction, optional, OperatorActionRequest } from './operator.requests';
import { AsInstant } from './transforms';

const A_FORMAT = { message: `format must be one of ${AUDIT_FORMATS.join(', ')}` };

/** The trail of an order. */
class TrailRequest extends OperatorActionRequest {
  /** If given, the order must belong to this merchant. */
  @optional(IsLogin())
  readonly merchant?: string;

  /** The kind of identifier. Default: both kinds. */
  @optional(IsNameKind())
  readonly by?: NameKind;

  @optional(IsIn(AUDIT_FORMATS, A_FORMAT))
  readonly format?: AuditFormat;
}

/** The trail with its sealed texts, for a recorded reason. */
export class RevealRequest extends NamedOrderAction {
  @optional(IsIn(AUDIT_FORMATS, A_FORMAT))
  readonly format?: AuditFormat;
}

const minor = (amount: number | undefined): bigint | undefined => (amount === undefined ? undefined : BigInt(amount));

/** Empty ranges: the caller has swapped the ends. */
const RANGES = [
  ['createdFrom', 'createdTo', 'later'],
  ['updatedFrom', 'updatedTo', 'later'],
  ['amountFrom', 'amountTo', 'more'],
] as const;

const assertForwards = (request: ListOrdersRequest): void => {
  for (const [from, to, word] of RANGES) {
    const [begin, end] = [request[from], request[to]];
    if (begin !== undefined && end !== undefined && begin > end)
      throw new InvalidAction({ status: 400, error: `${from} is ${word} than ${to}` });
  }
};

/** @throws InvalidAction for an unknown day or zone, and for a zone without a day */
const noticeIn = ({ descriptor, on, zone }: ListOrdersRequest): Notice | undefined => {
  if (zone !== undefined && on === undefined) throw new InvalidAction({ status: 400, error: 'zone needs on, a day' });
  if (on !== undefined && !isDay(on)) throw new InvalidAction({ status: 400, error: A_DAY });
  if (zone !== undefined && !isZone(zone)) throw new InvalidAction({ status: 400, error: A_ZONE });
  const notice = present({ descriptor, ...(on !== undefined && aroundDay(on, zone ?? 'UTC')) });
  return Object.keys(notice).length === 0 ? undefined : notice;
};

/** @throws InvalidAction for members that exclude each other */
export const listQuestion = (request: ListOrdersRequest & Pick<SearchOrdersRequest, 'email'>): ListQuestion => {
  const { merchant, endpoint, kind, operation, status, stage, gate, code, currency, amountFrom, amountTo } = request;
  const { createdFrom, createdTo, updatedFrom, updatedTo } = request;
  assertForwards(request);
  const filter: OrderListFilter = present({
    merchant: merchant as MerchantLogin | undefined,
    endpoint: endpoint as EndpointId | undefined,
    kind: kind as OrderKind | undefined,
    operation,
    status,
    stage: stage as OrderListFilter['stage'],
    gate: gate as GateAlias | undefined,
    code,
    currency: currency as Currency | undefined,
    amountFrom: minor(amountFrom),
    amountTo: minor(amountTo),
    createdFrom: createdFrom as Instant | undefined,
    createdTo: createdTo as Instant | undefined,
    updatedFrom: updatedFrom as Instant | undefined,
    updatedTo: updatedTo as Instant | undefined,
  });
  const named = IDENTIFIER_KINDS.flatMap((name) => {
    const value = request[name];
    return value === undefined ? [] : [[name, name === 'cardMask' ? value.replace('-', '') : value] as const];
  });
  const notice = noticeIn(request);
  return { filter, identifiers: Object.fromEntries(named), ...(notice && { notice }) };
};

/** Which configuration applied at a moment. */
export class ConfigurationRequest extends OperatorActionRequest {
  /** Default: now. */
  @optional(AsInstant('at'))
  readonly at?: number;
}

/** Paging data is in headers, because NDJSON and CSV contain only rows. */
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

const trailReply = (answer: TrailAnswer): HttpReply<TrailPage> => (answer.kind === 'told' ? replyOf(answer.answer) : orderUnnamed(answer));

@OperatorRoutes('audit')
export class AuditController {
  constructor(@Inject(AuditService) private readonly audit: AuditService) {}

  /**
   * Orders by identifiers and other filters, one page at a time
   * @answer 200 Newest first, as JSON, NDJSON or CSV
   */
  @Get('orders')
  @OperatorRequest('list-orders')
  list(
    @Question(ListOrdersRequest) request: ListOrdersRequest,
    @CurrentOperator() operator: Operator,
    @CallerDeadline() deadline: Deadline,
  ): Promise<HttpReply<OrderPage>> {
    return this.answer(request, operator, deadline);
  }

  /**
   * The same filters in a body, and an e-mail address, which must not be in a log of paths
   * @example {"email": "jane@example.com", "status": "approved", "limit": 20}
   * @answer 200 Newest first, as JSON, NDJSON or CSV
   */
  @Post('orders')
  @HttpCode(HttpStatus.OK)
  @OperatorRequest('search-orders')
  search(
    @Action(SearchOrdersRequest) request: SearchOrdersRequest,
    @CurrentOperator() operator: Operator,
    @CallerDeadline() deadline: Deadline,
  ): Promise<HttpReply<OrderPage>> {
    return this.answer(request, operator, deadline);
  }

  /**
   * The full audit trail of an order: events, cards, gates, deliveries, operator actions
   * @param id An orderid or a client_orderid.
   * @answer 200 In the order of the log, as JSON, NDJSON or CSV
   * @answer 409 Orders of several merchants carry this client_orderid
   */
  @Get('orders/:orderId')
  @OperatorRequest('order-trail')
  trail(
    @Param('orderId') id: string,
    @Question(TrailRequest) request: TrailRequest,
    @CurrentOperator() operator: Operator,
    @CallerDeadline() deadline: Deadline,
  ): Promise<HttpReply<TrailPage>> {
    return this.trailOf(id, request, undefined, operator, deadline);
  }

  /**
   * The same with unsealed texts. Reason and extent are recorded before the answer
   * @param id An orderid or a client_orderid.
   * @example {"reason": "Dispute 4711: the cardholder asks what we hold"}
   * @answer 200 In the order of the log, as JSON, NDJSON or CSV
   * @answer 409 Orders of several merchants carry this client_orderid
   */
  @Post('orders/:orderId/reveal')
  @HttpCode(HttpStatus.OK)
  @OperatorRequest('reveal-order')
  reveal(
    @Param('orderId') id: string,
    @Action(RevealRequest) request: RevealRequest,
    @CurrentOperator() operator: Operator,
    @CallerDeadline() deadline: Deadline,
  ): Promise<HttpReply<TrailPage>> {
    return this.trailOf(id, request, request.reason, operator, deadline);
  }

  /**
   * The configuration in force at a moment: rules, gate settings, key ids
   * @answer 404 None was recorded at that time
   */
  @Get('configuration')
  @OperatorRequest('configuration-in-force')
  async configuration(
    @Question(ConfigurationRequest) { at, actor }: ConfigurationRequest,
    @CurrentOperator() operator: Operator,
    @CallerDeadline() deadline: Deadline,
  ): Promise<HttpReply<ShownConfiguration>> {
    const found = await this.audit.configuration(at as Instant | undefined, deadline, { operator, claimedActor: actor });
    return found === undefined
      ? HttpReply.json(HttpStatus.NOT_FOUND, { error: 'no configuration was recorded until then' })
      : HttpReply.json(HttpStatus.OK, found);
  }

  private async trailOf(
    id: string,
    { merchant, by, format = 'json', actor }: TrailRequest,
    reason: string | undefined,
    operator: Operator,
    deadline: Deadline,
  ): Promise<HttpReply<TrailPage>> {
    if (id.length > ID_LENGTH_MAX) return HttpReply.json(HttpStatus.NOT_FOUND, { error: 'not found' });
    const asked = { merchant, by, format, deadline, ...(reason !== undefined && { reveal: { reason } }) };
    return trailReply(await this.audit.orderTrail(id, asked, { operator, claimedActor: actor }));
  }

  private async answer(request: ListOrdersRequest, operator: Operator, deadline: Deadline): Promise<HttpReply<OrderPage>> {
    const { limit = LIMIT_DEFAULT, cursor, format = 'json', actor } = request;
    const asked = { limit, cursor, format, deadline };
    const answer = await this.audit.listOrders(listQuestion(request), asked, { operator, claimedActor: actor });
    return answer === undefined
      ? HttpReply.json(HttpStatus.BAD_REQUEST, { error: 'cursor must be the next of the previous page of the same query' })
      : replyOf(answer);
  }
}
