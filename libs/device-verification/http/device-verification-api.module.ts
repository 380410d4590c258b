import { Module } from '@nestjs/common';
import { DeviceApiModule } from '@app/orders/http/device-api.module';
import { DeviceVerificationModule } from '../device-verification.module';
import { DeviceVerificationController } from './device-verification.controller';

/** The verifications of Group B. */
@Module({ imports: [DeviceApiModule, DeviceVerificationModule], controllers: [DeviceVerificationController] })
export class DeviceVerificationApiModule {}
