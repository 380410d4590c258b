import type { CardUid, MerchantLogin } from '@app/kernel';
import { streamName, type StreamName, eventCodec, f, type EventCodec } from '@app/event-store';
import type { RandomSumDigest, RandomSumWithdrawn } from '../domain';

const RANDOM_SUM_CATEGORY = 'randomSum';

export const randomSumStream = (merchant: MerchantLogin, uid: CardUid): StreamName => streamName(RANDOM_SUM_CATEGORY, merchant, uid);

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
