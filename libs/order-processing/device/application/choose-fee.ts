import type { Clock, GateAlias } from '@app/kernel';
import type { OpenOrder, OrderRejection } from '../../order/application/order-context';
import type { OrderRecorder } from '../../order/application/order-recorder';
import type { NamedRequest } from '../../order/application/accept-order';

export type FeeChoice =
  | { readonly kind: 'chosen'; readonly order: OpenOrder }
  /** `fee-not-awaited`, `fee-not-offered`, `choice-too-late` or `order-final`. */
  | { readonly kind: 'refused'; readonly reason: OrderRejection['reason'] };

/** Records the consumer's choice among the gates' fees (interface, section 3.2: Complete transfer); of several at once one counts (safety, T39). */
export class ChooseFee {
  constructor(
    private readonly recorder: OrderRecorder,
    private readonly clock: Clock,
  ) {}

  /** @throws StoreUnavailable, OutcomeUnknown */
  async choose(open: OpenOrder, gate: GateAlias, { serial, callerTrace, deadline }: NamedRequest): Promise<FeeChoice> {
    const asked = { correlation: serial, callerTrace, causation: serial };
    const claim = await this.recorder.claimWithRetries(
      open,
      () => ({ type: 'ChooseFee', data: { gate, now: this.clock.now() } }),
      { actor: open.order.merchant },
      asked,
      deadline,
    );
    return claim.kind === 'appended' ? { kind: 'chosen', order: claim.order } : { kind: 'refused', reason: claim.rejection.reason };
  }
}
