import { unreachable } from '@app/kernel';
import { DELIVERED_STATUS, type EgressOutcome } from '@app/http/client';
import type { TryFailure } from '../domain/delivery.events';

export type TryResult =
  | { readonly kind: 'delivered'; readonly status: number }
  | { readonly kind: 'failed'; readonly failure: TryFailure }
  /** The service itself sent nothing: the merchant is not at fault, and no try is counted. */
  | { readonly kind: 'not-sent'; readonly cause: 'overloaded' | 'closed' };

const failed = (failure: TryFailure): TryResult => ({ kind: 'failed', failure });

/** The result of a call for the delivery. `isAcknowledged` checks the body of an answer with the right status; a callback needs the status alone. */
export const tryResultOf = (outcome: EgressOutcome, isAcknowledged: (body: string) => boolean = () => true): TryResult => {
  switch (outcome.kind) {
    case 'answered':
      if (outcome.status !== DELIVERED_STATUS) return failed({ cause: 'answered', status: outcome.status });
      return isAcknowledged(outcome.body ?? '') ? { kind: 'delivered', status: outcome.status } : failed({ cause: 'not-acknowledged' });
    case 'refused-target':
      return failed({ cause: 'refused-target', reason: outcome.reason });
    case 'connection-failed':
      return failed({ cause: 'connection-failed', code: outcome.code });
    case 'timed-out':
    case 'answer-too-large':
    case 'answer-malformed':
      return failed({ cause: outcome.kind });
    case 'not-sent':
      return outcome.cause === 'malformed-request' ? failed({ cause: outcome.cause }) : { kind: 'not-sent', cause: outcome.cause };
    default:
      return unreachable(outcome);
  }
};
