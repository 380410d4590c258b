import { Inject, Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import type { RateLimit } from '../request/rate-limit';
import { RATE_LIMIT } from '../request/request.tokens';
import { refused } from './answer';
import { exchangeOf } from './exchange-of';

/** The last guard: only authenticated requests count against a merchant's rate, so an unauthenticated caller cannot exhaust it (safety, T35). */
@Injectable()
export class RateLimitGuard implements CanActivate {
  constructor(@Inject(RATE_LIMIT) private readonly rateLimit: RateLimit) {}

  async canActivate(context: ExecutionContext): Promise<true> {
    const exchange = exchangeOf(context);
    const admission = await this.rateLimit.admit(exchange.sender.merchant.login);
    if (admission.kind === 'limited') return exchange.refuse({ ...refused('rate-limited'), retryAfterMs: admission.retryAfterMs });
    return true;
  }
}
