import { Module } from '@nestjs/common';
import { provide } from '@app/injection';
import { CurrentOrderReader } from '@app/order-queries';
import { AcceptPaymentHandler } from '@app/payment';
import { PaymentModule } from '@app/payment/payment.module';
import { MerchantApiModule } from '../merchant-api/merchant-api.module';
import { ORDER_INTAKE } from '../merchant-api/orders/order-intake';
import { InitialPayments } from './initial-payment.translation';
import { PaymentController } from './payment.controller';

/** Sale, preauth and account verification, as merchants ask for them. */
@Module({
  imports: [MerchantApiModule, PaymentModule],
  controllers: [PaymentController],
  providers: [
    provide(
      InitialPayments,
      { intake: ORDER_INTAKE, handler: AcceptPaymentHandler, orders: CurrentOrderReader },
      ({ intake, ...ports }) => new InitialPayments({ ...intake, ...ports }),
    ),
  ],
})
export class PaymentApiModule {}
