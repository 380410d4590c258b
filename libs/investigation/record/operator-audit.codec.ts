import { eventCodec, f, streamName, type EventCodec, type StreamName } from '@app/event-store';
import {
  ANSWER_FORMATS,
  OPERATOR_ACTIONS,
  OPERATOR_QUERIES,
  REFUSAL_CAUSES,
  type OperatorActionBegun,
  type OperatorActionEnded,
  type OperatorAuditEvent,
  type OperatorQueryAnswered,
  type OperatorRequestsRefused,
} from './operator-audit.events';

const OPERATOR_CATEGORY = 'operator';

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
  OperatorQueryAnswered: {
    version: 1,
    meaning: 'A question of the operator, who is the actor, about orders or the configuration; durable before its answer leaves.',
    schema: f.object<OperatorQueryAnswered['data']>({
      queryId: f.id(),
      query: f.oneOf(...OPERATOR_QUERIES),
      role: f.id(),
      target: f.optional(f.id()),
      filters: f.list<OperatorQueryAnswered['data']['filters']>(f.id()),
      digest: f.hash(),
      format: f.oneOf(...ANSWER_FORMATS),
      rows: f.int(),
      revealed: f.optional(f.object<NonNullable<OperatorQueryAnswered['data']['revealed']>>({ texts: f.int(), reason: f.sealed() })),
      answeredAt: f.instant(),
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
