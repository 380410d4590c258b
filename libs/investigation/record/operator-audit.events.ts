import type { Instant, Sealed } from '@app/kernel';
import { eventCodec, f, streamName, type EventCodec, type StreamName } from '@app/event-store';

/** The actions of the operator port that change something. */
export const OPERATOR_ACTIONS = [
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
] as const;
export type OperatorAction = (typeof OPERATOR_ACTIONS)[number];

/** The questions of the operator port that are on record, because they tell of orders and people. */
const OPERATOR_QUERIES = [
  'list-unknown',
  'find-orders',
  'show-order',
  'list-deliveries',
  'list-cases',
  'list-orders',
  'order-trail',
  'order-evidence',
  'order-as-of',
  'order-difference',
  'order-why',
  'unknown-as-of',
  'configuration-in-force',
] as const;
export type OperatorQuery = (typeof OPERATOR_QUERIES)[number];
/** Name under which a person's grounds for a reveal are sealed; bound into the ciphertext. */
export const REVEAL_REASON = 'reveal-reason';
const ANSWER_FORMATS = ['json', 'ndjson', 'csv', 'zip'] as const;

/**
 * The reasons for which a request at the operator port is refused before it is read: a `Host` that is not ours, a page of a browser, no token or an
 * unknown one, a role without the right.
 */
export const REFUSAL_CAUSES = ['host', 'browser-page', 'credentials', 'role'] as const;
export type RefusalCause = (typeof REFUSAL_CAUSES)[number];

/** Durable before the action. The envelope names the operator, and the person for whom the caller claims to act. */
type OperatorActionBegun = {
  readonly type: 'OperatorActionBegun';
  readonly data: {
    readonly actionId: string;
    readonly action: OperatorAction;
    /** The operator's role at that time. */
    readonly role: string;
    /** An orderid, a card reference, the id of a delivery or of a case, the name of a stream, of a gate or of a merchant. */
    readonly target: string;
    readonly begunAt: Instant;
  };
};

/**
 * `refused`: there was nothing to do; `failed`: nothing was done; `unknown`: it may have been done. Where this event is missing the process ended
 * first.
 */
export type OperatorActionEnded = {
  readonly type: 'OperatorActionEnded';
  readonly data: {
    readonly actionId: string;
    readonly outcome: 'done' | 'refused' | 'failed' | 'unknown';
    readonly endedAt: Instant;
  };
};

/** Requests refused for one cause, of one operator where a token named one; the first of a burst by itself, those that follow it counted. */
type OperatorRequestsRefused = {
  readonly type: 'OperatorRequestsRefused';
  readonly data: {
    readonly cause: RefusalCause;
    readonly count: number;
    readonly firstAt: Instant;
    readonly lastAt: Instant;
  };
};

/** Durable before the answer leaves. The envelope names the operator; `queryId` is its correlation. */
export type OperatorQueryAnswered = {
  readonly type: 'OperatorQueryAnswered';
  readonly data: {
    readonly queryId: string;
    readonly query: OperatorQuery;
    /** The operator's role at that time. */
    readonly role: string;
    /** An orderid; absent where the question was of many orders, or of none. */
    readonly target?: string;
    /** What the question was narrowed by, without the values. */
    readonly filters: readonly string[];
    /** Keyed, over the filters and their values: the same question has the same one, and no value can be told from it. */
    readonly digest: string;
    readonly format: (typeof ANSWER_FORMATS)[number];
    /** Rows of the answer. */
    readonly rows: number;
    /** Present where what is sealed was shown. */
    readonly revealed?: {
      /** Texts that were shown. */
      readonly texts: number;
      /** A person's grounds. */
      readonly reason: Sealed;
    };
    readonly answeredAt: Instant;
  };
};

export type OperatorAuditEvent = OperatorActionBegun | OperatorActionEnded | OperatorQueryAnswered | OperatorRequestsRefused;

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
