import { Inject, Module } from '@nestjs/common';
import { CARD_VAULT } from '@app/card-vault/card-vault.tokens';
import { IDS, provide } from '@app/injection';
import { OrderContexts } from '@app/order-processing';
import { OrderProcessingModule } from '@app/order-processing/order-processing.module';
import { ORDER_ACCEPTANCE } from '@app/order-processing/order-processing.tokens';
import { PerformVerificationHandler } from './application/perform.handler';
import { deviceVerificationContext } from './device-verification.context';

/** Verifications of a card that an app sends: device, merchant server and gate each have their say before its reference is given. */
@Module({
  imports: [OrderProcessingModule],
  providers: [
    provide(
      PerformVerificationHandler,
      { acceptance: ORDER_ACCEPTANCE, digests: CARD_VAULT, ids: IDS },
      ({ acceptance, ...ports }) => new PerformVerificationHandler({ ...acceptance, ...ports }),
    ),
  ],
  exports: [PerformVerificationHandler],
})
export class DeviceVerificationModule {
  constructor(@Inject(OrderContexts) contexts: OrderContexts) {
    contexts.register(deviceVerificationContext);
  }
}
