import { Module } from '@nestjs/common';
import { DeviceApiModule } from '../device-api/device-api.module';
import { DeviceVerificationController } from './device-verification.controller';

/** Verifications as Group B asks for them. */
@Module({ imports: [DeviceApiModule], controllers: [DeviceVerificationController] })
export class DeviceVerificationApiModule {}
