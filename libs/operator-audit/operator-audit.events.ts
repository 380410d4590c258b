import type { Instant } from '@app/kernel';

/** What changes something, of all that the operator port can be asked for. */
export const OPERATOR_ACTIONS = ['settle-unknown', 'resend-delivery', 'unpark-stream'] as const;
export type OperatorAction = (typeof OPERATOR_ACTIONS)[number];

/**
 * Why a request at the operator port was refused before anybody looked at what it wanted: a `Host` that is none of ours, a page of a browser, no token
 * or one that nobody has, a role that may not.
 */
export const REFUSAL_CAUSES = ['host', 'browser-page', 'credentials', 'role'] as const;
export type RefusalCause = (typeof REFUSAL_CAUSES)[number];

/** Durable before anything is done. The envelope names the operator, and whom the caller claims to be. */
export type OperatorActionBegun = {
  readonly type: 'OperatorActionBegun';
  readonly data: {
    readonly actionId: string;
    readonly action: OperatorAction;
    /** As the operator had it then. */
    readonly role: string;
    /** An orderid, the id of a delivery or the name of a stream. */
    readonly target: string;
    readonly begunAt: Instant;
  };
};

/** `refused`: nothing was to be done there; `failed`: nothing was done; `unknown`: it may have been done. No end at all: the process ended first. */
export type OperatorActionEnded = {
  readonly type: 'OperatorActionEnded';
  readonly data: {
    readonly actionId: string;
    readonly outcome: 'done' | 'refused' | 'failed' | 'unknown';
    readonly endedAt: Instant;
  };
};

/** Requests that were refused for one cause, of one operator where a token told which; the first of a spell by itself, those that follow it counted. */
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
