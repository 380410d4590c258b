import { token } from '@app/injection';
import type { RateLimit } from './rate-limit/rate-limit';

export const RATE_LIMIT = token<RateLimit>('RATE_LIMIT');
