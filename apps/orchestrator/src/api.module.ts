import { Module } from '@nestjs/common';
import { DeviceVerificationApiModule } from '@app/device-verification/device-verification.module';
import { PayerModule } from '@app/orders/http/payer/payer.module';
import { ReceiptModule } from '@app/orders/http/receipt.module';
import { TransferApiModule } from '@app/transfer/transfer.module';
import { InboundModule } from './gates/inbound.module';
import { SimulatorPageModule } from './gates/simulator-page.module';
import { GroupAModule } from './group-a.module';

/** The role `api`. Express matches the paths of these modules in this order. */
@Module({
  imports: [TransferApiModule, GroupAModule, DeviceVerificationApiModule, PayerModule, InboundModule, SimulatorPageModule, ReceiptModule],
})
export class ApiModule {}
