import { addMs, type Clock, type GateAlias, type Monotonic } from '@app/kernel';
import { LEAVES_WITHIN_MS } from '../../domain';
import type { OpenOrder, OrderRejection } from '../order-context';
import type { OrderRecorder } from '../order-recorder';
import type { NamedRequest } from '../acceptance/accept-order';
import type { TellFeeChoice } from './tell-fee-choice';

export type FeeChoice =
  | { readonly kind: 'chosen'; readonly order: OpenOrder }
  /** `fee-not-awaited`, `fee-not-offered`, `choice-too-late` or `order-final`. */
  | { readonly kind: 'refused'; readonly reason: OrderRejection['reason'] };

export interface ChooseFeePorts {
  readonly recorder: Pick<OrderRecorder, 'claimWithRetries'>;
  readonly telling: Pick<TellFeeChoice, 'session' | 'tell'>;
  readonly clock: Clock;
  readonly monotonic: Monotonic;
}

/**
 * Records the consumer's choice among the gates' fees (interface, section 3.2: Complete transfer); of several at once one counts (safety, T39). A gate
 * that offered fees of its own is told by whoever recorded the choice, and by nobody else.
 */
export class ChooseFee {
  constructor(private readonly ports: ChooseFeePorts) {}

  /** @throws StoreUnavailable, OutcomeUnknown, VaultUnavailable */
  async choose(open: OpenOrder, gate: GateAlias, { serial, callerTrace, deadline }: NamedRequest): Promise<FeeChoice> {
    const { recorder, telling, clock, monotonic } = this.ports;
    const session = await telling.session(open);
    const asked = { correlation: serial, callerTrace, causation: serial };
    let claimedMs = monotonic.elapsedMs();
    const claim = await recorder.claimWithRetries(
      open,
      () => {
        claimedMs = monotonic.elapsedMs();
        return { type: 'ChooseFee', data: { gate, now: clock.now() } };
      },
      { by: { actor: open.order.merchant }, asked, deadline },
    );
    if (claim.kind !== 'appended') return { kind: 'refused', reason: claim.rejection.reason };
    const { order } = claim;
    const { device } = order.processing;
    if (session === undefined || device?.status !== 'gate-fee-chosen') return { kind: 'chosen', order };
    // Others count what leaves from the moment that the choice names: later than that nothing may.
    const isYoung = monotonic.elapsedMs() - claimedMs <= LEAVES_WITHIN_MS && clock.now() <= addMs(device.chosenAt, LEAVES_WITHIN_MS);
    if (isYoung) await telling.tell(order, session);
    return { kind: 'chosen', order };
  }
}
