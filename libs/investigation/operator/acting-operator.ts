import { OutcomeUnknown, type Actor } from '@app/event-store';
import type { Operator } from '@app/configuration';
import type { OperatorAction } from '../record/operator-audit.events';
import type { OperatorAudit } from '../record/operator-audit';
import { actorOf } from './operator-access';

/** The authenticated operator, with the actor that the request claims. */
export interface ActingOperator {
  readonly operator: Operator;
  readonly claimedActor: string | undefined;
}

/** For questions that name nobody for whom they are asked. */
export const actingAlone = (operator: Operator): ActingOperator => ({ operator, claimedActor: undefined });

/** Who is written down as the actor. */
export const byOf = ({ operator, claimedActor }: ActingOperator): Actor => ({
  actor: actorOf(operator),
  ...(claimedActor !== undefined && { claimedActor }),
});

/** What is done, and on what. */
export interface Acted {
  readonly action: OperatorAction;
  readonly target: string;
}

/**
 * Records an action with its actor before it is done, and its outcome afterwards.
 * @param isDone says of the answer whether something was done
 * @throws StoreUnavailable where the action is not on record: it is not done
 */
export const act = async <Answer>(
  audit: Pick<OperatorAudit, 'begin' | 'end'>,
  acting: ActingOperator,
  acted: Acted,
  isDone: (answer: Answer) => boolean,
  run: (by: Actor) => Promise<Answer>,
): Promise<Answer> => {
  const by = byOf(acting);
  const actionId = await audit.begin(by, { ...acted, role: acting.operator.role });
  try {
    const answer = await run(by);
    await audit.end(by, actionId, isDone(answer) ? 'done' : 'refused');
    return answer;
  } catch (error) {
    await audit.end(by, actionId, error instanceof OutcomeUnknown ? 'unknown' : 'failed');
    throw error;
  }
};
