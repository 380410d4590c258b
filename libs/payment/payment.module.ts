import { Inject, Module } from '@nestjs/common';
import { CARD_VAULT } from '@app/card-vault/card-vault.tokens';
import { provide } from '@app/kernel/injection';
import { OrderContexts } from '@app/orders';
import { OrdersModule } from '@app/orders/orders.module';
import { ORDER_ACCEPTANCE } from '@app/orders/orders.tokens';
import { MerchantApiModule } from '@app/orders/http/merchant-api.module';
import { ORDER_INTAKE } from '@app/orders/http';
import { AcceptPaymentHandler } from './application/accept-payment.handler';
import { paymentContext } from './application/payment.codec';
import { InitialPaymentTranslations, PaymentController } from './http/payment.controller';

@Module({
  imports: [OrdersModule],
  providers: [
    provide(
      AcceptPaymentHandler,
      { acceptance: ORDER_ACCEPTANCE, digests: CARD_VAULT },
      ({ acceptance, digests }) => new AcceptPaymentHandler({ ...acceptance, digests }),
    ),
  ],
  exports: [AcceptPaymentHandler],
})
export class PaymentModule {
  constructor(@Inject(OrderContexts) contexts: OrderContexts) {
    contexts.register(paymentContext);
  }
}

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
