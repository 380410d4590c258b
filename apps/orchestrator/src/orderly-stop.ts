import type { OnApplicationShutdown } from '@nestjs/common';
import type { CvvSubmitQueue, InlineConclusion } from '@app/order-processing';
import type { Monotonic, Scheduler } from '@app/kernel';
import type { RunningWork } from './worker/running-work';

/** How long a stop waits in all: for orders that hold a CVV, and then for what is under way (safety, F39). */
const DRAIN_MS = 10_000;
/** What is under way gets so long even where the CVVs took it all: an answer that came in must still be written. */
const DRAIN_WORK_MS_MIN = 1_000;

export interface OrderlyStopPorts {
  readonly cvvQueue: Pick<CvvSubmitQueue, 'stopWaitingForPeople' | 'drained'>;
  readonly inlineConclusion: Pick<InlineConclusion, 'drained'>;
  readonly work: RunningWork;
  readonly monotonic: Monotonic;
  readonly scheduler: Scheduler;
}

/**
 * Ends what is under way when no request comes in any more and before any store is closed: orders that hold a CVV first, for nobody else can go on with
 * them, but those that wait for a person; then the rest.
 */
export class OrderlyStop implements OnApplicationShutdown {
  constructor(private readonly ports: OrderlyStopPorts) {}

  async onApplicationShutdown(): Promise<void> {
    const { cvvQueue, inlineConclusion, work, monotonic } = this.ports;
    const startedAtMs = monotonic.elapsedMs();
    const leftMs = (): number => Math.max(DRAIN_MS - (monotonic.elapsedMs() - startedAtMs), DRAIN_WORK_MS_MIN);
    cvvQueue.stopWaitingForPeople();
    await this.#within(DRAIN_MS, cvvQueue.drained());
    await this.#within(leftMs(), inlineConclusion.drained());
    await work.stop(leftMs());
  }

  #within(limitMs: number, work: Promise<void>): Promise<void> {
    return new Promise((resolve) => {
      const late = this.ports.scheduler.after(limitMs, resolve);
      void work.finally(() => {
        late.cancel();
        resolve();
      });
    });
  }
}
