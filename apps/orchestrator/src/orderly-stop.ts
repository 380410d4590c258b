import type { BeforeApplicationShutdown, OnApplicationShutdown } from '@nestjs/common';
import type { CvvSubmitQueue, ConcludeInBackground } from '@app/orders';
import { waitAtMost, type Monotonic, type Scheduler } from '@app/kernel';
import type { RunningWork } from './worker/running-work';

/** The longest total wait of a stop: for its ports, then for orders with a CVV, then for other work (safety, F39). */
const DRAIN_MS = 10_000;
/** Each step gets at least this long, because a gate's answer must still be recorded. */
const DRAIN_MS_MIN = 1_000;

interface OrderlyStopPorts {
  readonly cvvQueue: Pick<CvvSubmitQueue, 'stopWaitingForPeople' | 'drained'>;
  readonly concludeInBackground: Pick<ConcludeInBackground, 'drained'>;
  readonly work: RunningWork;
  readonly monotonic: Monotonic;
  readonly scheduler: Scheduler;
}

/** Finishes the work in progress before any store closes. Orders that hold a CVV come first, because no other process can continue them. */
export class OrderlyStop implements BeforeApplicationShutdown, OnApplicationShutdown {
  #startedAtMs: number | undefined;

  constructor(private readonly ports: OrderlyStopPorts) {}

  /** Orders continue while the ports close, because a client that never ends its request delays that. */
  beforeApplicationShutdown(): void {
    this.#startedAtMs = this.ports.monotonic.elapsedMs();
  }

  async onApplicationShutdown(): Promise<void> {
    const { cvvQueue, concludeInBackground, work, monotonic, scheduler } = this.ports;
    const startedAtMs = this.#startedAtMs ?? monotonic.elapsedMs();
    const leftMs = (): number => Math.max(DRAIN_MS - (monotonic.elapsedMs() - startedAtMs), DRAIN_MS_MIN);
    cvvQueue.stopWaitingForPeople();
    await waitAtMost(scheduler, leftMs(), cvvQueue.drained(), () => undefined);
    await waitAtMost(scheduler, leftMs(), concludeInBackground.drained(), () => undefined);
    await work.stop(leftMs());
  }
}
