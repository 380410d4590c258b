import { Catch, type ArgumentsHost, type ExceptionFilter } from '@nestjs/common';
import { exchangeIn } from './device.exchange';
import { AbortedRequest } from './refused-request';

/** Answers what a guard refused, and what failed anywhere on the way of a request, in the form of the interface. */
@Catch()
export class DeviceRefusalFilter implements ExceptionFilter {
  catch(error: unknown, host: ArgumentsHost): void {
    if (error instanceof AbortedRequest) return;
    exchangeIn(host).fail(error);
  }
}
