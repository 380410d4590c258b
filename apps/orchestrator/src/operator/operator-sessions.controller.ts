import { HttpStatus, Inject, Param, Post } from '@nestjs/common';
import type { OrderSealer } from '@app/card-vault';
import { CARD_VAULT } from '@app/card-vault/card-vault.tokens';
import { OPERATOR_NAME, type Operator } from '@app/configuration';
import { HttpReply } from '@app/http/server';
import { act, actingFor, OperatorSessions, sealedReason } from '@app/investigation';
import { OperatorAudit } from '@app/investigation/record';
import { Action } from './action.pipe';
import { OperatorRoutes } from './operator.filter';
import { CurrentOperator, OperatorRequest } from './operator.guard';
import { ReasonedAction } from './operator.requests';

/** Ends every session of an operator. */
class EndSessionsRequest extends ReasonedAction {}

@OperatorRoutes('sessions')
export class OperatorSessionsController {
  constructor(
    @Inject(OperatorSessions) private readonly sessions: OperatorSessions,
    @Inject(OperatorAudit) private readonly audit: OperatorAudit,
    @Inject(CARD_VAULT) private readonly vault: Pick<OrderSealer, 'takeKey'>,
  ) {}

  /**
   * Ends all sessions of an operator, in every process within seconds. Tokens stay valid, and the operator can sign in again
   * @example {"reason": "The notebook was stolen"}
   * @answer 404 No operator has this name. With a provider, every name is accepted, because only the provider knows its people
   */
  @Post(':operator/ending')
  @OperatorRequest('end-sessions')
  async end(
    @Param('operator') name: string,
    @Action(EndSessionsRequest) message: EndSessionsRequest,
    @CurrentOperator() operator: Operator,
  ): Promise<HttpReply<{ readonly operator: string; readonly ended: true }>> {
    if (!OPERATOR_NAME.test(name)) return this.unknown();
    const reason = await sealedReason(this.vault, message.reason);
    const about = { action: 'end-sessions' as const, target: name, done: ['ended' as const], reason };
    const answer = await act(this.audit, actingFor(operator, message), about, async (by) => ({
      reason: (await this.sessions.endAllOf(name, by)) ? ('ended' as const) : ('unknown-operator' as const),
    }));
    return answer.reason === 'ended' ? HttpReply.json(HttpStatus.OK, { operator: name, ended: true }) : this.unknown();
  }

  private unknown(): HttpReply {
    return HttpReply.json(HttpStatus.NOT_FOUND, { error: 'no operator has this name' });
  }
}
