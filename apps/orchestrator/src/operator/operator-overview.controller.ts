import { Get, HttpStatus, Inject, UseGuards } from '@nestjs/common';
import type { Operator } from '@app/configuration';
import { HttpReply } from '@app/http/server';
import { type Overview, ServiceOverview, ServiceState, type ParkedStreams, type ProjectionStates } from '@app/investigation';
import { NoQuestionGuard } from './no-question.guard';
import { OperatorRoutes } from './operator.filter';
import { CurrentOperator, OperatorRequest } from './operator.guard';

/** The state of the service. Not recorded: it names no order and no person. */
@OperatorRoutes()
export class OperatorOverviewController {
  constructor(
    @Inject(ServiceState) private readonly state: ServiceState,
    @Inject(ServiceOverview) private readonly overviews: ServiceOverview,
  ) {}

  /**
   * Counts of open work for operators, with the age of the oldest, and the alerts that fire
   * @answer 200 A part whose store does not answer is null. To an operator limited to merchants, of their orders only
   */
  @Get('overview')
  @UseGuards(NoQuestionGuard)
  @OperatorRequest('show-overview')
  async overview(@CurrentOperator() operator: Operator): Promise<HttpReply<Overview>> {
    return HttpReply.json(HttpStatus.OK, await this.overviews.overview(operator));
  }

  /**
   * Streams that the read models skip, with cause and next step
   * @answer 200 Broken chains first, then the oldest; at most 1,000
   */
  @Get('streams/parked')
  @UseGuards(NoQuestionGuard)
  @OperatorRequest('list-parked')
  async parked(): Promise<HttpReply<ParkedStreams>> {
    return HttpReply.json(HttpStatus.OK, await this.state.parked());
  }

  /**
   * Each read model: its checkpoint, and how far it is behind the log
   * @answer 200 With the end of the log
   */
  @Get('projections')
  @UseGuards(NoQuestionGuard)
  @OperatorRequest('list-projections')
  async projections(): Promise<HttpReply<ProjectionStates>> {
    return HttpReply.json(HttpStatus.OK, await this.state.projections());
  }
}
