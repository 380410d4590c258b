import type { AttemptKey, Clock } from '@app/kernel';
import type { OrderSealer } from '@app/card-vault';
import type { Actor, Revision, StreamName } from '@app/event-store';
import { SEALED_FIELDS, type AttemptSettled, type DeviceOrderRejection } from '../../domain';
import type { OpenOrder, OrderCommand, OrderContexts } from '../order-context';
import type { OrderRecorder } from '../order-recorder';

type OutcomeResolution =
  /** Final, or approved and about to be concluded (device interface). */
  | { readonly kind: 'resolved'; readonly order: OpenOrder }
  /** `another-attempt`: a different one is open. `flight-not-over`: the gate may answer any moment. */
  | { readonly kind: 'refused'; readonly reason: DeviceOrderRejection['reason'] | 'order-moved' };

interface ResolveUnknownOutcomePorts {
  readonly contexts: OrderContexts;
  readonly recorder: OrderRecorder;
  readonly sealer: Pick<OrderSealer, 'takeKey'>;
  readonly clock: Clock;
}

const ORDER_MOVED = { kind: 'refused', reason: 'order-moved' } as const;

/**
 * Records an operator's decision on an open outcome. It ends the order without a further cascade (safety, I2). A contradicting answer of the gate is
 * recorded as a late conflict.
 */
export class ResolveUnknownOutcome {
  constructor(private readonly ports: ResolveUnknownOutcomePorts) {}

  /**
   * @param reason kept sealed
   * @param by the actor of the events
   * @param meant absent for whichever attempt is open
   * @param at the only revision of the order at which it is recorded; absent for any
   * @throws Error if the stream is no order; StoreUnavailable, VaultUnavailable, OutcomeUnknown
   */
  async resolve(
    stream: StreamName,
    {
      as,
      reason,
      by,
      meant,
      at,
    }: {
      readonly as: AttemptSettled['data']['as'];
      readonly reason: string;
      readonly by: Actor;
      readonly meant?: AttemptKey | undefined;
      readonly at?: Revision | undefined;
    },
  ): Promise<OutcomeResolution> {
    const open = await this.ports.contexts.open(stream);
    if (at !== undefined && open.revision !== at) return ORDER_MOVED;
    const { attempts } = open.processing;
    if (attempts.status === 'none')
      return { kind: 'refused', reason: open.processing.end === undefined ? 'nothing-to-resolve' : 'order-final' };
    // Another gate may have been asked since.
    if (meant !== undefined && attempts.key !== meant) return { kind: 'refused', reason: 'another-attempt' };
    const key = await this.ports.sealer.takeKey();
    const sealed = key.seal(open.order.merchant, SEALED_FIELDS.settlementReason, reason);
    const command = (): OrderCommand => ({
      type: 'ResolveAttempt',
      receiptId: this.ports.recorder.receiptId(),
      data: { key: attempts.key, as, reason: sealed, now: this.ports.clock.now() },
    });
    const { recorder } = this.ports;
    const claim = at === undefined ? await recorder.claimWithRetries(open, command, { by }) : await recorder.claim(open, command(), { by });
    if (claim.kind === 'conflict') return ORDER_MOVED;
    return claim.kind === 'appended' ? { kind: 'resolved', order: claim.order } : { kind: 'refused', reason: claim.rejection.reason };
  }
}

type FollowUpResolution =
  | { readonly kind: 'resolved'; readonly order: OpenOrder }
  /** `flight-not-over`: the gate may answer any moment. */
  | { readonly kind: 'refused'; readonly reason: DeviceOrderRejection['reason'] | 'order-moved' };

interface ResolveUnknownFollowUpPorts {
  readonly contexts: OrderContexts;
  readonly recorder: OrderRecorder;
  readonly sealer: Pick<OrderSealer, 'takeKey'>;
  readonly clock: Clock;
}

/** Records an operator's decision, as final as the gate's answer (safety, I2). */
export class ResolveUnknownFollowUp {
  constructor(private readonly ports: ResolveUnknownFollowUpPorts) {}

  /**
   * @param reason kept sealed
   * @param by the actor of the events
   * @param at the only revision of the order at which it is recorded; absent for any
   * @throws Error if the stream is no order; StoreUnavailable, VaultUnavailable, OutcomeUnknown
   */
  async resolve(
    stream: StreamName,
    {
      number,
      as,
      reason,
      by,
      at,
    }: {
      readonly number: number;
      readonly as: 'approved' | 'declined';
      readonly reason: string;
      readonly by: Actor;
      readonly at?: Revision | undefined;
    },
  ): Promise<FollowUpResolution> {
    const open = await this.ports.contexts.open(stream);
    if (at !== undefined && open.revision !== at) return ORDER_MOVED;
    if (open.processing.followUps[number - 1] === undefined) return { kind: 'refused', reason: 'nothing-to-resolve' };
    const key = await this.ports.sealer.takeKey();
    const sealed = key.seal(open.order.merchant, SEALED_FIELDS.settlementReason, reason);
    const command = (): OrderCommand => ({
      type: 'ResolveUnknownFollowUp',
      data: { number, as, reason: sealed, now: this.ports.clock.now() },
    });
    const { recorder } = this.ports;
    const claim = at === undefined ? await recorder.claimWithRetries(open, command, { by }) : await recorder.claim(open, command(), { by });
    if (claim.kind === 'conflict') return ORDER_MOVED;
    return claim.kind === 'appended' ? { kind: 'resolved', order: claim.order } : { kind: 'refused', reason: claim.rejection.reason };
  }
}
