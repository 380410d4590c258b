import type { Clock } from '@app/kernel';
import type { OrderSealer } from '@app/card-vault';
import type { Actor, StreamName } from '@app/event-store';
import { SEALED_FIELDS, type DeviceOrderRejection } from '../../domain';
import type { OpenOrder, OrderContexts } from '../../order/application/order-context';
import type { OrderRecorder } from '../../order/application/order-recorder';

export type FollowUpSettlement =
  /** The order as it stands now. */
  | { readonly kind: 'settled'; readonly order: OpenOrder }
  /** `nothing-to-settle` where the order has no such follow-up or it is no longer open, `flight-not-over` where the gate's own word may be near. */
  | { readonly kind: 'refused'; readonly reason: DeviceOrderRejection['reason'] };

/** A person's word on a follow-up whose outcome the gate does not tell; as final as the gate's (safety, I2). */
export class ResolveUnknownFollowUp {
  constructor(
    private readonly contexts: OrderContexts,
    private readonly recorder: OrderRecorder,
    private readonly sealer: Pick<OrderSealer, 'takeKey'>,
    private readonly clock: Clock,
  ) {}

  /**
   * @param number of the follow-up within its order
   * @param reason what it rests on, in the person's words; kept sealed
   * @param by who says so; the actor of what is appended
   * @throws Error where the stream is no order; StoreUnavailable, VaultUnavailable, OutcomeUnknown
   */
  async settle(stream: StreamName, number: number, as: 'approved' | 'declined', reason: string, by: Actor): Promise<FollowUpSettlement> {
    const open = await this.contexts.open(stream);
    if (open.processing.followUps[number - 1] === undefined) return { kind: 'refused', reason: 'nothing-to-settle' };
    const key = await this.sealer.takeKey();
    const sealed = key.seal(open.order.merchant, SEALED_FIELDS.settlementReason, reason);
    const claim = await this.recorder.insist(
      open,
      () => ({ type: 'ResolveUnknownFollowUp', data: { number, as, reason: sealed, now: this.clock.now() } }),
      by,
    );
    return claim.kind === 'appended' ? { kind: 'settled', order: claim.order } : { kind: 'refused', reason: claim.rejection.reason };
  }
}
