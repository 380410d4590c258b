import { Module } from '@nestjs/common';
import { provide } from '@app/injection';
import { CurrentOrderReader } from '@app/order-queries';
import { ChargeRegisteredCardHandler } from '@app/recurring';
import { RecurringModule } from '@app/recurring/recurring.module';
import { MerchantApiModule } from '../merchant-api/merchant-api.module';
import { ORDER_INTAKE } from '../merchant-api/orders/order-intake';
import { MakeRebills } from './make-rebill.translation';
import { RecurringController } from './recurring.controller';

/** Recurrent payment and pre-authorisation, as merchants ask for them. */
@Module({
  imports: [MerchantApiModule, RecurringModule],
  controllers: [RecurringController],
  providers: [
    provide(
      MakeRebills,
      { intake: ORDER_INTAKE, handler: ChargeRegisteredCardHandler, orders: CurrentOrderReader },
      ({ intake, ...ports }) => new MakeRebills({ ...intake, ...ports }),
    ),
  ],
})
export class RecurringApiModule {}
