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

/** The last guard: only authenticated requests count against a merchant's rate, so an unauthenticated caller cannot exhaust it (safety, T35). */
@Injectable()
class RateLimitGuard implements CanActivate {
  constructor(@Inject(RATE_LIMIT) private readonly rateLimit: Pick<RateLimit, 'admit'>) {}

  async canActivate(context: ExecutionContext): Promise<true> {
    const exchange = exchangeOf(context);
    const admission = await this.rateLimit.admit(exchange.merchant);
    return admission.kind === 'admitted' ? true : exchange.refuseRate(admission.retryAfterMs);
  }
}

/** Answers whatever guards and controllers throw in the interface's form. An error before the body was read goes on to the program's filter. */
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
  /** Authenticates the sender. */
  readonly proof: Type<CanActivate>;
}

/**
 * Serves an operation at its paths. Every verb is routed here, so that a wrong one is answered with 405 and not with 404 (protocol decisions, D1.3). Guards
 * read the body, authenticate the sender and count the request against the merchant's rate, in this order.
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

/** The admitted request as a controller's parameter: `@Admitted() request: AdmittedRequest<SaleRequest>`. */
export const Admitted = createParamDecorator((_data: undefined, context: ExecutionContext) => exchangeOf(context).admit());
