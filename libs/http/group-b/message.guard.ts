import { Inject, Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import type { Clock, Failpoints } from '@app/kernel';
import { readDeviceMessage } from '@app/gateway-protocol';
import { CLOCK, FAILPOINTS } from '@app/kernel/injection';
import { exchangeIn } from './device.exchange';

/** Reads the members of the operation's message before authentication, since the signature or the session is among them. */
@Injectable()
export class MessageGuard implements CanActivate {
  constructor(
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(FAILPOINTS) private readonly failpoints: Failpoints,
  ) {}

  canActivate(context: ExecutionContext): boolean {
    const exchange = exchangeIn(context);
    const { operation, path, serial, callerTrace, deadline } = exchange;
    const message = readDeviceMessage(operation.message, exchange.json);
    if ('refused' in message) throw exchange.refuseInvalid('malformed-member', message.refused.message);
    this.failpoints.reach('P1');
    exchange.request = { operation, path, message: message.ok, serial, callerTrace, deadline, receivedAt: this.clock.now() };
    return true;
  }
}
