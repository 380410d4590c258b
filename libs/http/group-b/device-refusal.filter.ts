import { Catch, type ArgumentsHost, type ExceptionFilter } from '@nestjs/common';
import { AbortedRequest } from '../request/refused-request';
import { exchangeIn } from './device.exchange';

/** Answers a refusal of a guard, and any other error of a request, in the form of the interface. */
@Catch()
export class DeviceRefusalFilter implements ExceptionFilter {
  catch(error: unknown, host: ArgumentsHost): void {
    if (error instanceof AbortedRequest) return;
    exchangeIn(host).fail(error);
  }
}
