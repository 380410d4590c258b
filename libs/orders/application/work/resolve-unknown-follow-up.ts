import type { Clock } from '@app/kernel';
import type { OrderSealer } from '@app/card-vault';
import type { Actor, StreamName } from '@app/event-store';
import { SEALED_FIELDS, type DeviceOrderRejection } from '../../domain';
import type { OpenOrder, OrderContexts } from '../order-context';
import type { OrderRecorder } from '../order-recorder';

export type FollowUpResolution =
  /** The order with the outcome recorded. */
  | { readonly kind: 'resolved'; readonly order: OpenOrder }
  /** `nothing-to-resolve` where the order has no such follow-up or its outcome is known, `flight-not-over` where the gate may answer any moment. */
  | { readonly kind: 'refused'; readonly reason: DeviceOrderRejection['reason'] };

interface ResolveUnknownFollowUpPorts {
  readonly contexts: OrderContexts;
  readonly recorder: OrderRecorder;
  readonly sealer: Pick<OrderSealer, 'takeKey'>;
  readonly clock: Clock;
}

/** Records a person's decision on a follow-up whose outcome the gate does not report; as final as the gate's answer (safety, I2). */
export class ResolveUnknownFollowUp {
  constructor(private readonly ports: ResolveUnknownFollowUpPorts) {}

  /**
   * @param number the follow-up's number within its order
   * @param reason the person's grounds; kept sealed
   * @param by the person; the actor of what is appended
   * @throws Error where the stream is no order; StoreUnavailable, VaultUnavailable, OutcomeUnknown
   */
  async resolve(
    stream: StreamName,
    {
      number,
      as,
      reason,
      by,
    }: { readonly number: number; readonly as: 'approved' | 'declined'; readonly reason: string; readonly by: Actor },
  ): Promise<FollowUpResolution> {
    const open = await this.ports.contexts.open(stream);
    if (open.processing.followUps[number - 1] === undefined) return { kind: 'refused', reason: 'nothing-to-resolve' };
    const key = await this.ports.sealer.takeKey();
    const sealed = key.seal(open.order.merchant, SEALED_FIELDS.settlementReason, reason);
    const claim = await this.ports.recorder.claimWithRetries(
      open,
      () => ({ type: 'ResolveUnknownFollowUp', data: { number, as, reason: sealed, now: this.ports.clock.now() } }),
      { by },
    );
    return claim.kind === 'appended' ? { kind: 'resolved', order: claim.order } : { kind: 'refused', reason: claim.rejection.reason };
  }
}
