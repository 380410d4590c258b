import { Module } from '@nestjs/common';
import { provide } from '@app/injection';
import { RequestFollowUpHandler } from '@app/order-processing';
import { CurrentOrderReader } from '@app/order-queries';
import { OrderProcessingModule } from '@app/order-processing/order-processing.module';
import { MerchantApiModule } from '../merchant-api/merchant-api.module';
import { FollowUpController } from './follow-up.controller';
import { FollowUpTranslations } from './follow-up.translation';

/** The merchant API of follow-ups: capture, return and void. */
@Module({
  imports: [MerchantApiModule, OrderProcessingModule],
  controllers: [FollowUpController],
  providers: [
    provide(
      FollowUpTranslations,
      { handler: RequestFollowUpHandler, orders: CurrentOrderReader },
      (ports) => new FollowUpTranslations(ports),
    ),
  ],
})
export class FollowUpApiModule {}
