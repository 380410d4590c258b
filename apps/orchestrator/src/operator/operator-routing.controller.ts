import { Get, HttpStatus, Inject, Post, UseGuards } from '@nestjs/common';
import type { Operator } from '@app/configuration';
import { HttpReply } from '@app/http/server';
import { GateStates, RouteExplanations, type ListedGates, type RouteAnswer, type RouteExplanation } from '@app/investigation';
import { Action } from './action.pipe';
import { OperatorRoutes } from './operator.filter';
import { NoQuestionGuard } from './no-question.guard';
import { CurrentOperator, OperatorRequest } from './operator.guard';
import { RouteQuestionRequest } from './operator.requests';

const STATUS: Readonly<Record<RouteAnswer['reason'], number>> = {
  explained: HttpStatus.OK,
  'unknown-endpoint': HttpStatus.NOT_FOUND,
  'malformed-amount': HttpStatus.BAD_REQUEST,
  refused: HttpStatus.CONFLICT,
};

const errorOf = (answer: Exclude<RouteAnswer, { readonly reason: 'explained' }>): string => {
  switch (answer.reason) {
    case 'unknown-endpoint':
      return 'no entry point and no group has this id';
    case 'malformed-amount':
      return 'amount must be in major units, such as "10.00"';
    case 'refused':
      return `no such order would be accepted: ${answer.why}`;
  }
};

/** Questions are sent in a body, because a payer's address must not be in a log of paths. */
@OperatorRoutes()
export class OperatorRoutingController {
  constructor(
    @Inject(RouteExplanations) private readonly routes: RouteExplanations,
    @Inject(GateStates) private readonly gates: GateStates,
  ) {}

  /**
   * The configured gates, which of them new orders skip, and their calls of the last hour
   * @answer 200 Circuits of the answering process, because each has its own; calls of all processes
   */
  @Get('gates')
  @UseGuards(NoQuestionGuard)
  @OperatorRequest('list-gates')
  async list(@CurrentOperator() operator: Operator): Promise<HttpReply<ListedGates>> {
    return HttpReply.json(HttpStatus.OK, await this.gates.list(operator));
  }

  /**
   * The gates that an order would try, and the rule of its entry point that selects them. Nothing is accepted or recorded
   * @example {"endpoint": "1001", "amount": "10.00", "bin": "444433"}
   * @answer 200 By the current rules and time
   * @answer 404 Unknown entry point
   * @answer 409 No such order would be accepted
   */
  @Post('routes/explanation')
  @OperatorRequest('explain-route')
  async explain(
    @Action(RouteQuestionRequest) { operation = 'sale', ...question }: RouteQuestionRequest,
    @CurrentOperator() operator: Operator,
  ): Promise<HttpReply<RouteExplanation>> {
    const answer = await this.routes.explain({ operation, ...question }, operator);
    return HttpReply.json(STATUS[answer.reason], answer.reason === 'explained' ? answer.explanation : { error: errorOf(answer) });
  }
}
