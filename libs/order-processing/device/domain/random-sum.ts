import type { Decider, Instant, NonEmpty, OrderId } from '@app/kernel';
import type { RandomSumDigest } from '../../attempts/domain/attempt.events';
import type { RandomSumResult } from './device.events';

/** A verification withdrew a random sum from this card and gave it back; the newest is what its holder is asked for (protocol decisions, section 7). */
export type RandomSumWithdrawn = {
  readonly type: 'RandomSumWithdrawn';
  readonly data: {
    readonly orderId: OrderId;
    /** The sum itself stands nowhere. */
    readonly sum: RandomSumDigest;
    /** The gate's own time. */
    readonly withdrawnAt: Instant;
  };
};

export interface RecordRandomSum {
  readonly type: 'RecordRandomSum';
  readonly data: RandomSumWithdrawn['data'];
}

/** Of one card of one merchant; undefined where nothing was withdrawn. */
export type NewestRandomSum = RandomSumWithdrawn['data'] | undefined;

/** Recorded again after a crash, when another verification may have come between: what is older does not come back. */
export const randomSum: Decider<RecordRandomSum, RandomSumWithdrawn, NewestRandomSum, { readonly reason: 'nothing-new' }> = {
  initial: undefined,
  evolve: (_before, event) => event.data,
  decide: ({ data }, newest): NonEmpty<RandomSumWithdrawn> | { readonly reason: 'nothing-new' } =>
    newest !== undefined && (newest.orderId === data.orderId || newest.withdrawnAt >= data.withdrawnAt)
      ? { reason: 'nothing-new' }
      : [{ type: 'RandomSumWithdrawn', data }],
};

/** Undefined where nothing was withdrawn from the card, or told of it. */
export const randomSumResult = (newest: NewestRandomSum, told: RandomSumDigest | undefined): RandomSumResult | undefined => {
  if (newest === undefined || told === undefined) return undefined;
  return newest.sum === told ? 'AUTHENTICATED' : 'NOT_AUTHENTICATED';
};
