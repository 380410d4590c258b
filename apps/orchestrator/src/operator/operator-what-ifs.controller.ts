import { Get, HttpCode, HttpStatus, Inject, Param, Post, UseGuards } from '@nestjs/common';
import { Length } from 'class-validator';
import type { Operator } from '@app/configuration';
import { HttpReply } from '@app/http/server';
import { actingAlone, actingFor, QueryAudit, type WhatIfJson, type WhatIfOrders, WhatIfs } from '@app/investigation';
import type { Instant } from '@app/kernel';
import { Action } from './action.pipe';
import { NoQuestionGuard } from './no-question.guard';
import { OperatorRoutes } from './operator.filter';
import { CurrentOperator, OperatorRequest } from './operator.guard';
import { A_CURSOR, IsCursor, IsLimit, IsLogin, OperatorActionRequest, optional } from './operator.requests';
import { Question } from './question.pipe';
import { NotRecorded } from './read-action';
import { AsInstant } from './transforms';

const RULES_LENGTH_MAX = 15_000;
const ORDERS_AT_ONCE = 200;

/** All orders of a time decided again under other rules. */
class StartWhatIfRequest extends OperatorActionRequest {
  /** YAML or JSON, as in a file of `orch replay --what-if`. Not kept, except its digest. */
  @NotRecorded()
  @Length(1, RULES_LENGTH_MAX, { message: `rules must have 1 to ${RULES_LENGTH_MAX} characters` })
  readonly rules!: string;

  /** Only orders accepted at this time or later. */
  @optional(AsInstant('from'))
  readonly from?: number;

  /** Only orders accepted before this time. */
  @optional(AsInstant('before'))
  readonly before?: number;

  /** Only orders of this merchant. */
  @optional(IsLogin())
  readonly merchant?: string;
}

class StopWhatIfRequest extends OperatorActionRequest {}

class WhatIfOrdersRequest {
  @IsLimit(ORDERS_AT_ONCE)
  readonly limit: number = ORDERS_AT_ONCE;

  /** The `next` of the previous page. */
  @IsCursor()
  readonly cursor?: string;
}

const notFound = (): HttpReply<never> => HttpReply.json(HttpStatus.NOT_FOUND, { error: 'not found' });

@OperatorRoutes('what-ifs')
export class OperatorWhatIfsController {
  constructor(
    @Inject(WhatIfs) private readonly whatIfs: WhatIfs,
    @Inject(QueryAudit) private readonly questions: QueryAudit,
  ) {}

  /**
   * Decides every order again under other rules, in the background. Calls no gate and writes nothing to the log but this request
   * @example {"rules": "merchants: [{login: acme, endpoints: [{id: '1001', gates: [sim-b, sim-a]}]}]", "from": "2026-11-01T00:00:00Z"}
   * @answer 202 It runs in the answering process, which keeps the newest 20 results
   * @answer 409 Another what-if runs in this process
   */
  @Post()
  @OperatorRequest('start-what-if')
  async start(
    @Action(StartWhatIfRequest) message: StartWhatIfRequest,
    @CurrentOperator() operator: Operator,
  ): Promise<HttpReply<WhatIfJson, 202>> {
    const { rules, from, before, merchant } = message;
    if (from !== undefined && before !== undefined && from >= before)
      return HttpReply.json(HttpStatus.BAD_REQUEST, { error: 'from is not before before' });
    const asked = { rules, from: from as Instant | undefined, before: before as Instant | undefined, merchant };
    const answer = await this.whatIfs.start(asked, actingFor(operator, message));
    switch (answer.reason) {
      case 'started':
        return HttpReply.json(HttpStatus.ACCEPTED, answer.whatIf);
      case 'running':
        return HttpReply.json(HttpStatus.CONFLICT, { error: 'another what-if is running: wait for its end, or stop it' });
      case 'malformed':
        return HttpReply.json(HttpStatus.BAD_REQUEST, { error: answer.fault });
    }
  }

  /**
   * The kept what-ifs of the answering process, newest first
   * @answer 200 At most 20
   */
  @Get()
  @UseGuards(NoQuestionGuard)
  @OperatorRequest('list-what-ifs')
  async list(@CurrentOperator() operator: Operator): Promise<HttpReply<{ readonly whatIfs: readonly WhatIfJson[] }>> {
    return HttpReply.json(HttpStatus.OK, { whatIfs: await this.whatIfs.list(operator) });
  }

  /**
   * One what-if: its state, progress and result by rule and currency
   */
  @Get(':whatIfId')
  @UseGuards(NoQuestionGuard)
  @OperatorRequest('show-what-if')
  async show(@Param('whatIfId') whatIfId: string, @CurrentOperator() operator: Operator): Promise<HttpReply<WhatIfJson>> {
    const found = await this.whatIfs.find(whatIfId, operator);
    return found === undefined ? notFound() : HttpReply.json(HttpStatus.OK, found);
  }

  /**
   * The orders that a what-if would decide differently
   * @answer 200 A page. The newest what-if adds orders while it runs
   */
  @Get(':whatIfId/orders')
  @OperatorRequest('what-if-orders')
  async orders(
    @Param('whatIfId') whatIfId: string,
    @Question(WhatIfOrdersRequest) page: WhatIfOrdersRequest,
    @CurrentOperator() operator: Operator,
  ): Promise<HttpReply<WhatIfOrders>> {
    const found = await this.whatIfs.orders(whatIfId, operator, page);
    const rows = 'reason' in found ? 0 : found.orders.length;
    await this.questions.answered(actingAlone(operator), { query: 'what-if-orders', question: { whatIfId, ...page }, rows });
    if (!('reason' in found)) return HttpReply.json(HttpStatus.OK, found);
    return found.reason === 'unknown-what-if' ? notFound() : HttpReply.json(HttpStatus.BAD_REQUEST, { error: A_CURSOR });
  }

  /**
   * Stops a what-if, and keeps its result so far
   * @example {}
   * @answer 409 It has ended
   */
  @Post(':whatIfId/stopping')
  @HttpCode(HttpStatus.OK)
  @OperatorRequest('stop-what-if')
  async stop(
    @Param('whatIfId') whatIfId: string,
    @Action(StopWhatIfRequest) message: StopWhatIfRequest,
    @CurrentOperator() operator: Operator,
  ): Promise<HttpReply<WhatIfJson>> {
    const answer = await this.whatIfs.stop(whatIfId, actingFor(operator, message));
    if (answer.reason === 'stopped') return HttpReply.json(HttpStatus.OK, answer.whatIf);
    return answer.reason === 'unknown-what-if' ? notFound() : HttpReply.json(HttpStatus.CONFLICT, { error: answer.reason });
  }
}
