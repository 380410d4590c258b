import { Inject, Module } from '@nestjs/common';
import { CARD_VAULT } from '@app/card-vault/card-vault.tokens';
import { made, IDS, provide } from '@app/kernel/injection';
import { OrderContexts, ChooseFee } from '@app/orders';
import { OrdersModule } from '@app/orders/orders.module';
import { ORDER_ACCEPTANCE } from '@app/orders/orders.tokens';
import { DeviceApiModule } from '@app/orders/http/device-api.module';
import { PerformTransferHandler } from './application/perform.handler';
import { transferContext } from './application/transfer.codec';
import { CompleteTransferTranslation, TransferController } from './http/transfer.controller';

@Module({
  imports: [OrdersModule],
  providers: [
    provide(
      PerformTransferHandler,
      { acceptance: ORDER_ACCEPTANCE, digests: CARD_VAULT, ids: IDS },
      ({ acceptance, ...ports }) => new PerformTransferHandler({ ...acceptance, ...ports }),
    ),
  ],
  exports: [PerformTransferHandler],
})
export class TransferModule {
  constructor(@Inject(OrderContexts) contexts: OrderContexts) {
    contexts.register(transferContext);
  }
}

@Module({
  imports: [DeviceApiModule, OrdersModule, TransferModule],
  controllers: [TransferController],
  providers: [made(CompleteTransferTranslation, { contexts: OrderContexts, fees: ChooseFee })],
})
export class TransferApiModule {}
