import { Catch, type ArgumentsHost, type ExceptionFilter } from '@nestjs/common';
import type { Request } from 'express';
import { exchangeOf } from './group-a.exchange';
import { AbortedRequest } from './refused-request';

/** Whatever guards, pipes and controllers throw, in the interface's own form; a request that was not read yet is left to the program's filter. */
@Catch()
export class RefusalFilter implements ExceptionFilter {
  catch(error: unknown, host: ArgumentsHost): void {
    if (error instanceof AbortedRequest) return;
    const exchange = exchangeOf(host.switchToHttp().getRequest<Request>());
    if (exchange === undefined) throw error;
    exchange.fail(error);
  }
}
