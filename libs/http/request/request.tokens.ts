import { token } from '@app/kernel/injection';
import type { RequestPorts, ExchangeListener } from './exchange';
import type { RateLimit } from './shared-rate-limit';

export const RATE_LIMIT = token<RateLimit>('RATE_LIMIT');
export const REQUEST_PORTS = token<RequestPorts>('REQUEST_PORTS');
export const EXCHANGE_LISTENER = token<ExchangeListener>('EXCHANGE_LISTENER');
