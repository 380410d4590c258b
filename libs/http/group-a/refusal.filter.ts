import { Catch, type ArgumentsHost, type ExceptionFilter } from '@nestjs/common';
import { AbortedRequest } from '../request/refused-request';
import { requestIn } from './exchange-of';
import { exchangeIn } from './group-a.exchange';

/** Answers whatever guards, pipes and controllers throw in the interface's form. An error before the form was read goes on to the program's filter. */
@Catch()
export class RefusalFilter implements ExceptionFilter {
  catch(error: unknown, host: ArgumentsHost): void {
    if (error instanceof AbortedRequest) return;
    const exchange = exchangeIn(requestIn(host));
    if (exchange === undefined) throw error;
    exchange.fail(error);
  }
}
