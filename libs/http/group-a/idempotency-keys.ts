import { KeyedMutex, sleep, type ContentDigest, type Instant, type MerchantLogin, type Scheduler } from '@app/kernel';
import {
  backOffMs,
  claimUnique,
  continueClaim,
  claimHolder,
  OutcomeUnknown,
  releaseClaim,
  storeWithin,
  StoreUnavailable,
  type EventStore,
} from '@app/event-store';
import { VaultUnavailable, type ServiceDigests } from '@app/card-vault';
import { requestEnvelope, type NamedRequest } from '@app/orders';
import type { AdmittedRequest, KeyedTranslation } from './translation';
import { refused, type Accepted, type Answer, type Answered, type KeyedAnswer } from './answer';
import { contentParts } from './content';

const KIND = 'idempotencyKey';
/** A request gives up after this many owners of the key were refused. */
const ROUNDS_MAX = 20;
const POLL_GAP_MIN_MS = 10;
const POLL_GAP_MAX_MS = 250;

export interface IdempotencyKeysPorts {
  readonly store: EventStore;
  readonly digests: ServiceDigests;
  readonly scheduler: Scheduler;
  /**
   * How long a repeat waits for the first request in another process; then it presumes a crash. 0 with a single
   * process.
   */
  readonly ownerWaitMs: number;
  readonly onError: (request: NamedRequest, error: unknown) => void;
}

interface Keyed<Message extends object> {
  readonly keyHash: string;
  readonly contentDigest: ContentDigest;
  readonly request: AdmittedRequest<Message>;
  readonly translation: KeyedTranslation<Message>;
}

const KEY_REUSED = 'Idempotency-Key was used with other parameters';

/**
 * Makes one change per Idempotency-Key, merchant and operation (protocol decisions, D10.7). The key is claimed durably
 * first. A repeat runs under the owner's serial, so it makes the same event ids (architecture, rules 2 and 3).
 */
export class IdempotencyKeys {
  readonly #mutex = new KeyedMutex();

  constructor(private readonly ports: IdempotencyKeysPorts) {}

  /**
   * Performs a request, or repeats the first response under its key.
   * @throws StoreUnavailable, VaultUnavailable if nothing was accepted; OutcomeUnknown if something may have been,
   * which a repeat resolves
   */
  perform<Message extends object>(request: AdmittedRequest<Message>, translation: KeyedTranslation<Message>): Promise<Answered> {
    const { idempotencyKey, operation, merchant, entryPoint, message, amountMinor } = request;
    if (idempotencyKey === undefined) return translation.perform(request);
    request.deadline.mayAppendUnseen();
    const { digests } = this.ports;
    const keyHash = digests.onceKey(KIND, [merchant.login, operation, idempotencyKey]);
    const contentDigest = digests.contentDigest(contentParts(operation, entryPoint, message, amountMinor));
    return this.#mutex.take(keyHash, () => this.performOrRepeat({ keyHash, contentDigest, request, translation }));
  }

  private async performOrRepeat<Message extends object>(keyed: Keyed<Message>): Promise<KeyedAnswer> {
    const { keyHash, contentDigest, request } = keyed;
    const { merchant, serial, receivedAt, deadline } = request;
    const store = storeWithin(this.ports.store, deadline);
    for (let round = 0; round < ROUNDS_MAX; round++) {
      const envelope = envelopeOf(merchant.login, request, `claim.${round}`, receivedAt);
      const claim = await claimUnique(store, KIND, keyHash, serial, envelope, contentDigest);
      if (typeof claim === 'string') return this.performFirst(keyed);
      if (claim.contentDigest !== contentDigest) return { answer: refused('client-orderid-reused', KEY_REUSED), serial };
      const repeated = await this.repeatAnswer(keyed, claim.takenBy);
      if (repeated !== undefined) return repeated;
    }
    throw new StoreUnavailable(`an Idempotency-Key was claimed and freed ${ROUNDS_MAX} times`);
  }

  private async performFirst<Message extends object>(keyed: Keyed<Message>): Promise<KeyedAnswer> {
    const { request, translation } = keyed;
    const { serial } = request;
    let answer: Answer;
    try {
      answer = await translation.perform(request);
    } catch (error) {
      if (error instanceof StoreUnavailable || error instanceof VaultUnavailable) await this.release(keyed);
      throw error;
    }
    if (answer.kind === 'accepted') return { answer: await this.readBack(keyed, request, answer), serial };
    await this.release(keyed);
    return { answer, serial };
  }

  private async repeatAnswer<Message extends object>(keyed: Keyed<Message>, owner: string): Promise<KeyedAnswer | undefined> {
    const { request, translation } = keyed;
    const asOwner = { ...request, serial: owner };
    const existing = await this.awaitOwner(keyed, asOwner);
    if (existing === 'free') return undefined;
    if (existing?.isOfThisRequest === true) return { answer: existing.accepted, serial: owner };
    // Finds the order if an earlier request made it without this key. Otherwise it makes the order for the owner.
    const answer = await translation.perform(asOwner);
    if (answer.kind !== 'accepted') return { answer, serial: request.serial };
    return { answer: await this.readBack(keyed, asOwner, answer), serial: owner };
  }

  /**
   * Waits until the owner finishes or is presumed dead. Undefined if the owner left nothing in the log, so this request
   * continues for it.
   */
  private async awaitOwner<Message extends object>({ keyHash, request, translation }: Keyed<Message>, asOwner: AdmittedRequest<Message>) {
    const { scheduler, ownerWaitMs } = this.ports;
    const { merchant, receivedAt, deadline } = request;
    const store = storeWithin(this.ports.store, deadline);
    let waitedMs = 0;
    for (let poll = 1; ; poll++) {
      const existing = await translation.findExisting(asOwner);
      if (existing !== undefined) return existing;
      if (waitedMs >= ownerWaitMs) break;
      if ((await claimHolder(store, KIND, keyHash))?.owner !== asOwner.serial) return 'free' as const;
      const gapMs = Math.min(backOffMs(poll, POLL_GAP_MIN_MS, POLL_GAP_MAX_MS), ownerWaitMs - waitedMs);
      await sleep(scheduler, gapMs);
      waitedMs += gapMs;
    }
    const envelope = envelopeOf(merchant.login, request, 'go-on', receivedAt);
    return (await continueClaim(store, KIND, keyHash, asOwner.serial, envelope)) ? undefined : ('free' as const);
  }

  private async readBack<Message extends object>(
    { translation }: Keyed<Message>,
    request: AdmittedRequest<Message>,
    answer: Accepted,
  ): Promise<Accepted> {
    try {
      const existing = await translation.findExisting(request);
      return existing?.isOfThisRequest === true ? existing.accepted : answer;
    } catch (error) {
      // Code 20 would be wrong, because it means that nothing was accepted.
      throw error instanceof StoreUnavailable ? new OutcomeUnknown('accepted, and not read again') : error;
    }
  }

  /** A failure is only reported: the next request then continues under this serial. */
  private async release<Message extends object>({ keyHash, request }: Keyed<Message>): Promise<void> {
    const { merchant, serial, receivedAt, deadline } = request;
    try {
      const store = storeWithin(this.ports.store, deadline);
      await releaseClaim(store, KIND, keyHash, serial, requestEnvelope(merchant.login, request, receivedAt));
    } catch (error) {
      this.ports.onError(request, error);
    }
  }
}

/** Each append needs a different command id, and the order's append uses the serial. */
const envelopeOf = (merchant: MerchantLogin, request: NamedRequest, step: string, at: Instant) => ({
  ...requestEnvelope(merchant, request, at),
  commandId: `${request.serial}.${step}`,
});
