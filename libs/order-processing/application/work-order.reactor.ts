import { addMs, unreachable, type Clock, type Instant } from '@app/kernel';
import type { StreamName } from '@app/event-store';
import { nextStep } from '../domain';
import type { ConcludeOrder } from './device/conclude-order';
import type { InquireAttempt } from './inquire-attempt';
import type { OpenOrder, OrderContexts } from './order-context';
import type { OrderRecorder } from './order-recorder';
import type { SubmitAttempt } from './submit-attempt';

/** An order that waits for its payer is looked at so often: the payer may come back while the next look is being written down, unseen. */
const PAYER_LOOK_MS = 60_000;

/** Does what an order waits for, if it is due. The wake-up is no more than that: what to do is read from the order's own stream. */
export class WorkOrder {
  constructor(
    private readonly contexts: OrderContexts,
    private readonly recorder: OrderRecorder,
    private readonly submitting: SubmitAttempt,
    private readonly inquiring: InquireAttempt,
    private readonly concluding: ConcludeOrder,
    private readonly clock: Clock,
    /** Whether the process that holds an order's CVV is known to be gone. */
    private readonly isHolderGone: (bootId: string) => boolean,
  ) {}

  /**
   * When the order wants to be looked at again; nothing where it is done, and where an event of its own makes it due: the next attempt waits in
   * the lane of its gate, not in that of the gate before.
   */
  async work(stream: StreamName): Promise<Instant | undefined> {
    const open = await this.contexts.open(stream);
    const after = await this.takeStep(open);
    const now = this.clock.now();
    const next = nextStep(after.processing, now);
    if (next.task === 'nothing' || next.task === 'submit') return undefined;
    const latest = addMs(now, PAYER_LOOK_MS);
    return next.task === 'decline-absent-payer' && next.dueAt > latest ? latest : next.dueAt;
  }

  private takeStep(open: OpenOrder): Promise<OpenOrder> {
    const step = nextStep(open.processing, this.clock.now());
    switch (step.task) {
      case 'nothing':
        return Promise.resolve(open);
      case 'submit':
        return this.submitting.submit(open);
      case 'inquire':
        return this.inquiring.inquire(open);
      case 'interrupt':
        return this.interrupt(open);
      case 'decline-absent-payer':
        return this.declineAbsentPayer(open);
      case 'decline-absent-choice':
        return this.isOrphan(open) ? this.interrupt(open) : this.declineAbsentChoice(open);
      case 'conclude':
        return this.concluding.conclude(open);
      default:
        return unreachable(step);
    }
  }

  /** Its CVV is gone for certain. */
  private isOrphan({ order: { plan } }: OpenOrder): boolean {
    return plan.cvvHolder !== undefined && this.isHolderGone(plan.cvvHolder);
  }

  private async interrupt(open: OpenOrder): Promise<OpenOrder> {
    const data = { now: this.clock.now(), isHolderGone: this.isOrphan(open) };
    const claim = await this.recorder.claim(open, { type: 'InterruptOrder', receiptId: this.recorder.receiptId(), data });
    return claim.kind === 'appended' ? claim.order : open;
  }

  private async declineAbsentPayer(open: OpenOrder): Promise<OpenOrder> {
    const { attempts } = open.processing;
    if (attempts.status !== 'payer-needed') return open;
    const data = { key: attempts.key, now: this.clock.now() };
    const claim = await this.recorder.claim(open, { type: 'DeclineAbsentPayer', receiptId: this.recorder.receiptId(), data });
    return claim.kind === 'appended' ? claim.order : open;
  }

  private async declineAbsentChoice(open: OpenOrder): Promise<OpenOrder> {
    const claim = await this.recorder.claim(open, { type: 'DeclineAbsentChoice', data: { now: this.clock.now() } });
    return claim.kind === 'appended' ? claim.order : open;
  }
}
