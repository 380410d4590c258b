import { Module } from '@nestjs/common';
import { DeviceVerificationApiModule } from './device-verification/device-verification.module';
import { GroupAModule } from './group-a.module';
import { PayerModule } from './payer/payer.module';
import { ReceiptModule } from './receipt/receipt.module';
import { TransferApiModule } from './transfer/transfer.module';

/** The role `api`: both groups, the payer's pages and receipts. Express looks through their paths in this order: what is called most stands first. */
@Module({ imports: [GroupAModule, TransferApiModule, DeviceVerificationApiModule, PayerModule, ReceiptModule] })
export class ApiModule {}
