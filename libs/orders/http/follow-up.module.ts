import { Module } from '@nestjs/common';
import { provide } from '@app/kernel/injection';
import { CurrentOrderReader } from '@app/read-models/queries';
import { RequestFollowUpHandler } from '../application/work/request-follow-up.handler';
import { OrdersModule } from '../orders.module';
import { MerchantApiModule } from './merchant-api.module';
import { FollowUpController } from './follow-up.controller';
import { FollowUpTranslations } from './follow-up.translation';

/** The merchant API of follow-ups: capture, return and void. */
@Module({
  imports: [MerchantApiModule, OrdersModule],
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
