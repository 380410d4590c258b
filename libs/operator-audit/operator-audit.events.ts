import type { Instant } from '@app/kernel';

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

/**
 * The reasons for which a request at the operator port is refused before it is read: a `Host` that is not ours, a page of a browser, no token or an
 * unknown one, a role without the right.
 */
export const REFUSAL_CAUSES = ['host', 'browser-page', 'credentials', 'role'] as const;
export type RefusalCause = (typeof REFUSAL_CAUSES)[number];

/** Durable before the action. The envelope names the operator, and the person for whom the caller claims to act. */
export type OperatorActionBegun = {
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
export type OperatorRequestsRefused = {
  readonly type: 'OperatorRequestsRefused';
  readonly data: {
    readonly cause: RefusalCause;
    readonly count: number;
    readonly firstAt: Instant;
    readonly lastAt: Instant;
  };
};

export type OperatorAuditEvent = OperatorActionBegun | OperatorActionEnded | OperatorRequestsRefused;
