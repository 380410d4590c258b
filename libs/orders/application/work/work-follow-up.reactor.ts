import { addMs, unreachable, type Clock, type Instant } from '@app/kernel';
import type { StreamName } from '@app/event-store';
import { nextFollowUpStep, type NextFollowUpStep } from '../../domain';
import { type InFlightCalls, workLane } from '../gates/in-flight-calls';
import { followUpFlight, type InquireFollowUp } from './inquire-follow-up';
import type { OpenOrder, OrderContexts } from '../order-context';
import { aboutOrder, OrderWorkFailed } from '../order-work-failed';
import type { SubmitFollowUp } from './submit-follow-up';
import { inquireAgainAt, ROOM_CHECK_MS } from './work-order.reactor';

interface WorkFollowUpPorts {
  readonly contexts: OrderContexts;
  readonly submitting: SubmitFollowUp;
  readonly inquiring: InquireFollowUp;
  readonly underWay: InFlightCalls;
  readonly clock: Clock;
}

export class WorkFollowUp {
  constructor(private readonly ports: WorkFollowUpPorts) {}

  async work(stream: StreamName, number: number): Promise<Instant | undefined> {
    const open = await this.ports.contexts.open(stream);
    if (open.processing.followUps[number - 1] === undefined) throw new Error(`${stream}: no follow-up ${number}`);
    try {
      return await this.workOn(open, number);
    } catch (error) {
      throw new OrderWorkFailed({ ...aboutOrder(open, open.traceOf(number)), followUp: number }, error);
    }
  }

  private async workOn(open: OpenOrder, number: number): Promise<Instant | undefined> {
    if (this.isGateFull(open, number)) return addMs(this.ports.clock.now(), ROOM_CHECK_MS);
    const after = await this.takeStep(open, number);
    const next = this.stepOf(after, number);
    if (next.task !== 'inquire') return next.task === 'nothing' ? undefined : next.dueAt;
    return inquireAgainAt(next.dueAt, this.ports.clock.now(), this.flightWaitsMs(after, number));
  }

  private takeStep(open: OpenOrder, number: number): Promise<OpenOrder> {
    const step = this.stepOf(open, number);
    switch (step.task) {
      case 'nothing':
      case 'wait':
        return Promise.resolve(open);
      case 'submit':
        return this.ports.submitting.submit(open, number);
      case 'inquire':
        return this.ports.inquiring.inquire(open, number);
      default:
        return unreachable(step);
    }
  }

  private isGateFull(open: OpenOrder, number: number): boolean {
    const followUp = open.processing.followUps[number - 1];
    if (followUp === undefined || this.stepOf(open, number).task !== 'submit') return false;
    return !this.ports.underWay.hasRoomIn(workLane(open.order.merchant, followUp.gate));
  }

  private flightWaitsMs({ processing: { followUps } }: OpenOrder, number: number): number | undefined {
    const followUp = followUps[number - 1];
    if (followUp?.status !== 'started' && followUp?.status !== 'unknown') return undefined;
    return this.ports.underWay.waitsMs(followUp.key, followUpFlight(followUp));
  }

  private stepOf({ stream, processing: { followUps } }: OpenOrder, number: number): NextFollowUpStep {
    const followUp = followUps[number - 1];
    if (followUp === undefined) throw new Error(`${stream}: no follow-up ${number}`);
    return nextFollowUpStep(followUp, followUps, this.ports.clock.now());
  }
}
