import type { CardUid, MerchantLogin, Money } from '@app/kernel';
import type { ServiceDigests } from '@app/card-vault';
import { load, runDecision, type Envelope, type EventStore } from '@app/event-store';
import { randomSum, randomSumResult, type RandomSumDigest, type RandomSumResult, type RandomSumWithdrawn } from '../../domain';
import { randomSumCodec } from '../../random-sum.codec';
import { randomSumStream } from '../../random-sum.stream';

/** Of the minor units alone: the statement on which the cardholder reads them may be in another currency's name (interface, section 4.6). */
export const randomSumDigest = (
  digests: Pick<ServiceDigests, 'onceKey'>,
  merchant: MerchantLogin,
  uid: CardUid,
  { minor }: Money,
): RandomSumDigest => digests.onceKey('randomSum', [merchant, uid, minor.toString()]) as RandomSumDigest;

/** What verifications withdrew from a merchant's cards, and whether who holds a card knows it (protocol decisions, section 7; safety, T36). */
export class RandomSums {
  constructor(
    private readonly store: EventStore,
    private readonly digests: Pick<ServiceDigests, 'onceKey'>,
  ) {}

  /** Twice is once. @throws StoreUnavailable, OutcomeUnknown */
  async record(merchant: MerchantLogin, uid: CardUid, data: RandomSumWithdrawn['data'], envelope: Envelope): Promise<void> {
    const stream = randomSumStream(merchant, uid);
    const command = { type: 'RecordRandomSum' as const, data };
    await runDecision({ store: this.store, codec: randomSumCodec, decider: randomSum, stream, command, envelope });
  }

  /** Undefined where nothing was withdrawn, or told. @throws StoreUnavailable */
  async resultOf(merchant: MerchantLogin, uid: CardUid, told: Money | undefined): Promise<RandomSumResult | undefined> {
    if (told === undefined) return undefined;
    const { state } = await load(this.store, randomSumStream(merchant, uid), randomSum, randomSumCodec);
    return randomSumResult(state, randomSumDigest(this.digests, merchant, uid, told));
  }
}
