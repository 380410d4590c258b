import { BoundedMap, type Clock, type Instant, type Monotonic, addMs, unreachable } from '@app/kernel';
import type { StreamName } from '@app/event-store';
import { nextStep, SUBMIT_OVERDUE_MS } from '../../domain';
import type { ConcludeOrder } from './conclude-order';
import { type InFlightCalls, workLane } from '../gates/in-flight-calls';
import { attemptFlight, type InquireAttempt } from '../gates/inquire-attempt';
import type { OpenOrder, OrderContexts } from '../order-context';
import type { OrderRecorder } from '../order-recorder';
import { aboutOrder, OrderWorkFailed } from '../order-work-failed';
import type { SubmitAttempt } from '../gates/submit-attempt';

const AWAITED_MAX = 10_000;

/** Ends waits by monotonic time if the wall clock was set back before the wait began. */
export class MonotonicWait {
  readonly #since = new BoundedMap<string, number>(AWAITED_MAX);

  constructor(
    private readonly clock: Clock,
    private readonly monotonic: Monotonic,
  ) {}

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

/** The order may change unnoticed, and the clock may be set. */
const WAIT_CHECK_MS = 60_000;
export const ROOM_CHECK_MS = 30_000;

/** Earlier if this process may believe a "not found" before the next inquiry. */
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
  readonly underWay: InFlightCalls;
  readonly patience: MonotonicWait;
  readonly clock: Clock;
  /** Returns true only if the process is known to be gone. */
  readonly isHolderGone: (bootId: string) => boolean;
}

/** Executes an order's due work item. The wake-up names only the order; its stream decides what to do. */
export class WorkOrder {
  constructor(private readonly ports: WorkOrderPorts) {}

  /**
   * Returns when to work on the order again; undefined if it is done or an event of its stream schedules it.
   * @throws OrderWorkFailed, and store errors if the order cannot be read
   */
  async work(stream: StreamName): Promise<Instant | undefined> {
    const delivered = await this.ports.contexts.openDelivered(stream);
    const isCopy = delivered !== undefined && this.isCopyEnough(delivered);
    const open = isCopy ? delivered : await this.ports.contexts.open(stream);
    try {
      return await this.workOn(open, isCopy);
    } catch (error) {
      throw new OrderWorkFailed(aboutOrder(open), error);
    }
  }

  private async workOn(open: OpenOrder, isCopy = false): Promise<Instant | undefined> {
    if (this.isGateFull(open)) return addMs(this.ports.clock.now(), ROOM_CHECK_MS);
    const after = await this.takeStep(open);
    // Another process was first, or the order cannot be claimed: only the stream shows it.
    if (isCopy && after === open && open.processing.end === undefined) return this.workOn(await this.ports.contexts.open(open.stream));
    const now = this.ports.clock.now();
    const next = nextStep(after.processing, now);
    if (next.task === 'nothing' || next.task === 'submit') return undefined;
    if (next.task === 'inquire') return inquireAgainAt(next.dueAt, now, this.flightWaitsMs(after));
    const latest = addMs(now, WAIT_CHECK_MS);
    return next.dueAt > latest ? latest : next.dueAt;
  }

  /** Whether the order has ended, or the step claims it by its exact revision before it calls anyone. */
  private isCopyEnough({ processing }: OpenOrder): boolean {
    if (processing.end !== undefined) return true;
    return nextStep(processing, this.ports.clock.now()).task === 'submit' && processing.device?.status !== 'unchecked';
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

  private isOrphan({ order: { plan } }: OpenOrder): boolean {
    return plan.cvvHolder !== undefined && this.ports.isHolderGone(plan.cvvHolder);
  }

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
    // The gate may already have ended this attempt. Its result takes precedence over our timeout.
    const asked = device.status === 'gate-fee-offered' && isOver ? await this.ports.inquiring.inquire(open) : open;
    const claim = await this.ports.recorder.claim(asked, {
      type: 'DeclineAbsentChoice',
      data: { now: this.ports.clock.now(), isTimeOver },
    });
    return claim.kind === 'appended' ? claim.order : asked;
  }
}
