import { Inject, Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import type { SessionRequest } from '@app/gateway-protocol';
import type { Cause, Failed } from './device-answer';
import type { AdmittedRequest, DeviceRequest } from './device-request';
import { DeviceSessions } from './device-sessions';
import { DeviceSignatures } from './device-signatures';
import { exchangeIn, type DeviceExchange } from './device.exchange';
import type { PerformMessage } from './perform/perform-texts';

/** Who sent a request, by its signature or its session: a stranger learns nothing of the rest (safety, T10 and T19). */
@Injectable()
export class SessionOrSignatureGuard implements CanActivate {
  constructor(
    @Inject(DeviceSignatures) private readonly signatures: Pick<DeviceSignatures, 'prove'>,
    @Inject(DeviceSessions) private readonly sessions: Pick<DeviceSessions, 'prove'>,
  ) {}

  canActivate(context: ExecutionContext): boolean | Promise<boolean> {
    const exchange = exchangeIn(context);
    const { operation, request } = exchange;
    if (request === undefined) throw new Error('a request whose message was not read');
    const proven =
      operation.proof === 'signature'
        ? this.signatures.prove(request as DeviceRequest<PerformMessage>)
        : this.sessions.prove(request as DeviceRequest<SessionRequest>);
    // A signature is known at once: what needs no promise costs none.
    return proven instanceof Promise ? proven.then((known) => admit(exchange, known)) : admit(exchange, proven);
  }
}

/** @throws RefusedRequest */
const admit = (exchange: DeviceExchange, proven: AdmittedRequest | Failed<Cause>): true => {
  if (proven.kind === 'failed') throw exchange.refuse(proven);
  exchange.admitted = proven;
  return true;
};
