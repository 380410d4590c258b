import { Inject, Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import type { Admission, RateLimit } from '../request/rate-limit';
import { RATE_LIMIT } from '../request/request.tokens';
import { failed } from './device-answer';
import { exchangeIn, type DeviceExchange } from './device.exchange';

const TOO_MANY_REQUESTS = 'Too many requests, nothing was accepted';

/** The last of the guards: only an authenticated request counts against its merchant's rate (safety, T35). */
@Injectable()
export class RateLimitGuard implements CanActivate {
  constructor(@Inject(RATE_LIMIT) private readonly rateLimit: Pick<RateLimit, 'admit'>) {}

  canActivate(context: ExecutionContext): Promise<boolean> {
    const exchange = exchangeIn(context);
    if (exchange.admitted === undefined) throw new Error('a request that was not authenticated');
    return this.rateLimit.admit(exchange.admitted.merchant).then((admission) => proceed(exchange, admission));
  }
}

/** @throws RefusedRequest */
const proceed = (exchange: DeviceExchange, admission: Admission): true => {
  if (admission.kind === 'admitted') return true;
  const { retryAfterMs } = admission;
  throw exchange.refuse({ ...failed('rate-limited', 'INTERNAL_ERROR', TOO_MANY_REQUESTS), retryAfterMs });
};
