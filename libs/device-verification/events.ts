export type { DeviceVerificationAccepted, DeviceVerificationEvent } from './domain/device-verification.events';
