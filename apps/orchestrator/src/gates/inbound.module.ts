import { Inject, Module, type OnApplicationShutdown } from '@nestjs/common';
import { HearGate } from '@app/order-processing';
import { OrderProcessingModule } from '@app/order-processing/order-processing.module';
import { InboundController } from './inbound.controller';

/** Serves the addresses of gates. A module apart from the gates, because workers have gates and hear nobody. */
@Module({ imports: [OrderProcessingModule], controllers: [InboundController] })
export class InboundModule implements OnApplicationShutdown {
  constructor(@Inject(HearGate) private readonly hearing: HearGate) {}

  onApplicationShutdown(): Promise<void> {
    return this.hearing.stop();
  }
}
