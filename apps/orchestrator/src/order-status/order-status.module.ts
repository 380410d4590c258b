import { Module } from '@nestjs/common';
import { CARD_VAULT } from '@app/card-vault/card-vault.tokens';
import { ACCOUNTS } from '@app/configuration/configuration.module';
import { provide } from '@app/injection';
import { CurrentOrderReader } from '@app/order-queries';
import { MerchantApiModule } from '../merchant-api/merchant-api.module';
import { PayerPages } from '../payer/payer-pages';
import { StatusAnswer } from './order-status.answer';
import { OrderStatusController } from './order-status.controller';
import { OrderStatus } from './order-status.translation';

/** Order status, as merchants ask for it. */
@Module({
  imports: [MerchantApiModule],
  controllers: [OrderStatusController],
  providers: [
    provide(StatusAnswer, { sealer: CARD_VAULT, accounts: ACCOUNTS, pages: PayerPages }, (ports) => new StatusAnswer(ports)),
    provide(OrderStatus, { orders: CurrentOrderReader, answer: StatusAnswer }, ({ orders, answer }) => new OrderStatus(orders, answer)),
  ],
})
export class OrderStatusApiModule {}
