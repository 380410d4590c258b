import { Module } from '@nestjs/common';
import { provide } from '@app/injection';
import { ChooseFee, OrderContexts } from '@app/order-processing';
import { OrderProcessingModule } from '@app/order-processing/order-processing.module';
import { TransferModule } from '@app/transfer/transfer.module';
import { DeviceApiModule } from '../device-api/device-api.module';
import { CompleteTransferTranslation } from './complete-transfer.translation';
import { TransferController } from './transfer.controller';

/** The sales and transfers of Group B. */
@Module({
  imports: [DeviceApiModule, OrderProcessingModule, TransferModule],
  controllers: [TransferController],
  providers: [
    provide(CompleteTransferTranslation, { contexts: OrderContexts, fees: ChooseFee }, (ports) => new CompleteTransferTranslation(ports)),
  ],
})
export class TransferApiModule {}
