export { Admitted } from '../request/served-by.decorator';
export { type DeviceAnswer, failed, type Failed, type FailureName } from './device-answer';
export {
  DeviceOperation,
  type ServesDevices,
  SessionOrSignatureGuard,
  SessionVerifier,
  SignatureVerifier,
} from './device-operation.decorator';
export type { DeviceRequest, RequestInSession, SignedRequest } from './device-request';
export { isInvoiceId } from './device.exchange';
export { cardIn, customerIn, detailsIn, deviceTextsIn, type PerformMessage, receivingCardIn, securityCodeIn } from './perform-texts';
