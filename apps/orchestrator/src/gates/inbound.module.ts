import { Inject, Module, type OnApplicationShutdown } from '@nestjs/common';
import { SCHEDULER } from '@app/kernel/injection';
import { waitAtMost, type Scheduler } from '@app/kernel';
import { HandleGateNotification } from '@app/orders';
import { OrdersModule } from '@app/orders/orders.module';
import { InboundController } from './inbound.controller';

/** Limits how long a log that does not answer delays a stop (safety, F39). */
const STOP_MS = 1_000;

/** Separate from the gates' module, because workers have gates but receive no notifications. */
@Module({ imports: [OrdersModule], controllers: [InboundController] })
export class InboundModule implements OnApplicationShutdown {
  constructor(
    @Inject(HandleGateNotification) private readonly notifications: HandleGateNotification,
    @Inject(SCHEDULER) private readonly scheduler: Scheduler,
  ) {}

  /** Processes received notifications before the stores close. Inquiries find the outcome of the rest. */
  async onApplicationShutdown(): Promise<void> {
    await waitAtMost(this.scheduler, STOP_MS, this.notifications.stop(), () => undefined);
  }
}
