import type { StreamName, WorkChange } from '@app/event-store';
import { unreachable } from '@app/kernel';
import type { ErasureEvent } from './domain/erasure.events';

/** The members of an event that the fold uses. */
export interface ErasureNews {
  readonly event: ErasureEvent;
}

const LANE = 'erasure';

/** The memory of who finishes erasures: what was requested is due at once, until it is on record as done (architecture, rule 9). */
export const erasureWork = ({ event }: ErasureNews): readonly WorkChange[] => {
  switch (event.type) {
    case 'ErasureRequested': {
      const { requestId, orderStream, merchant, requestedAt } = event.data;
      const stream = orderStream as StreamName;
      return [{ kind: 'due', item: { key: requestId, stream, task: 'erase', dueAt: requestedAt, merchant, lane: LANE } }];
    }
    case 'Erased':
      return [{ kind: 'done', key: event.data.requestId }];
    case 'LegalHoldPlaced':
    case 'LegalHoldReleased':
      return [];
    default:
      return unreachable(event);
  }
};
