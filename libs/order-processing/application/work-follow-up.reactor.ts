import { unreachable, type Clock, type Instant } from '@app/kernel';
import type { StreamName } from '@app/event-store';
import { nextFollowUpStep, type NextFollowUpStep } from '../domain';
import type { InquireFollowUp } from './inquire-follow-up';
import type { OpenOrder, OrderContexts } from './order-context';
import type { SubmitFollowUp } from './submit-follow-up';

/** Does what one follow-up waits for, as `WorkOrder` does for the order: what that is stands in the order's own stream. */
export class WorkFollowUp {
  constructor(
    private readonly contexts: OrderContexts,
    private readonly submitting: SubmitFollowUp,
    private readonly inquiring: InquireFollowUp,
    private readonly clock: Clock,
  ) {}

  /** When the follow-up wants to be looked at again, or nothing where it is final. */
  async work(stream: StreamName, number: number): Promise<Instant | undefined> {
    const next = this.stepOf(await this.takeStep(await this.contexts.open(stream), number), number);
    return next.task === 'nothing' ? undefined : next.dueAt;
  }

  private takeStep(open: OpenOrder, number: number): Promise<OpenOrder> {
    const step = this.stepOf(open, number);
    switch (step.task) {
      case 'nothing':
      case 'wait':
        return Promise.resolve(open);
      case 'submit':
        return this.submitting.submit(open, number);
      case 'inquire':
        return this.inquiring.inquire(open, number);
      default:
        return unreachable(step);
    }
  }

  private stepOf({ stream, processing: { followUps } }: OpenOrder, number: number): NextFollowUpStep {
    const followUp = followUps[number - 1];
    if (followUp === undefined) throw new Error(`${stream}: no follow-up ${number}`);
    return nextFollowUpStep(followUp, followUps, this.clock.now());
  }
}
