export { Admitted } from '../request/served-by.decorator';
export { type DeviceAnswer, failed, type Failed, type FailureName } from './device-answer';
export { DeviceOperation, type ServesDevices } from './device-operation.decorator';
export type { DeviceRequest, RequestInSession, SignedRequest } from './device-request';
export { isInvoiceId } from './invoice-id';
export { cardIn, customerIn, detailsIn, deviceTextsIn, type PerformMessage, receivingCardIn, securityCodeIn } from './perform-texts';
export { SessionOrSignatureGuard, SessionVerifier, SignatureVerifier } from './session-or-signature.guard';
