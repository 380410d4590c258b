import {
  Inject,
  Injectable,
  type CanActivate,
  type ExecutionContext,
  All,
  applyDecorators,
  Catch,
  createParamDecorator,
  SetMetadata,
  UseFilters,
  UseGuards,
  type ArgumentsHost,
  type ExceptionFilter,
  type Type,
} from '@nestjs/common';
import { exchangeOf, findExchange } from './exchange';
import type { RateLimit } from './shared-rate-limit';
import { RATE_LIMIT } from './request.tokens';
import { bodyHolder } from '../server/read-body';
import { AbortedRequest, BodyGuard, OPERATION, type Dialect, type ServedOperation } from './body.guard';

/** The last guard. Only authenticated requests count, so others cannot exhaust a merchant's rate (safety, T35). */
@Injectable()
class RateLimitGuard implements CanActivate {
  constructor(@Inject(RATE_LIMIT) private readonly rateLimit: Pick<RateLimit, 'admit'>) {}

  async canActivate(context: ExecutionContext): Promise<true> {
    const exchange = exchangeOf(context);
    const admission = await this.rateLimit.admit(exchange.merchant);
    return admission.kind === 'admitted' ? true : exchange.refuseRate(admission.retryAfterMs);
  }
}

/**
 * Writes errors of guards and controllers in the format of the interface. An error before the body was read goes to the
 * program's filter.
 */
@Catch()
export class RefusalFilter implements ExceptionFilter {
  catch(error: unknown, host: ArgumentsHost): void {
    if (error instanceof AbortedRequest) return;
    const exchange = findExchange(host);
    if (exchange === undefined) throw error;
    exchange.fail(error);
  }
}

interface Serving {
  readonly operation: ServedOperation['operation'];
  readonly paths: string | string[];
  readonly bodyBytesMax: number;
  readonly proof: Type<CanActivate>;
}

/**
 * Routes every verb, so that a wrong one gets 405 and not 404 (protocol decisions, D1.3). Guards read the body,
 * authenticate the sender and check the rate, in this order.
 */
export const servedBy = (dialect: Dialect, { operation, paths, bodyBytesMax, proof }: Serving): MethodDecorator => {
  const served: ServedOperation = { operation, dialect, hold: bodyHolder(bodyBytesMax) };
  return applyDecorators(
    All(paths),
    SetMetadata(OPERATION, served),
    UseGuards(BodyGuard, proof, RateLimitGuard),
    UseFilters(RefusalFilter),
  );
};

/** `@Admitted() request: AdmittedRequest<SaleRequest>` */
export const Admitted = createParamDecorator((_data: undefined, context: ExecutionContext) => exchangeOf(context).admit());
