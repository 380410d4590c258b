import { eventCodec, f, type EventCodec } from '@app/event-store';
import type { RandomSumDigest, RandomSumWithdrawn } from '../domain';
import { RANDOM_SUM_CATEGORY } from './random-sum.stream';

type Withdrawn = RandomSumWithdrawn['data'];

export const randomSumCodec: EventCodec<RandomSumWithdrawn> = eventCodec<RandomSumWithdrawn>(RANDOM_SUM_CATEGORY, {
  RandomSumWithdrawn: {
    version: 1,
    meaning:
      'A verification withdrew a random sum from this card and refunded it; its holder may be asked for it, and the sum itself is stored nowhere.',
    schema: f.object<Withdrawn>({
      orderId: f.id<Withdrawn['orderId']>(),
      sum: f.hash<RandomSumDigest>(),
      withdrawnAt: f.instant(),
    }),
  },
});
