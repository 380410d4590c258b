import { Module } from '@nestjs/common';
import { CARD_VAULT } from '@app/card-vault/card-vault.tokens';
import { ACCOUNTS } from '@app/configuration/configuration.module';
import { CLOCK, provide, SCHEDULER } from '@app/kernel/injection';
import { CurrentOrderReader } from '@app/read-models/queries';
import { MerchantApiModule } from './merchant-api.module';
import { PayerPages } from './payer/payer-pages';
import { NextChange } from './next-change';
import { OrderStatusAnswer } from './order-status.answer';
import { OrderStatusController } from './order-status.controller';
import { OrderStatusTranslation } from './order-status.translation';

/** The merchant API of order status. */
@Module({
  imports: [MerchantApiModule],
  controllers: [OrderStatusController],
  providers: [
    provide(NextChange, { clock: CLOCK, scheduler: SCHEDULER }, (ports) => new NextChange(ports)),
    provide(OrderStatusAnswer, { sealer: CARD_VAULT, accounts: ACCOUNTS, pages: PayerPages }, (ports) => new OrderStatusAnswer(ports)),
    provide(
      OrderStatusTranslation,
      { orders: CurrentOrderReader, answer: OrderStatusAnswer, nextChange: NextChange },
      ({ orders, answer, nextChange }) => new OrderStatusTranslation(orders, answer, nextChange),
    ),
  ],
})
export class OrderStatusApiModule {}
