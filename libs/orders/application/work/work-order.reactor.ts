import { BoundedMap, type Clock, type Instant, type Monotonic, addMs, unreachable } from '@app/kernel';
import type { StreamName } from '@app/event-store';
import { nextStep, SUBMIT_OVERDUE_MS } from '../../domain';
import type { ConcludeOrder } from './conclude-order';
import { type CallsUnderWay, workLane } from '../gates/calls-under-way';
import { attemptFlight, type InquireAttempt } from '../gates/inquire-attempt';
import type { OpenOrder, OrderContexts } from '../order-context';
import type { OrderRecorder } from '../order-recorder';
import { aboutOrder, OrderWorkFailed } from '../order-work-failed';
import type { SubmitAttempt } from '../gates/submit-attempt';

const AWAITED_MAX = 10_000;

/**
 * Decides whether a wait is over where the wall clock cannot, because it was set back behind the moment at which the wait began: this process then
 * counts from when it first saw that.
 */
export class MonotonicWait {
  readonly #since = new BoundedMap<string, number>(AWAITED_MAX);

  constructor(
    private readonly clock: Clock,
    private readonly monotonic: Monotonic,
  ) {}

  /** @param beganAt by the wall clock of that time */
  isOver(key: string, beganAt: Instant, waitMs: number): boolean {
    if (this.clock.now() >= beganAt) {
      this.#since.delete(key);
      return false;
    }
    const nowMs = this.monotonic.elapsedMs();
    const sinceMs = this.#since.get(key);
    if (sinceMs === undefined) {
      this.#since.set(key, nowMs);
      return false;
    }
    if (nowMs - sinceMs < waitMs) return false;
    this.#since.delete(key);
    return true;
  }
}

/**
 * How often an order is checked that waits for a person or for the process that holds its CVV: it may move on unnoticed while the next check is being
 * written down, and the clock may be set.
 */
const WAIT_CHECK_MS = 60_000;
/** How often work is checked that waits for room while calls that ran past their time fill the gate's. */
export const ROOM_CHECK_MS = 30_000;

/** The next inquiry, or the moment at which this process may believe a "not found", where that is known and comes first. */
export const inquireAgainAt = (dueAt: Instant, now: Instant, waitsMs: number | undefined): Instant => {
  const believableAt = waitsMs === undefined || waitsMs === 0 ? dueAt : addMs(now, Math.ceil(waitsMs) + 1);
  return believableAt < dueAt ? believableAt : dueAt;
};

interface WorkOrderPorts {
  readonly contexts: OrderContexts;
  readonly recorder: OrderRecorder;
  readonly submitting: SubmitAttempt;
  readonly inquiring: InquireAttempt;
  readonly concluding: ConcludeOrder;
  readonly underWay: CallsUnderWay;
  readonly patience: MonotonicWait;
  readonly clock: Clock;
  /** True where the process that holds an order's CVV is known to be gone. */
  readonly isHolderGone: (bootId: string) => boolean;
}

/** Does what an order waits for, if it is due. The wake-up says no more than that; what to do is read from the order's own stream. */
export class WorkOrder {
  constructor(private readonly ports: WorkOrderPorts) {}

  /**
   * Returns when the order is to be worked on again; nothing where it is done, and where an event of its own makes it due, because the next attempt
   * waits in the lane of its own gate.
   * @throws OrderWorkFailed, and what the store throws where the order cannot be read
   */
  async work(stream: StreamName): Promise<Instant | undefined> {
    const open = await this.ports.contexts.open(stream);
    try {
      return await this.workOn(open);
    } catch (error) {
      throw new OrderWorkFailed(aboutOrder(open), error);
    }
  }

  private async workOn(open: OpenOrder): Promise<Instant | undefined> {
    if (this.isGateFull(open)) return addMs(this.ports.clock.now(), ROOM_CHECK_MS);
    const after = await this.takeStep(open);
    const now = this.ports.clock.now();
    const next = nextStep(after.processing, now);
    if (next.task === 'nothing' || next.task === 'submit') return undefined;
    if (next.task === 'inquire') return inquireAgainAt(next.dueAt, now, this.flightWaitsMs(after));
    const latest = addMs(now, WAIT_CHECK_MS);
    return next.dueAt > latest ? latest : next.dueAt;
  }

  private takeStep(open: OpenOrder): Promise<OpenOrder> {
    const step = nextStep(open.processing, this.ports.clock.now());
    switch (step.task) {
      case 'nothing':
        return Promise.resolve(open);
      case 'submit':
        return this.ports.submitting.submit(open);
      case 'inquire':
        return this.ports.inquiring.inquire(open);
      case 'interrupt':
        return this.interrupt(open);
      case 'decline-absent-payer':
        return this.declineAbsentPayer(open);
      case 'decline-absent-choice':
        return this.isChoiceOrphan(open) ? this.interrupt(open) : this.declineAbsentChoice(open);
      case 'conclude':
        return this.ports.concluding.conclude(open);
      default:
        return unreachable(step);
    }
  }

  /** Calls that run past their time at the gate leave no room for more. */
  private isGateFull({ order: { merchant }, processing }: OpenOrder): boolean {
    const { due } = processing;
    if (due === undefined || nextStep(processing, this.ports.clock.now()).task !== 'submit') return false;
    return !this.ports.underWay.hasRoomIn(workLane(merchant, due.gate));
  }

  private flightWaitsMs(open: OpenOrder): number | undefined {
    const { attempts } = open.processing;
    if (attempts.status !== 'started' && attempts.status !== 'unknown' && attempts.status !== 'payer-returned') return undefined;
    return this.ports.underWay.waitsMs(attempts.key, attemptFlight(open, attempts));
  }

  /** True where the CVV is certainly lost. */
  private isOrphan({ order: { plan } }: OpenOrder): boolean {
    return plan.cvvHolder !== undefined && this.ports.isHolderGone(plan.cvvHolder);
  }

  /** A gate that offers its fees has the CVV. */
  private isChoiceOrphan(open: OpenOrder): boolean {
    return open.processing.device?.status === 'fee-offered' && this.isOrphan(open);
  }

  private async interrupt(open: OpenOrder): Promise<OpenOrder> {
    const { due } = open.processing;
    const isOver = due !== undefined && this.ports.patience.isOver(open.stream, due.since, SUBMIT_OVERDUE_MS);
    const data = { now: this.ports.clock.now(), isHolderGone: isOver || this.isOrphan(open) };
    const claim = await this.ports.recorder.claim(open, { type: 'InterruptOrder', receiptId: this.ports.recorder.receiptId(), data });
    return claim.kind === 'appended' ? claim.order : open;
  }

  private async declineAbsentPayer(open: OpenOrder): Promise<OpenOrder> {
    const { attempts } = open.processing;
    if (attempts.status !== 'payer-needed') return open;
    const { payerMs } = open.order.plan;
    const isTimeOver = this.ports.patience.isOver(open.stream, addMs(attempts.payerDueAt, -payerMs), payerMs);
    const data = { key: attempts.key, now: this.ports.clock.now(), isTimeOver };
    const claim = await this.ports.recorder.claim(open, { type: 'DeclineAbsentPayer', receiptId: this.ports.recorder.receiptId(), data });
    return claim.kind === 'appended' ? claim.order : open;
  }

  private async declineAbsentChoice(open: OpenOrder): Promise<OpenOrder> {
    const { plan, device } = open.processing;
    const feeChoiceMs = plan.device?.feeChoiceMs;
    if ((device?.status !== 'fee-offered' && device?.status !== 'gate-fee-offered') || feeChoiceMs === undefined) return open;
    const isTimeOver = this.ports.patience.isOver(open.stream, addMs(device.choiceDueAt, -feeChoiceMs), feeChoiceMs);
    const isOver = isTimeOver || this.ports.clock.now() >= device.choiceDueAt;
    // A gate that has the attempt may have ended it by itself; its word goes before ours.
    const asked = device.status === 'gate-fee-offered' && isOver ? await this.ports.inquiring.inquire(open) : open;
    const claim = await this.ports.recorder.claim(asked, {
      type: 'DeclineAbsentChoice',
      data: { now: this.ports.clock.now(), isTimeOver },
    });
    return claim.kind === 'appended' ? claim.order : asked;
  }
}
