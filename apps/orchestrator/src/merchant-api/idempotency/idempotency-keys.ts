import { sleep, type ContentDigest, type Instant, type MerchantLogin, type Scheduler } from '@app/kernel';
import type { ServiceDigests } from '@app/card-vault';
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
import { VaultUnavailable } from '@app/card-vault';
import { requestEnvelope, type NamedRequest } from '@app/order-processing';
import type { AdmittedRequest } from '../admitted-request';
import { refused, type Accepted, type Answer, type Answered, type KeyedAnswer } from '../answers/answer';
import { contentParts } from '../orders/content';
import type { KeyedTranslation } from '../translation';
import { KeyedMutex } from './keyed-mutex';

const KIND = 'idempotencyKey';
/** Rivals whose requests were refused one after the other while this one waited. */
const ROUNDS_MAX = 20;
const LOOK_GAP_MIN_MS = 10;
const LOOK_GAP_MAX_MS = 250;

export interface IdempotencyKeysPorts {
  readonly store: EventStore;
  readonly digests: ServiceDigests;
  readonly scheduler: Scheduler;
  /** How long a request with a key may be under way in another process; after that it is thought to have died with it. 0 where there is none. */
  readonly underWayMs: number;
  /** What went wrong where the answer is right all the same. */
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
 * One change for one Idempotency-Key, per merchant and operation (protocol decisions, section 10). The key is claimed durably by the request's
 * serial before anything is decided, and freed where the request is refused. Whoever repeats it goes on under that serial: it makes the same event
 * ids, so that an append which "succeeds" may be the other's, and what is answered is read from the log afterwards (architecture, rules 2 and 3).
 */
export class IdempotencyKeys {
  readonly #turns = new KeyedMutex();

  constructor(private readonly ports: IdempotencyKeysPorts) {}

  /**
   * Performs a request; one that came before under its Idempotency-Key is answered as it was then.
   * @throws StoreUnavailable, VaultUnavailable: nothing was accepted; OutcomeUnknown: perhaps it was, and the same request again will tell
   */
  perform<Message extends object>(request: AdmittedRequest<Message>, translation: KeyedTranslation<Message>): Promise<Answered> {
    const { idempotencyKey, operation, merchant, entryPoint, message, amountMinor } = request;
    if (idempotencyKey === undefined) return translation.perform(request);
    request.deadline.mayAppendUnseen();
    const { digests } = this.ports;
    const keyHash = digests.onceKey(KIND, [merchant.login, operation, idempotencyKey]);
    const contentDigest = digests.contentDigest(contentParts(operation, entryPoint, message, amountMinor));
    return this.#turns.take(keyHash, () => this.inTurn({ keyHash, contentDigest, request, translation }));
  }

  private async inTurn<Message extends object>(keyed: Keyed<Message>): Promise<KeyedAnswer> {
    const { keyHash, contentDigest, request } = keyed;
    const { merchant, serial, receivedAt, deadline } = request;
    const store = storeWithin(this.ports.store, deadline);
    for (let round = 0; round < ROUNDS_MAX; round++) {
      const envelope = envelopeOf(merchant.login, request, `claim.${round}`, receivedAt);
      const claim = await claimUnique(store, KIND, keyHash, serial, envelope, contentDigest);
      if (typeof claim === 'string') return this.first(keyed);
      if (claim.contentDigest !== contentDigest) return { answer: refused('client-orderid-reused', KEY_REUSED), serial };
      const repeated = await this.repeat(keyed, claim.takenBy);
      if (repeated !== undefined) return repeated;
    }
    throw new StoreUnavailable(`an Idempotency-Key was claimed and freed ${ROUNDS_MAX} times`);
  }

  private async first<Message extends object>(keyed: Keyed<Message>): Promise<KeyedAnswer> {
    const { request, translation } = keyed;
    const { serial } = request;
    let answer: Answer;
    try {
      answer = await translation.perform(request);
    } catch (error) {
      if (error instanceof StoreUnavailable || error instanceof VaultUnavailable) await this.release(keyed);
      throw error;
    }
    if (answer.kind === 'accepted') return { answer: await this.asItStands(keyed, request, answer), serial };
    await this.release(keyed);
    return { answer, serial };
  }

  /** Undefined where the owner was refused meanwhile and the key is free again. */
  private async repeat<Message extends object>(keyed: Keyed<Message>, owner: string): Promise<KeyedAnswer | undefined> {
    const { request, translation } = keyed;
    const asOwner = { ...request, serial: owner };
    const existing = await this.settled(keyed, asOwner);
    if (existing === 'free') return undefined;
    if (existing?.isOfThisRequest === true) return { answer: existing.accepted, serial: owner };
    // Of an order that another request made the handler reads its answer; of what nobody made, this one goes on.
    const answer = await translation.perform(asOwner);
    if (answer.kind !== 'accepted') return { answer, serial: request.serial };
    return { answer: await this.asItStands(keyed, asOwner, answer), serial: owner };
  }

  /** What stands in the log, once the owner is done or thought dead: undefined where nothing does and this one goes on in its name. */
  private async settled<Message extends object>({ keyHash, request, translation }: Keyed<Message>, asOwner: AdmittedRequest<Message>) {
    const { scheduler, underWayMs } = this.ports;
    const { merchant, receivedAt, deadline } = request;
    const store = storeWithin(this.ports.store, deadline);
    let waitedMs = 0;
    for (let look = 1; ; look++) {
      const existing = await translation.existing(asOwner);
      if (existing !== undefined) return existing;
      if (waitedMs >= underWayMs) break;
      if ((await claimHolder(store, KIND, keyHash))?.owner !== asOwner.serial) return 'free' as const;
      const gapMs = Math.min(backOffMs(look, LOOK_GAP_MIN_MS, LOOK_GAP_MAX_MS), underWayMs - waitedMs);
      await sleep(scheduler, gapMs);
      waitedMs += gapMs;
    }
    const envelope = envelopeOf(merchant.login, request, 'go-on', receivedAt);
    return (await continueClaim(store, KIND, keyHash, asOwner.serial, envelope)) ? undefined : ('free' as const);
  }

  private async asItStands<Message extends object>(
    { translation }: Keyed<Message>,
    request: AdmittedRequest<Message>,
    answer: Accepted,
  ): Promise<Accepted> {
    try {
      const existing = await translation.existing(request);
      return existing?.isOfThisRequest === true ? existing.accepted : answer;
    } catch (error) {
      // Something was accepted: nobody may be told that nothing was.
      throw error instanceof StoreUnavailable ? new OutcomeUnknown('accepted, and not read again') : error;
    }
  }

  /** A key that stays claimed for nothing only makes the next one go on in this one's name. */
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

/** A command id for each append to the key's stream: the serial alone belongs to the order's. */
const envelopeOf = (merchant: MerchantLogin, request: NamedRequest, step: string, at: Instant) => ({
  ...requestEnvelope(merchant, request, at),
  commandId: `${request.serial}.${step}`,
});
