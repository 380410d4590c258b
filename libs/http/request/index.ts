export { BodyGuard } from './body.guard';
export { type RequestPorts, type ExchangeListener, type ServedRequest } from './exchange';
export { DecoyKeys } from './decoy-keys';
export { type Admission, noRateLimit } from './shared-rate-limit';
export { RefusalFilter } from './served-by.decorator';
