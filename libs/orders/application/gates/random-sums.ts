import type { CardUid, MerchantLogin, Money } from '@app/kernel';
import type { ServiceDigests } from '@app/card-vault';
import { load, runDecision, type Envelope, type EventStore } from '@app/event-store';
import { randomSum, randomSumResult, type RandomSumDigest, type RandomSumResult, type RandomSumWithdrawn } from '../../domain';
import { randomSumCodec, randomSumStream } from '../../events/random-sum.codec';

/** Covers only the minor units, because the cardholder's statement may use another currency (interface, section 4.6). */
export const randomSumDigest = (
  digests: Pick<ServiceDigests, 'onceKey'>,
  { merchant, uid, amount: { minor } }: { readonly merchant: MerchantLogin; readonly uid: CardUid; readonly amount: Money },
): RandomSumDigest => digests.onceKey('randomSum', [merchant, uid, minor.toString()]) as RandomSumDigest;

/** Records withdrawn sums; the cardholder has to know the newest (protocol decisions, section 7; safety, T36). */
export class RandomSums {
  constructor(
    private readonly store: EventStore,
    private readonly digests: Pick<ServiceDigests, 'onceKey'>,
  ) {}

  /**
   * Idempotent.
   * @throws StoreUnavailable, OutcomeUnknown
   */
  async record({
    merchant,
    uid,
    data,
    envelope,
  }: {
    readonly merchant: MerchantLogin;
    readonly uid: CardUid;
    readonly data: RandomSumWithdrawn['data'];
    readonly envelope: Envelope;
  }): Promise<void> {
    const stream = randomSumStream(merchant, uid);
    const command = { type: 'RecordRandomSum' as const, data };
    await runDecision({ store: this.store, codec: randomSumCodec, decider: randomSum, stream, command, envelope });
  }

  /**
   * Undefined if nothing was withdrawn, or no sum was reported.
   * @throws StoreUnavailable
   */
  async resultOf(merchant: MerchantLogin, uid: CardUid, reported: Money | undefined): Promise<RandomSumResult | undefined> {
    if (reported === undefined) return undefined;
    const { state } = await load(this.store, randomSumStream(merchant, uid), randomSum, randomSumCodec);
    return randomSumResult(state, randomSumDigest(this.digests, { merchant, uid, amount: reported }));
  }
}
