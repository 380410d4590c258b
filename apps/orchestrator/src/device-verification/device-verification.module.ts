import { Module } from '@nestjs/common';
import { DeviceVerificationModule } from '@app/device-verification/device-verification.module';
import { DeviceApiModule } from '../device-api/device-api.module';
import { DeviceVerificationController } from './device-verification.controller';

/** The verifications of Group B. */
@Module({ imports: [DeviceApiModule, DeviceVerificationModule], controllers: [DeviceVerificationController] })
export class DeviceVerificationApiModule {}
