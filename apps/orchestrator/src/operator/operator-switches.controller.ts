import { Get, HttpStatus, Inject, Param, Post, UseGuards } from '@nestjs/common';
import type { Operator } from '@app/configuration';
import { HttpReply } from '@app/http/server';
import { actingFor, SwitchService, type HeldJson, type Switching } from '@app/investigation';
import { Action } from './action.pipe';
import { NoQuestionGuard } from './no-question.guard';
import { OperatorRoutes } from './operator.filter';
import { CurrentOperator, OperatorRequest } from './operator.guard';
import { ReasonedAction } from './operator.requests';

/** Holds a gate or an entry point back from new orders, or releases it. */
class SwitchRequest extends ReasonedAction {}

interface Switched {
  readonly isHeld: boolean;
  /** False if the request changed nothing. */
  readonly isChanged: boolean;
}

const ERRORS: Readonly<Partial<Record<Switching['reason'], string>>> = {
  'unknown-gate': 'no gate has this alias',
  'unknown-endpoint': 'no entry point has this id',
};

const replyOf = ({ reason }: Switching): HttpReply<Switched> => {
  const error = ERRORS[reason];
  if (error !== undefined) return HttpReply.json(HttpStatus.NOT_FOUND, { error });
  const isHeld = reason === 'held' || reason === 'held-before';
  return HttpReply.json(HttpStatus.OK, { isHeld, isChanged: reason === 'held' || reason === 'released' });
};

/** In force in every process within seconds, and after a restart. */
@OperatorRoutes()
export class OperatorSwitchesController {
  constructor(@Inject(SwitchService) private readonly switches: SwitchService) {}

  /**
   * The gates and entry points that get no new orders
   * @answer 200 The oldest first. An operator limited to merchants sees the entry points of its merchants
   */
  @Get('holds')
  @UseGuards(NoQuestionGuard)
  @OperatorRequest('list-holds')
  listHolds(@CurrentOperator() operator: Operator): HttpReply<{ readonly holds: readonly HeldJson[] }> {
    return HttpReply.json(HttpStatus.OK, { holds: this.switches.held(operator) });
  }

  /**
   * New orders no longer use the gate. If no other gate is left, they are refused with code 20. Accepted orders continue
   * @example {"reason": "The acquirer reports an outage"}
   * @answer 200 The gate is held, now or since before
   */
  @Post('gates/:alias/hold')
  @OperatorRequest('hold-gate')
  async holdGate(
    @Param('alias') id: string,
    @Action(SwitchRequest) message: SwitchRequest,
    @CurrentOperator() operator: Operator,
  ): Promise<HttpReply<Switched>> {
    return replyOf(await this.switches.turn('hold', 'gate', { id, reason: message.reason }, actingFor(operator, message)));
  }

  /**
   * New orders may use the gate again
   * @example {"reason": "The acquirer has recovered"}
   * @answer 200 The gate is not held
   */
  @Post('gates/:alias/hold/release')
  @OperatorRequest('release-gate')
  async releaseGate(
    @Param('alias') id: string,
    @Action(SwitchRequest) message: SwitchRequest,
    @CurrentOperator() operator: Operator,
  ): Promise<HttpReply<Switched>> {
    return replyOf(await this.switches.turn('release', 'gate', { id, reason: message.reason }, actingFor(operator, message)));
  }

  /**
   * The entry point refuses new orders with code 20. Accepted orders continue
   * @example {"reason": "The merchant was compromised"}
   * @answer 200 The entry point is held, now or since before
   */
  @Post('endpoints/:endpointId/hold')
  @OperatorRequest('hold-endpoint')
  async holdEndpoint(
    @Param('endpointId') id: string,
    @Action(SwitchRequest) message: SwitchRequest,
    @CurrentOperator() operator: Operator,
  ): Promise<HttpReply<Switched>> {
    return replyOf(await this.switches.turn('hold', 'endpoint', { id, reason: message.reason }, actingFor(operator, message)));
  }

  /**
   * The entry point accepts new orders again
   * @example {"reason": "The merchant has a new key"}
   * @answer 200 The entry point is not held
   */
  @Post('endpoints/:endpointId/hold/release')
  @OperatorRequest('release-endpoint')
  async releaseEndpoint(
    @Param('endpointId') id: string,
    @Action(SwitchRequest) message: SwitchRequest,
    @CurrentOperator() operator: Operator,
  ): Promise<HttpReply<Switched>> {
    return replyOf(await this.switches.turn('release', 'endpoint', { id, reason: message.reason }, actingFor(operator, message)));
  }
}
