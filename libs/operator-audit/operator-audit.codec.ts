import { eventCodec, f, streamName, type EventCodec, type StreamName } from '@app/event-store';
import {
  OPERATOR_ACTIONS,
  REFUSAL_CAUSES,
  type OperatorActionBegun,
  type OperatorActionEnded,
  type OperatorAuditEvent,
  type OperatorRequestsRefused,
} from './operator-audit.events';

export const OPERATOR_CATEGORY = 'operator';

/** One stream for each process, from its start to its end; no other process writes to it. */
export const operatorStream = (bootId: string): StreamName => streamName(OPERATOR_CATEGORY, bootId);

export const operatorAuditCodec: EventCodec<OperatorAuditEvent> = eventCodec<OperatorAuditEvent>(OPERATOR_CATEGORY, {
  OperatorActionBegun: {
    version: 1,
    meaning: 'An operator, who is the actor, requested an action at the operator port; durable before the action.',
    schema: f.object<OperatorActionBegun['data']>({
      actionId: f.id(),
      action: f.oneOf(...OPERATOR_ACTIONS),
      role: f.id(),
      target: f.id(),
      begunAt: f.instant(),
    }),
  },
  OperatorActionEnded: {
    version: 1,
    meaning: 'The result of the action: with `failed` it is certain that nothing was done, with `unknown` it is not.',
    schema: f.object<OperatorActionEnded['data']>({
      actionId: f.id(),
      outcome: f.oneOf('done', 'refused', 'failed', 'unknown'),
      endedAt: f.instant(),
    }),
  },
  OperatorRequestsRefused: {
    version: 1,
    meaning:
      'Requests at the operator port that were refused for one cause, of the operator who is the actor where a token named one: the first by itself, those of the minute after it counted together.',
    schema: f.object<OperatorRequestsRefused['data']>({
      cause: f.oneOf(...REFUSAL_CAUSES),
      count: f.int(),
      firstAt: f.instant(),
      lastAt: f.instant(),
    }),
  },
});
