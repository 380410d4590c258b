import { Module } from '@nestjs/common';
import { provide } from '@app/injection';
import { RequestFollowUpHandler } from '@app/order-processing';
import { CurrentOrderReader } from '@app/order-queries';
import { OrderProcessingModule } from '@app/order-processing/order-processing.module';
import { MerchantApiModule } from '../merchant-api/merchant-api.module';
import { FollowUpController } from './follow-up.controller';
import { FollowUps } from './follow-up.translation';

/** Capture, return and void, as merchants ask for them. */
@Module({
  imports: [MerchantApiModule, OrderProcessingModule],
  controllers: [FollowUpController],
  providers: [provide(FollowUps, { handler: RequestFollowUpHandler, orders: CurrentOrderReader }, (ports) => new FollowUps(ports))],
})
export class FollowUpApiModule {}
