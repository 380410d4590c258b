import { Inject, Module, type OnApplicationShutdown } from '@nestjs/common';
import { SCHEDULER } from '@app/kernel/injection';
import { waitAtMost, type Scheduler } from '@app/kernel';
import { HearGate } from '@app/orders';
import { OrdersModule } from '@app/orders/orders.module';
import { InboundController } from './inbound.controller';

/** A log that says nothing holds a stop up for so long (safety, F39). */
const STOP_MS = 1_000;

/** Serves the addresses of gates. A module apart from the gates, because workers have gates and hear nobody. */
@Module({ imports: [OrdersModule], controllers: [InboundController] })
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
