export { DeviceVerificationController } from './device-verification.controller';
