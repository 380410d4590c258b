import { Secret, type Random, type Scheduler, addMs, type Clock, type GateAlias, type Monotonic } from '@app/kernel';
import type { OrderSealer } from '@app/card-vault';
import { traceparentOf } from '@app/event-store';
import type { CallLimit, ChoiceAnswer, Gates } from '@app/gateway-adapters/contract';
import { longestFlightMsOf, SEALED_FIELDS, LEAVES_WITHIN_MS } from '../../domain';
import { callInTime } from '../gates/call-in-time';
import type { InFlightCalls } from '../gates/in-flight-calls';
import { gateCall, type GateCall } from '../gates/gate-caller';
import { sentAttempt } from '../gates/sent-requests';
import type { OpenOrder, OrderRejection } from '../order-context';
import type { OrderRecorder } from '../order-recorder';
import type { NamedRequest } from '../acceptance/accept-order';

/** The app waits as long; a gate without an answer by then gets inquiries as usual. */
export const CHOICE_TIMEOUT_MS = 10_000;

interface TellFeeChoicePorts {
  readonly gates: Pick<Gates, 'gate'>;
  readonly sealer: Pick<OrderSealer, 'unseal'>;
  readonly underWay: Pick<InFlightCalls, 'hold' | 'release'>;
  readonly scheduler: Scheduler;
  readonly random: Pick<Random, 'bytes'>;
  readonly onAdapterError: (error: unknown, call: GateCall) => void;
}

type GateSession = Secret<string>;

/** Sends the fee choice to its gate. The answer is not recorded: afterwards only inquiries decide (architecture, rule 4). */
export class TellFeeChoice {
  constructor(private readonly ports: TellFeeChoicePorts) {}

  /**
   * Opened before the choice is recorded, so that an unavailable vault leaves the order unchanged; undefined if its key was erased.
   * @throws VaultUnavailable
   */
  async session({ order, processing: { device } }: OpenOrder): Promise<GateSession | undefined> {
    if (device?.status !== 'gate-fee-offered') return undefined;
    const text = await this.ports.sealer.unseal(order.merchant, SEALED_FIELDS.gateSession, device.session);
    return text === undefined ? undefined : new Secret(text);
  }

  /** Only for the process that recorded the choice, and once; never rejects. */
  async tell(open: OpenOrder, session: GateSession): Promise<void> {
    const { attempts, device } = open.processing;
    if (device?.status !== 'gate-fee-chosen' || attempts.status === 'none') return;
    const { gates, underWay, scheduler, random, onAdapterError } = this.ports;
    const { key, gate } = attempts;
    const { option } = device.chosen;
    const about = gateCall(open, gate, { task: 'choose' });
    const call = async (limit: CallLimit): Promise<ChoiceAnswer> => {
      const { choosing } = gates.gate(gate);
      return choosing === undefined
        ? { kind: 'not-asked', cause: 'refused-by-gate' }
        : choosing.choose(sentAttempt(open, attempts), { option, session }, limit);
    };
    const released = (): void => underWay.release(key, longestFlightMsOf(open.processing, gate));
    underWay.hold(key);
    const outcome = await callInTime({
      scheduler,
      timeoutMs: CHOICE_TIMEOUT_MS,
      call,
      traceparent: () => traceparentOf({ correlation: about.serial, callerTrace: about.callerTrace }, random),
    });
    if (outcome.kind === 'late') return void outcome.ending.then(released);
    released();
    if (outcome.kind === 'failed') onAdapterError(outcome.error, about);
  }
}

export type FeeChoice =
  { readonly kind: 'chosen'; readonly order: OpenOrder } | { readonly kind: 'refused'; readonly reason: OrderRejection['reason'] };

interface ChooseFeePorts {
  readonly recorder: Pick<OrderRecorder, 'claimWithRetries'>;
  readonly telling: Pick<TellFeeChoice, 'session' | 'tell'>;
  readonly clock: Clock;
  readonly monotonic: Monotonic;
}

/**
 * Records the consumer's choice; of concurrent ones one counts (interface, section 3.2: Complete transfer; safety, T39). Only the process that
 * recorded it sends it to a gate.
 */
export class ChooseFee {
  constructor(private readonly ports: ChooseFeePorts) {}

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
    // Other processes count the flight from the choice's moment.
    const isYoung = monotonic.elapsedMs() - claimedMs <= LEAVES_WITHIN_MS && clock.now() <= addMs(device.chosenAt, LEAVES_WITHIN_MS);
    if (isYoung) await telling.tell(order, session);
    return { kind: 'chosen', order };
  }
}
