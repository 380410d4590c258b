import { token } from '@app/kernel/injection';
import type { RateLimit } from './rate-limit';

export const RATE_LIMIT = token<RateLimit>('RATE_LIMIT');
