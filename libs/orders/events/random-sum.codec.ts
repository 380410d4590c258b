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
      'A verification charged this card a random sum and refunded it. The cardholder can be asked for the sum. Only its digest is stored.',
    schema: f.object<Withdrawn>({
      orderId: f.id<Withdrawn['orderId']>(),
      sum: f.hash<RandomSumDigest>(),
      withdrawnAt: f.instant(),
    }),
  },
});
