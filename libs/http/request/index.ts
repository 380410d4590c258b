export { BodyGuard } from './body.guard';
export { type RequestPorts, type RequestWatch, type ServedRequest } from './exchange';
export { KeysOfUnknownMerchants } from './keys-of-unknown-merchants';
export { type Admission, noRateLimit } from './shared-rate-limit';
export { RefusalFilter } from './served-by.decorator';
