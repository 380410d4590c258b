import { Module } from '@nestjs/common';
import { provide } from '@app/kernel/injection';
import { MerchantApiModule } from '@app/orders/http/merchant-api.module';
import { ORDER_INTAKE } from '@app/orders/http';
import { ChargeRegisteredCardHandler } from '../application/charge-registered-card.handler';
import { RecurringModule } from '../recurring.module';
import { RebillTranslations } from './make-rebill.translation';
import { RecurringController } from './recurring.controller';

/** The merchant API of recurrent payments and pre-authorisations. */
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
