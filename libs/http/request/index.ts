export { KeysOfUnknownMerchants } from './keys-of-unknown-merchants';
export { type Admission, noRateLimit } from './rate-limit';
