import type { CardUid, MerchantLogin } from '@app/kernel';
import { streamName, type StreamName } from '@app/event-store';

export const RANDOM_SUM_CATEGORY = 'randomSum';

/** One stream for each card number of a merchant. */
export const randomSumStream = (merchant: MerchantLogin, uid: CardUid): StreamName => streamName(RANDOM_SUM_CATEGORY, merchant, uid);
