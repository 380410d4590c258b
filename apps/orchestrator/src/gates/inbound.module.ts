import { Inject, Module, type OnApplicationShutdown } from '@nestjs/common';
import { SCHEDULER } from '@app/injection';
import { waitAtMost, type Scheduler } from '@app/kernel';
import { HearGate } from '@app/order-processing';
import { OrderProcessingModule } from '@app/order-processing/order-processing.module';
import { InboundController } from './inbound.controller';

/** A log that says nothing holds a stop up for so long (safety, F39). */
const STOP_MS = 1_000;

/** Serves the addresses of gates. A module apart from the gates, because workers have gates and hear nobody. */
@Module({ imports: [OrderProcessingModule], controllers: [InboundController] })
export class InboundModule implements OnApplicationShutdown {
  constructor(
    @Inject(HearGate) private readonly hearing: HearGate,
    @Inject(SCHEDULER) private readonly scheduler: Scheduler,
  ) {}

  /** What a gate told is looked at before the stores close; what is left, the orders' own inquiries find out. */
  async onApplicationShutdown(): Promise<void> {
    await waitAtMost(this.scheduler, STOP_MS, this.hearing.stop(), () => undefined);
  }
}
