import { Module } from '@nestjs/common';
import { provide } from '@app/injection';
import { CurrentOrderReader } from '@app/order-queries';
import { ChargeRegisteredCardHandler } from '@app/recurring';
import { RecurringModule } from '@app/recurring/recurring.module';
import { MerchantApiModule } from '../merchant-api/merchant-api.module';
import { ORDER_INTAKE } from '../merchant-api/orders/order-intake';
import { RebillTranslations } from './make-rebill.translation';
import { RecurringController } from './recurring.controller';

/** The merchant API of recurrent payments and pre-authorisations. */
@Module({
  imports: [MerchantApiModule, RecurringModule],
  controllers: [RecurringController],
  providers: [
    provide(
      RebillTranslations,
      { intake: ORDER_INTAKE, handler: ChargeRegisteredCardHandler, orders: CurrentOrderReader },
      ({ intake, ...ports }) => new RebillTranslations({ ...intake, ...ports }),
    ),
  ],
})
export class RecurringApiModule {}
