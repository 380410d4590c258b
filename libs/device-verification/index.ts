export { deviceVerificationCodec, DEVICE_VERIFICATION_CATEGORY, deviceVerificationStream } from './application/device-verification.codec';
export { PerformVerificationHandler } from './application/perform.handler';
