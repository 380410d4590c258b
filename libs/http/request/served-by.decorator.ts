import {
  All,
  applyDecorators,
  Catch,
  createParamDecorator,
  SetMetadata,
  UseFilters,
  UseGuards,
  type ArgumentsHost,
  type CanActivate,
  type ExceptionFilter,
  type ExecutionContext,
  type Type,
} from '@nestjs/common';
import { bodyHolder } from '../server/read-body';
import { AbortedRequest, BodyGuard, OPERATION, type Dialect, type ServedOperation } from './body.guard';
import { exchangeOf, findExchange } from './exchange';
import { RateLimitGuard } from './rate-limit.guard';

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
