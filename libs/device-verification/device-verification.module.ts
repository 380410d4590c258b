import { Inject, Module } from '@nestjs/common';
import { CARD_VAULT } from '@app/card-vault/card-vault.tokens';
import { IDS, provide } from '@app/kernel/injection';
import { OrderContexts } from '@app/orders';
import { OrdersModule } from '@app/orders/orders.module';
import { ORDER_ACCEPTANCE } from '@app/orders/orders.tokens';
import { DeviceApiModule } from '@app/orders/http/device-api.module';
import { PerformVerificationHandler } from './application/perform.handler';
import { deviceVerificationContext } from './application/device-verification.codec';
import { DeviceVerificationController } from './http/device-verification.controller';

@Module({
  imports: [OrdersModule],
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

@Module({ imports: [DeviceApiModule, DeviceVerificationModule], controllers: [DeviceVerificationController] })
export class DeviceVerificationApiModule {}
