import { Inject, Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import type { Request } from 'express';
import type { SessionRequest } from '@app/gateway-protocol';
import type { DeviceRequest } from './device-request';
import { DeviceSessions } from './device-sessions';
import { DeviceSignatures } from './device-signatures';
import { exchangeOf } from './device.exchange';
import type { PerformMessage } from './perform/perform-texts';
import { DeviceRefused } from './refused-request';

/** Who sent a request, by its signature or its session: a stranger learns nothing of the rest (safety, T10 and T19). */
@Injectable()
export class SessionOrSignatureGuard implements CanActivate {
  constructor(
    @Inject(DeviceSignatures) private readonly signatures: Pick<DeviceSignatures, 'prove'>,
    @Inject(DeviceSessions) private readonly sessions: Pick<DeviceSessions, 'prove'>,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const exchange = exchangeOf(context.switchToHttp().getRequest<Request>());
    const { operation, request } = exchange;
    if (request === undefined) throw new Error('a request whose message was not read');
    const proven = await (operation.proof === 'signature'
      ? this.signatures.prove(request as DeviceRequest<PerformMessage>)
      : this.sessions.prove(request as DeviceRequest<SessionRequest>));
    if (proven.kind === 'failed') throw new DeviceRefused(proven);
    exchange.admitted = proven;
    return true;
  }
}
