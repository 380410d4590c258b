import { Inject, Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import type { Admission, RateLimit } from '../request/rate-limit/rate-limit';
import { RATE_LIMIT } from '../request/request.tokens';
import { failed } from './device-answer';
import { exchangeIn, type DeviceExchange } from './device.exchange';

const OUT_OF_TURN = 'Too many requests, nothing was accepted';

/** A proven request uses up its merchant's rate: a stranger cannot (safety, T35). */
@Injectable()
export class RateLimitGuard implements CanActivate {
  constructor(@Inject(RATE_LIMIT) private readonly rateLimit: Pick<RateLimit, 'admit'>) {}

  canActivate(context: ExecutionContext): Promise<boolean> {
    const exchange = exchangeIn(context);
    if (exchange.admitted === undefined) throw new Error('a request that was not proven');
    return this.rateLimit.admit(exchange.admitted.merchant).then((admission) => within(exchange, admission));
  }
}

/** @throws RefusedRequest */
const within = (exchange: DeviceExchange, admission: Admission): true => {
  if (admission.kind === 'admitted') return true;
  const { retryAfterMs } = admission;
  throw exchange.refuse({ ...failed('rate-limited', 'INTERNAL_ERROR', OUT_OF_TURN), retryAfterMs });
};
