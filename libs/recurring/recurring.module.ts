import { Inject, Module } from '@nestjs/common';
import { provide } from '@app/kernel/injection';
import { OrderContexts } from '@app/orders';
import { OrdersModule } from '@app/orders/orders.module';
import { ORDER_ACCEPTANCE } from '@app/orders/orders.tokens';
import { MerchantApiModule } from '@app/orders/http/merchant-api.module';
import { ORDER_INTAKE } from '@app/orders/http';
import { ChargeRegisteredCardHandler } from './application/charge-registered-card.handler';
import { recurringContext } from './application/recurring.codec';
import { CARD_REFERENCES } from './recurring.tokens';
import { RebillTranslations, RecurringController } from './http/recurring.controller';

@Module({
  imports: [OrdersModule],
  providers: [
    provide(
      ChargeRegisteredCardHandler,
      { acceptance: ORDER_ACCEPTANCE, references: CARD_REFERENCES },
      ({ acceptance, references }) => new ChargeRegisteredCardHandler({ ...acceptance, references }),
    ),
  ],
  exports: [ChargeRegisteredCardHandler],
})
export class RecurringModule {
  constructor(@Inject(OrderContexts) contexts: OrderContexts) {
    contexts.register(recurringContext);
  }
}

@Module({
  imports: [MerchantApiModule, RecurringModule],
  controllers: [RecurringController],
  providers: [
    provide(
      RebillTranslations,
      { intake: ORDER_INTAKE, handler: ChargeRegisteredCardHandler },
      ({ intake, ...ports }) => new RebillTranslations({ ...intake, ...ports }),
    ),
  ],
})
export class RecurringApiModule {}
