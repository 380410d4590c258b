import type { Decider, Instant, NonEmpty, OrderId } from '@app/kernel';
import type { RandomSumDigest } from '../attempt.events';
import type { RandomSumResult } from '../device.events';

/** The cardholder has to report the newest sum (protocol decisions, section 7). */
export type RandomSumWithdrawn = {
  readonly type: 'RandomSumWithdrawn';
  readonly data: {
    readonly orderId: OrderId;
    /** A digest: the sum itself is stored nowhere. */
    readonly sum: RandomSumDigest;
    readonly withdrawnAt: Instant;
  };
};

export interface RecordRandomSum {
  readonly type: 'RecordRandomSum';
  readonly data: RandomSumWithdrawn['data'];
}

/** Undefined if nothing was withdrawn from the card. */
export type NewestRandomSum = RandomSumWithdrawn['data'] | undefined;

/** After a crash a withdrawal may be recorded again; an older one does not replace a newer one. */
export const randomSum: Decider<RecordRandomSum, RandomSumWithdrawn, NewestRandomSum, { readonly reason: 'nothing-new' }> = {
  initial: undefined,
  evolve: (_before, event) => event.data,
  decide: ({ data }, newest): NonEmpty<RandomSumWithdrawn> | { readonly reason: 'nothing-new' } =>
    newest !== undefined && (newest.orderId === data.orderId || newest.withdrawnAt >= data.withdrawnAt)
      ? { reason: 'nothing-new' }
      : [{ type: 'RandomSumWithdrawn', data }],
};

/** Undefined if nothing was withdrawn from the card, or no sum was reported. */
export const randomSumResult = (newest: NewestRandomSum, reported: RandomSumDigest | undefined): RandomSumResult | undefined => {
  if (newest === undefined || reported === undefined) return undefined;
  return newest.sum === reported ? 'AUTHENTICATED' : 'NOT_AUTHENTICATED';
};
