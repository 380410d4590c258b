import type { BeforeApplicationShutdown, OnApplicationShutdown } from '@nestjs/common';
import type { CvvSubmitQueue, InlineConclusion } from '@app/orders';
import { waitAtMost, type Monotonic, type Scheduler } from '@app/kernel';
import type { RunningWork } from './worker/running-work';

/** The longest wait of a stop in all: for its ports to close, for orders that hold a CVV, and then for other work (safety, F39). */
const DRAIN_MS = 10_000;
/** Each has so long even where those before it used up all of it, since a gate's answer must still be recorded. */
const DRAIN_MS_MIN = 1_000;

interface OrderlyStopPorts {
  readonly cvvQueue: Pick<CvvSubmitQueue, 'stopWaitingForPeople' | 'drained'>;
  readonly inlineConclusion: Pick<InlineConclusion, 'drained'>;
  readonly work: RunningWork;
  readonly monotonic: Monotonic;
  readonly scheduler: Scheduler;
}

/**
 * Ends the work in progress after the last request and before any store is closed. Orders that hold a CVV come first, since no other process can continue
 * them; those that wait for a person are left.
 */
export class OrderlyStop implements BeforeApplicationShutdown, OnApplicationShutdown {
  #startedAtMs: number | undefined;

  constructor(private readonly ports: OrderlyStopPorts) {}

  /** Orders go on while the ports close, which one client who never ends his request can draw out. */
  beforeApplicationShutdown(): void {
    this.#startedAtMs = this.ports.monotonic.elapsedMs();
  }

  async onApplicationShutdown(): Promise<void> {
    const { cvvQueue, inlineConclusion, work, monotonic, scheduler } = this.ports;
    const startedAtMs = this.#startedAtMs ?? monotonic.elapsedMs();
    const leftMs = (): number => Math.max(DRAIN_MS - (monotonic.elapsedMs() - startedAtMs), DRAIN_MS_MIN);
    cvvQueue.stopWaitingForPeople();
    await waitAtMost(scheduler, leftMs(), cvvQueue.drained(), () => undefined);
    await waitAtMost(scheduler, leftMs(), inlineConclusion.drained(), () => undefined);
    await work.stop(leftMs());
  }
}
