import { Module } from '@nestjs/common';
import { CARD_VAULT } from '@app/card-vault/card-vault.tokens';
import { ACCOUNTS } from '@app/configuration/configuration.module';
import { provide } from '@app/injection';
import { CurrentOrderReader } from '@app/order-queries';
import { MerchantApiModule } from '../merchant-api/merchant-api.module';
import { PayerPages } from '../payer/payer-pages';
import { OrderStatusAnswer } from './order-status.answer';
import { OrderStatusController } from './order-status.controller';
import { OrderStatusTranslation } from './order-status.translation';

/** The merchant API of order status. */
@Module({
  imports: [MerchantApiModule],
  controllers: [OrderStatusController],
  providers: [
    provide(OrderStatusAnswer, { sealer: CARD_VAULT, accounts: ACCOUNTS, pages: PayerPages }, (ports) => new OrderStatusAnswer(ports)),
    provide(
      OrderStatusTranslation,
      { orders: CurrentOrderReader, answer: OrderStatusAnswer },
      ({ orders, answer }) => new OrderStatusTranslation(orders, answer),
    ),
  ],
})
export class OrderStatusApiModule {}
