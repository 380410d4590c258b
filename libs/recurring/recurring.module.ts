import { Inject, Module } from '@nestjs/common';
import { provide } from '@app/injection';
import { OrderContexts } from '@app/order-processing';
import { OrderProcessingModule } from '@app/order-processing/order-processing.module';
import { ORDER_ACCEPTANCE } from '@app/order-processing/order-processing.tokens';
import { ChargeRegisteredCardHandler } from './application/charge-registered-card.handler';
import { recurringContext } from './recurring.context';
import { CARD_REFERENCES } from './recurring.tokens';

/** Recurrent payments: sale and preauth by the reference of a registered card. */
@Module({
  imports: [OrderProcessingModule],
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
