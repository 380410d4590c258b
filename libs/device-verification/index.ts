export { deviceVerificationCodec } from './application/device-verification.codec';
export { DEVICE_VERIFICATION_CATEGORY, deviceVerificationStream } from './application/device-verification.stream';
export { PerformVerificationHandler } from './application/perform.handler';
