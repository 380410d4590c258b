import type { Clock } from '@app/kernel';
import type { OrderSealer } from '@app/card-vault';
import { StoreUnavailable, type StreamName } from '@app/event-store';
import { SEALED_FIELDS } from '../domain';
import type { OrderContexts } from './order-context';
import type { OrderRecorder } from './order-recorder';

/** Rounds of load, decide, append: the reactors of the same follow-up may be writing. */
const ROUNDS_MAX = 20;

export interface FollowUpSettlement {
  readonly reason: 'settled' | 'nothing-new' | 'not-unknown';
}

/** A person's word on a follow-up whose outcome the gate does not tell; as final as the gate's. */
export class SettleFollowUp {
  constructor(
    private readonly contexts: OrderContexts,
    private readonly recorder: OrderRecorder,
    private readonly sealer: OrderSealer,
    private readonly clock: Clock,
  ) {}

  /**
   * `nothing-new` where the order has no such follow-up, `not-unknown` where it is final, or the gate may still be on its way to answer.
   * @param number of the follow-up within its order
   * @param because what it rests on, in the person's words; kept sealed
   * @param actor who says so; stands in the event's metadata
   * @throws StoreUnavailable, VaultUnavailable nothing was stored; OutcomeUnknown; Error where the stream has no order
   */
  async settle(
    stream: StreamName,
    number: number,
    as: 'approved' | 'declined',
    because: string,
    actor: string,
  ): Promise<FollowUpSettlement> {
    for (let round = 0; round < ROUNDS_MAX; round++) {
      const open = await this.contexts.open(stream);
      if (open.processing.followUps[number - 1] === undefined) return { reason: 'nothing-new' };
      const reason = (await this.sealer.takeKey()).seal(open.order.merchant, SEALED_FIELDS.settlementReason, because);
      const command = { type: 'SettleFollowUp' as const, data: { number, as, reason, now: this.clock.now() } };
      const claim = await this.recorder.claim(open, command, actor);
      if (claim.kind === 'appended') return { reason: 'settled' };
      if (claim.kind === 'refused') return { reason: 'not-unknown' };
    }
    throw new StoreUnavailable(`${stream}: another was faster ${ROUNDS_MAX} times`);
  }
}
