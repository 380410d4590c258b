import type { EventStore, Position } from '@app/event-store';
import { ORDER_STATUS_CATEGORIES } from '@app/projections';

/** `missing`: never built; `behind`: the log holds events of orders that are not in it yet. */
export type IndexState = 'level' | 'behind' | 'missing';

/** Compares the index of orders with the log, by the first event that it has not folded. */
export const indexState = async (log: Pick<EventStore, 'subscribe'>, checkpoint: Position | undefined): Promise<IndexState> => {
  if (checkpoint === undefined) return 'missing';
  const subscription = log.subscribe([...ORDER_STATUS_CATEGORIES], checkpoint);
  try {
    for await (const item of subscription) {
      if (item.kind === 'event') return 'behind';
      if (item.kind === 'caught-up') return 'level';
    }
    return 'behind';
  } finally {
    await subscription.cancel();
  }
};

/** Shown beside the results, or in place of saying that nothing was found. */
export const INDEX_MESSAGES: Readonly<Record<Exclude<IndexState, 'level'>, string>> = {
  missing: 'the index of orders was never built: what it alone names (cards, serial numbers, receipts, references of gates) is not found',
  behind:
    'the index of orders is behind the log: what it alone names (cards, serial numbers, receipts, references of gates) may be missing',
};
