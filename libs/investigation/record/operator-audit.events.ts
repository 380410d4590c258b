import type { Instant, Sealed } from '@app/kernel';
import { eventCodec, f, streamName, type EventCodec, type StreamName } from '@app/event-store';

/** State-changing actions of the operator port. */
export const OPERATOR_ACTIONS = [
  'sign-in',
  'sign-out',
  'end-sessions',
  'settle-unknown',
  'resend-delivery',
  'unpark-stream',
  'record-report',
  'open-cases',
  'close-case',
  'apply-case',
  'inquire-gate',
  'erase-order',
  'erase-card',
  'place-hold',
  'release-hold',
  'find-customer',
  'return-order',
  'capture-order',
  'void-order',
  'apply-configuration',
  'hold-gate',
  'release-gate',
  'hold-endpoint',
  'release-endpoint',
  'start-what-if',
  'stop-what-if',
  'resend-deliveries',
  'propose-action',
  'approve-action',
  'reject-action',
  'execute-action',
  'act-alone',
] as const;
export type OperatorAction = (typeof OPERATOR_ACTIONS)[number];

/** Recorded queries of the operator port, since they reveal orders and people. */
const OPERATOR_QUERIES = [
  'list-unknown',
  'find-orders',
  'show-order',
  'list-deliveries',
  'find-deliveries',
  'list-disputes',
  'list-activity',
  'list-cases',
  'list-orders',
  'order-trail',
  'order-evidence',
  'order-as-of',
  'order-difference',
  'order-why',
  'unknown-as-of',
  'configuration-in-force',
  'check-configuration',
  'order-steps',
  'read-feed',
  'what-if-orders',
  'case-effect',
  'show-event',
  'prove-event',
  'list-approvals',
  'show-approval',
] as const;
export type OperatorQuery = (typeof OPERATOR_QUERIES)[number];
/** Name bound into the ciphertext of a reveal's reason. */
export const REVEAL_REASON = 'reveal-reason';
/** The same of an action's. */
export const ACTION_REASON = 'action-reason';
const ANSWER_FORMATS = ['json', 'ndjson', 'csv', 'zip'] as const;

/** Refusals before a request is read: foreign `Host`, browser page, missing or unknown token, insufficient role, failed sign-in. */
export const REFUSAL_CAUSES = ['host', 'browser-page', 'credentials', 'role', 'sign-in'] as const;
export type RefusalCause = (typeof REFUSAL_CAUSES)[number];

/** Durable before the action. The envelope contains the operator and the claimed person. */
export type OperatorActionBegun = {
  readonly type: 'OperatorActionBegun';
  readonly data: {
    readonly actionId: string;
    readonly action: OperatorAction;
    readonly role: string;
    /** An orderid, card reference, merchant, gate or operator; or the id of a delivery, case or stream. */
    readonly target: string;
    /** The operator's, if no other event of the action has it. */
    readonly reason?: Sealed;
    readonly begunAt: Instant;
  };
};

/** `refused`: nothing to do; `failed`: not done; `unknown`: may have been done. If this event is missing, the process ended first. */
export type OperatorActionEnded = {
  readonly type: 'OperatorActionEnded';
  readonly data: {
    readonly actionId: string;
    readonly outcome: 'done' | 'refused' | 'failed' | 'unknown';
    readonly endedAt: Instant;
  };
};

/** Refusals with one cause, of one operator if the token was known. The first of a burst is recorded separately, the others are counted. */
type OperatorRequestsRefused = {
  readonly type: 'OperatorRequestsRefused';
  readonly data: {
    readonly cause: RefusalCause;
    readonly count: number;
    readonly firstAt: Instant;
    readonly lastAt: Instant;
  };
};

/** Durable before the answer is sent. The envelope contains the operator; `queryId` is its correlation. */
export type OperatorQueryAnswered = {
  readonly type: 'OperatorQueryAnswered';
  readonly data: {
    readonly queryId: string;
    readonly query: OperatorQuery;
    readonly role: string;
    /** An orderid, a case, or the stream of a single event; absent if the query concerned several orders, or none. */
    readonly target?: string;
    /** Names of the filters, without values. */
    readonly filters: readonly string[];
    /** Keyed, over filters and values: equal queries have equal digests, which reveal no value. */
    readonly digest: string;
    readonly format: (typeof ANSWER_FORMATS)[number];
    readonly rows: number;
    readonly revealed?: {
      readonly texts: number;
      /** The operator's reason. */
      readonly reason: Sealed;
    };
    readonly answeredAt: Instant;
  };
};

export type OperatorAuditEvent = OperatorActionBegun | OperatorActionEnded | OperatorQueryAnswered | OperatorRequestsRefused;

const OPERATOR_CATEGORY = 'operator';

/** One stream per process run; no other process writes to it. */
export const operatorStream = (bootId: string): StreamName => streamName(OPERATOR_CATEGORY, bootId);

export const operatorAuditCodec: EventCodec<OperatorAuditEvent> = eventCodec<OperatorAuditEvent>(OPERATOR_CATEGORY, {
  OperatorActionBegun: {
    version: 1,
    meaning: 'An operator, who is the actor, requested an action at the operator port. Stored before the action.',
    schema: f.object<OperatorActionBegun['data']>({
      actionId: f.id(),
      action: f.oneOf(...OPERATOR_ACTIONS),
      role: f.id(),
      target: f.id(),
      reason: f.optional(f.sealed()),
      begunAt: f.instant(),
    }),
  },
  OperatorActionEnded: {
    version: 1,
    meaning: 'The result of the action. `failed`: nothing changed. `unknown`: something may have changed.',
    schema: f.object<OperatorActionEnded['data']>({
      actionId: f.id(),
      outcome: f.oneOf('done', 'refused', 'failed', 'unknown'),
      endedAt: f.instant(),
    }),
  },
  OperatorQueryAnswered: {
    version: 1,
    meaning: 'An operator, who is the actor, queried orders or the configuration. Stored before the answer is sent.',
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
      'Requests at the operator port were refused, for one cause. The first gets its own event; those of the next minute share one. If a token identified an operator, the operator is the actor.',
    schema: f.object<OperatorRequestsRefused['data']>({
      cause: f.oneOf(...REFUSAL_CAUSES),
      count: f.int(),
      firstAt: f.instant(),
      lastAt: f.instant(),
    }),
  },
});
