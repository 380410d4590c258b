import { Module } from '@nestjs/common';
import { DeviceVerificationApiModule } from '@app/device-verification/device-verification.module';
import { PayerModule } from '@app/orders/http/payer/payer.module';
import { ReceiptModule } from '@app/orders/http/receipt.module';
import { TransferApiModule } from '@app/transfer/transfer.module';
import { InboundModule } from './gates/inbound.module';
import { SimulatorPageModule } from './gates/simulator-page.module';
import { GroupAModule } from './group-a.module';

/** The role `api`: both groups, the payer's pages and receipts, and what gates tell by themselves. Express matches their paths in this order: the few of devices before the many of merchants. */
@Module({
  imports: [TransferApiModule, GroupAModule, DeviceVerificationApiModule, PayerModule, InboundModule, SimulatorPageModule, ReceiptModule],
})
export class ApiModule {}
