import { Module } from '@nestjs/common';
import { provide } from '@app/injection';
import { CurrentOrderReader } from '@app/order-queries';
import { AcceptPaymentHandler } from '@app/payment';
import { PaymentModule } from '@app/payment/payment.module';
import { MerchantApiModule } from '../merchant-api/merchant-api.module';
import { ORDER_INTAKE } from '../merchant-api/orders/order-intake';
import { InitialPaymentTranslations } from './initial-payment.translation';
import { PaymentController } from './payment.controller';

/** The merchant API of initial payments: sale, preauth and account verification. */
@Module({
  imports: [MerchantApiModule, PaymentModule],
  controllers: [PaymentController],
  providers: [
    provide(
      InitialPaymentTranslations,
      { intake: ORDER_INTAKE, handler: AcceptPaymentHandler, orders: CurrentOrderReader },
      ({ intake, ...ports }) => new InitialPaymentTranslations({ ...intake, ...ports }),
    ),
  ],
})
export class PaymentApiModule {}
