import { Inject, Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import { exchangeOf } from './exchange';
import type { RateLimit } from './rate-limit';
import { RATE_LIMIT } from './request.tokens';

/** The last guard: only authenticated requests count against a merchant's rate, so an unauthenticated caller cannot exhaust it (safety, T35). */
@Injectable()
export class RateLimitGuard implements CanActivate {
  constructor(@Inject(RATE_LIMIT) private readonly rateLimit: Pick<RateLimit, 'admit'>) {}

  async canActivate(context: ExecutionContext): Promise<true> {
    const exchange = exchangeOf(context);
    const admission = await this.rateLimit.admit(exchange.merchant);
    return admission.kind === 'admitted' ? true : exchange.refuseRate(admission.retryAfterMs);
  }
}
