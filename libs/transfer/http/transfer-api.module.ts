import { Module } from '@nestjs/common';
import { provide } from '@app/kernel/injection';
import { ChooseFee, OrderContexts } from '@app/orders';
import { OrdersModule } from '@app/orders/orders.module';
import { DeviceApiModule } from '@app/orders/http/device-api.module';
import { TransferModule } from '../transfer.module';
import { CompleteTransferTranslation } from './complete-transfer.translation';
import { TransferController } from './transfer.controller';

/** The sales and transfers of Group B. */
@Module({
  imports: [DeviceApiModule, OrdersModule, TransferModule],
  controllers: [TransferController],
  providers: [
    provide(CompleteTransferTranslation, { contexts: OrderContexts, fees: ChooseFee }, (ports) => new CompleteTransferTranslation(ports)),
  ],
})
export class TransferApiModule {}
