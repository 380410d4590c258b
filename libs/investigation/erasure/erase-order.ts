import { type OrderKeyId, type CardVault, type OrderSealer, VaultUnavailable } from '@app/card-vault';
import { afterEffect, type StreamName, load, runDecision, type Actor, type Envelope, type EventStore } from '@app/event-store';
import type { CardHandle, CardRefId, Clock, Ids, MerchantLogin, Instant, Sealed } from '@app/kernel';
import {
  type ErasedCard,
  type ErasedOrder,
  erasure,
  type ErasureCause,
  type ErasureRequested,
  erasedCards,
  erasedTexts,
  type Erasure,
  type ErasureCommand,
  type ErasureRejection,
} from './domain/erasure';
import { erasureCodec, erasureStream } from './erasure.codec';

export type Obstacle = 'not-final' | 'follow-up-open' | 'callback-due' | 'dispute-open' | 'case-open';

export interface ErasableData extends ErasedOrder {
  readonly obstacles: readonly Obstacle[];
  /** Keys of its personal data and free text; excludes operators' reasons, which are evidence, and other orders' keys. */
  readonly texts: readonly OrderKeyId[];
  /** Cards first used by this order, with the references that charge them. A card given by reference belongs to another order. */
  readonly cards: readonly ErasedCard[];
}

export interface ErasableDataReader {
  /** Undefined if there is no such order. @throws StoreUnavailable, BrokenChain */
  of(stream: StreamName): Promise<ErasableData | undefined>;
}

/** Name bound into the ciphertext of an operator's reason. */
export const ERASURE_REASON = 'erasure-reason';

interface EraseOrderPorts {
  readonly store: EventStore;
  readonly erasableData: ErasableDataReader;
  readonly vault: Pick<CardVault, 'shred'> & Pick<OrderSealer, 'takeKey' | 'erase'>;
  /** Ends a reference whose card is erased. @throws StoreUnavailable, OutcomeUnknown */
  readonly references: { end(merchant: MerchantLogin, cardRefId: CardRefId, envelope: Envelope): Promise<unknown> };
  readonly clock: Clock;
  readonly ids: Ids;
}

export interface WantedErasure {
  readonly cause: ErasureCause;
  /** `cards` also ends their references. `texts` keeps the cards, and is refused while a reference is active. */
  readonly what: 'everything' | 'texts' | 'cards';
  readonly card?: CardHandle;
  /** Also erases a card that a reference charges. Otherwise such an order keeps its texts and its card. */
  readonly endsReferences?: boolean;
  /** An operator's; stored sealed, and readable after the erasure. */
  readonly reason?: string;
  readonly by: Actor;
}

export type ErasureAnswer =
  | { readonly reason: 'erased'; readonly requestId: string; readonly texts: number; readonly cards: number }
  | { readonly reason: 'obstructed'; readonly obstacles: readonly (Obstacle | 'card-reference-lives')[] }
  | { readonly reason: 'unknown-order' | 'under-legal-hold' | 'erased-before' };

/** `under-way`: a concurrent request got there first. */
type Asked =
  | { readonly request: ErasureRequested['data'] }
  | { readonly rejection: Exclude<ErasureAnswer, { readonly reason: 'erased' }> | { readonly reason: 'under-way' } };

const ROUNDS_MAX = 20;

/** The card may still be sent to a gate. */
const NEED_THE_CARD: readonly Obstacle[] = ['not-final', 'follow-up-open'];

export const obstaclesTo = (
  { what, endsReferences = false }: Pick<WantedErasure, 'what' | 'endsReferences'>,
  { obstacles, cards }: ErasableData,
): readonly (Obstacle | 'card-reference-lives')[] => {
  if (what === 'cards') return obstacles.filter((one) => NEED_THE_CARD.includes(one));
  const lives = !endsReferences && cards.some(({ references }) => references.length > 0);
  return lives ? [...obstacles, 'card-reference-lives'] : obstacles;
};

/** Destroys an order's card and text keys in the vault. The intent is made durable first; events are unchanged. */
export class EraseOrder {
  constructor(private readonly ports: EraseOrderPorts) {}

  async recordOf(orderStream: StreamName): Promise<Erasure> {
    return (await load(this.ports.store, erasureStream(orderStream), erasure, erasureCodec)).state;
  }

  /** @throws StoreUnavailable, VaultUnavailable: nothing was requested; OutcomeUnknown: a recorded request is completed later */
  async erase(orderStream: StreamName, wanted: WantedErasure): Promise<ErasureAnswer> {
    let finished: ErasureAnswer | undefined;
    for (let round = 0; round < ROUNDS_MAX; round++) {
      const before = await this.recordOf(orderStream);
      if (before.heldSince !== undefined) return { reason: 'under-legal-hold' };
      if (before.underWay !== undefined) {
        // A concurrent erasure may cover less than this one. Check what is left and continue.
        finished = await this.#done(before.underWay);
        continue;
      }
      const asked = await this.#ask(orderStream, before, wanted);
      if ('request' in asked) return afterEffect(() => this.#done(asked.request), VaultUnavailable);
      if (asked.rejection.reason === 'under-way') continue;
      return asked.rejection.reason === 'erased-before' && finished !== undefined ? finished : asked.rejection;
    }
    throw new Error(`${orderStream}: others asked for its erasure ${ROUNDS_MAX} times in between`);
  }

  async #ask(orderStream: StreamName, before: Erasure, wanted: WantedErasure): Promise<Asked> {
    const erasableData = await this.ports.erasableData.of(orderStream);
    if (erasableData === undefined) return { rejection: { reason: 'unknown-order' } };
    const left = leftOf(erasableData, before, wanted);
    if (left.texts.length === 0 && (wanted.what === 'texts' || left.cards.length === 0)) {
      await this.#destroyAgain(before, erasableData.merchant);
      return { rejection: { reason: 'erased-before' } };
    }
    const obstacles = obstaclesTo(wanted, left);
    if (obstacles.length > 0) return { rejection: { reason: 'obstructed', obstacles } };
    return this.#request(orderStream, wanted.what === 'texts' ? { ...left, cards: [] } : left, wanted);
  }

  /** Completes a recorded request, in any process. Does nothing if it is done. @throws as `erase` */
  async goOn(orderStream: StreamName): Promise<void> {
    const { underWay } = await this.recordOf(orderStream);
    if (underWay !== undefined) await this.#done(underWay);
  }

  async #request(
    orderStream: StreamName,
    { orderId, merchant, texts, cards }: ErasableData,
    { cause, reason, by }: WantedErasure,
  ): Promise<Asked> {
    const { store, vault, clock, ids } = this.ports;
    const requestId = ids.next();
    const sealed = reason === undefined ? undefined : (await vault.takeKey()).seal(merchant, ERASURE_REASON, reason);
    const named = { orderStream, orderId, merchant, requestId, cause, texts, cards, ...(sealed !== undefined && { reason: sealed }) };
    const result = await runDecision({
      store,
      codec: erasureCodec,
      decider: erasure,
      stream: erasureStream(orderStream),
      command: { type: 'RequestErasure', data: { ...named, now: clock.now() } },
      envelope: this.#envelope(requestId, merchant, by),
    });
    const { underWay } = result.state;
    if (underWay?.requestId === requestId) return { request: underWay };
    if (underWay !== undefined) return { rejection: { reason: 'under-way' } };
    const isHeld = result.kind === 'rejected' && result.rejection.reason === 'under-legal-hold';
    return { rejection: { reason: isHeld ? 'under-legal-hold' : 'erased-before' } };
  }

  /** Idempotent, also concurrently in two processes. References end first, or a gate's token would outlive the card. */
  async #done({ orderStream, merchant, requestId, texts, cards }: ErasureRequested['data']): Promise<ErasureAnswer> {
    const { store, vault, references, clock } = this.ports;
    const by = { actor: 'orchestrator' };
    for (const { handle, references: ended } of cards) {
      for (const cardRefId of ended) await references.end(merchant, cardRefId, this.#envelope(requestId, merchant, by));
      await vault.shred(merchant, handle);
    }
    if (texts.length > 0) await vault.erase(texts as readonly OrderKeyId[]);
    await runDecision({
      store,
      codec: erasureCodec,
      decider: erasure,
      stream: erasureStream(orderStream),
      command: { type: 'RecordErased', data: { requestId, now: clock.now() } },
      envelope: this.#envelope(requestId, merchant, by),
    });
    return { reason: 'erased', requestId, texts: texts.length, cards: cards.length };
  }

  /** A vault restored from a back-up can contain keys that are recorded as erased. */
  async #destroyAgain({ done }: Erasure, merchant: MerchantLogin): Promise<void> {
    const { vault } = this.ports;
    for (const { texts, cards } of done) {
      for (const handle of cards) await vault.shred(merchant, handle);
      if (texts.length > 0) await vault.erase(texts as readonly OrderKeyId[]);
    }
  }

  #envelope(requestId: string, merchant: MerchantLogin, by: Actor): Envelope {
    const { clock, ids } = this.ports;
    return { correlation: requestId, causation: requestId, ...by, merchant, commandId: ids.next(), recordedAt: clock.now() };
  }
}

const leftOf = (erasableData: ErasableData, before: Erasure, { what, card }: WantedErasure): ErasableData => {
  const [textsGone, cardsGone] = [erasedTexts(before), erasedCards(before)];
  const isLeft = (handle: CardHandle): boolean => !cardsGone.has(handle) && (card === undefined || card === handle);
  return {
    ...erasableData,
    texts: what === 'cards' ? [] : erasableData.texts.filter((key) => !textsGone.has(key)),
    cards: erasableData.cards.filter(({ handle }) => isLeft(handle)),
  };
};

/** Name bound into the ciphertext of a hold's reason. */
export const HOLD_REASON = 'legal-hold-reason';

interface LegalHoldsPorts {
  readonly store: EventStore;
  readonly sealer: Pick<OrderSealer, 'takeKey'>;
  readonly clock: Clock;
  readonly ids: Ids;
}

export type HoldAnswer = 'placed' | 'released' | ErasureRejection['reason'];

export class LegalHolds {
  constructor(private readonly ports: LegalHoldsPorts) {}

  place(order: ErasedOrder, reason: string, by: Actor): Promise<HoldAnswer> {
    return this.#decide(order, reason, by, 'placed', (sealed, now) => ({
      type: 'PlaceLegalHold',
      data: { ...order, reason: sealed, now },
    }));
  }

  release(order: ErasedOrder, reason: string, by: Actor): Promise<HoldAnswer> {
    return this.#decide(order, reason, by, 'released', (sealed, now) => ({ type: 'ReleaseLegalHold', data: { reason: sealed, now } }));
  }

  async #decide(
    { orderStream, merchant }: ErasedOrder,
    reason: string,
    by: Actor,
    done: 'placed' | 'released',
    command: (sealed: Sealed, now: Instant) => ErasureCommand,
  ): Promise<HoldAnswer> {
    const { store, sealer, clock, ids } = this.ports;
    const sealed = (await sealer.takeKey()).seal(merchant, HOLD_REASON, reason);
    const now = clock.now();
    const commandId = ids.next();
    const result = await runDecision({
      store,
      codec: erasureCodec,
      decider: erasure,
      stream: erasureStream(orderStream as StreamName),
      command: command(sealed, now),
      envelope: { correlation: commandId, causation: commandId, ...by, merchant, commandId, recordedAt: now },
    });
    return result.kind === 'appended' ? done : result.rejection.reason;
  }
}
