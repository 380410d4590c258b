import type { OrderSealer } from '@app/card-vault';
import { runDecision, type Actor, type EventStore, type StreamName } from '@app/event-store';
import type { Clock, Ids, Instant, Sealed } from '@app/kernel';
import { erasure, type ErasureCommand, type ErasureRejection } from './domain/erasure.decide';
import type { ErasedOrder } from './domain/erasure.events';
import { erasureCodec } from './erasure.codec';
import { erasureStream } from './erasure.stream';

/** Name under which the reason of a hold is sealed; bound into the ciphertext. */
export const HOLD_REASON = 'legal-hold-reason';

export interface LegalHoldsPorts {
  readonly store: EventStore;
  readonly sealer: Pick<OrderSealer, 'takeKey'>;
  readonly clock: Clock;
  readonly ids: Ids;
}

export type HoldAnswer = 'placed' | 'released' | ErasureRejection['reason'];

/** Keeps orders from being erased, and lets them go. */
export class LegalHolds {
  constructor(private readonly ports: LegalHoldsPorts) {}

  /** @throws StoreUnavailable, OutcomeUnknown, VaultUnavailable */
  place(order: ErasedOrder, reason: string, by: Actor): Promise<HoldAnswer> {
    return this.#decide(order, reason, by, 'placed', (sealed, now) => ({
      type: 'PlaceLegalHold',
      data: { ...order, reason: sealed, now },
    }));
  }

  /** @throws StoreUnavailable, OutcomeUnknown, VaultUnavailable */
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
