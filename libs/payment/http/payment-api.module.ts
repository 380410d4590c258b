import { Module } from '@nestjs/common';
import { provide } from '@app/kernel/injection';
import { MerchantApiModule } from '@app/orders/http/merchant-api.module';
import { ORDER_INTAKE } from '@app/orders/http';
import { AcceptPaymentHandler } from '../application/accept-payment.handler';
import { PaymentModule } from '../payment.module';
import { InitialPaymentTranslations } from './initial-payment.translation';
import { PaymentController } from './payment.controller';

/** The merchant API of initial payments: sale, preauth and account verification. */
@Module({
  imports: [MerchantApiModule, PaymentModule],
  controllers: [PaymentController],
  providers: [
    provide(
      InitialPaymentTranslations,
      { intake: ORDER_INTAKE, handler: AcceptPaymentHandler },
      ({ intake, ...ports }) => new InitialPaymentTranslations({ ...intake, ...ports }),
    ),
  ],
})
export class PaymentApiModule {}
