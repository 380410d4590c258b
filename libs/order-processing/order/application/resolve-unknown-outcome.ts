import type { Clock } from '@app/kernel';
import type { OrderSealer } from '@app/card-vault';
import type { Actor, StreamName } from '@app/event-store';
import { SEALED_FIELDS, type AttemptSettled, type DeviceOrderRejection } from '../../domain';
import type { OpenOrder, OrderContexts } from './order-context';
import type { OrderRecorder } from './order-recorder';

export type Settled =
  /** The order as it stands now: final, or approved and about to be concluded (device interface). */
  | { readonly kind: 'settled'; readonly order: OpenOrder }
  /** `order-final`, `nothing-to-settle` where no outcome is open, `flight-not-over` where the gate's own word may be a moment away. */
  | { readonly kind: 'refused'; readonly reason: DeviceOrderRejection['reason'] };

/**
 * A person says what became of an attempt that the gate leaves open (safety, I2): the order ends with that, and no cascade goes on from it. A word
 * of the gate that contradicts it later is recorded as one that contradicts the gate's own.
 */
export class ResolveUnknownOutcome {
  constructor(
    private readonly contexts: OrderContexts,
    private readonly recorder: OrderRecorder,
    private readonly sealer: Pick<OrderSealer, 'takeKey'>,
    private readonly clock: Clock,
  ) {}

  /**
   * @param reason what it rests on, in the person's words; kept sealed
   * @param by who says so; the actor of what is appended
   * @throws Error where the stream is no order; StoreUnavailable, VaultUnavailable, OutcomeUnknown
   */
  async settle(stream: StreamName, as: AttemptSettled['data']['as'], reason: string, by: Actor): Promise<Settled> {
    const open = await this.contexts.open(stream);
    const { attempts } = open.processing;
    if (attempts.status === 'none')
      return { kind: 'refused', reason: open.processing.end === undefined ? 'nothing-to-settle' : 'order-final' };
    const key = await this.sealer.takeKey();
    const sealed = key.seal(open.order.merchant, SEALED_FIELDS.settlementReason, reason);
    const claim = await this.recorder.insist(
      open,
      () => ({
        type: 'SettleAttempt',
        receiptId: this.recorder.receiptId(),
        data: { key: attempts.key, as, reason: sealed, now: this.clock.now() },
      }),
      by,
    );
    return claim.kind === 'appended' ? { kind: 'settled', order: claim.order } : { kind: 'refused', reason: claim.rejection.reason };
  }
}
