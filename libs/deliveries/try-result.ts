import { unreachable } from '@app/kernel';
import type { TryFailure } from './domain/delivery.events';
import { DELIVERED_STATUS, type EgressOutcome } from '@app/egress';

export type TryResult =
  | { readonly kind: 'delivered'; readonly status: number }
  | { readonly kind: 'failed'; readonly failure: TryFailure }
  /** Our own side let nothing out, which says nothing of the merchant and takes none of its tries. */
  | { readonly kind: 'not-sent'; readonly cause: 'overloaded' | 'closed' };

const failed = (failure: TryFailure): TryResult => ({ kind: 'failed', failure });

/** What a call out means for the delivery. `isAcknowledged` says of an answer's body what more than the status it takes; a callback takes no more. */
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
