import { Inject, Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import type { Request } from 'express';
import type { Admission, RateLimit } from '../request/rate-limit/rate-limit';
import { RATE_LIMIT } from '../request/request.tokens';
import { failed } from './device-answer';
import { exchangeOf } from './device.exchange';
import { DeviceRefused } from './refused-request';

const OUT_OF_TURN = 'Too many requests, nothing was accepted';

/** A proven request uses up its merchant's rate: a stranger cannot (safety, T35). */
@Injectable()
export class RateLimitGuard implements CanActivate {
  constructor(@Inject(RATE_LIMIT) private readonly rateLimit: Pick<RateLimit, 'admit'>) {}

  canActivate(context: ExecutionContext): Promise<boolean> {
    const { admitted } = exchangeOf(context.switchToHttp().getRequest<Request>());
    if (admitted === undefined) throw new Error('a request that was not proven');
    return this.rateLimit.admit(admitted.merchant).then(within);
  }
}

/** @throws DeviceRefused */
const within = (admission: Admission): true => {
  if (admission.kind === 'admitted') return true;
  const { retryAfterMs } = admission;
  throw new DeviceRefused({ ...failed('rate-limited', 'INTERNAL_ERROR', OUT_OF_TURN), retryAfterMs });
};
