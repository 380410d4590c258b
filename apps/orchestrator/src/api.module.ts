import { Module, type DynamicModule } from '@nestjs/common';
import { DeviceVerificationController } from './device-verification/device-verification.controller';
import { DeviceVerificationApiModule } from './device-verification/device-verification.module';
import { GROUP_A_CONTROLLERS, GroupAModule } from './group-a.module';
import { HealthModule } from './health/health.module';
import { HealthController } from './operator/health.controller';
import { PayerController } from './payer/payer.controller';
import { SimulatorPageController } from './payer/simulator-page.controller';
import { ReceiptController } from './receipt/receipt.controller';
import { TransferController } from './transfer/transfer.controller';
import { TransferApiModule } from './transfer/transfer.module';

/** All that answers at the public port. */
export const PUBLIC_CONTROLLERS = [
  ...GROUP_A_CONTROLLERS,
  TransferController,
  DeviceVerificationController,
  PayerController,
  ReceiptController,
  SimulatorPageController,
  HealthController,
] as const;
