import { Inject, Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import type { SessionRequest } from '@app/gateway-protocol';
import type { Cause, Failed } from './device-answer';
import type { AdmittedRequest, DeviceRequest } from './device-request';
import { SessionVerifier } from './session-verifier';
import { SignatureVerifier } from './signature-verifier';
import { exchangeIn, type DeviceExchange } from './device.exchange';
import type { PerformMessage } from './perform-texts';

/** Authenticates a request by its signature or its session, before anything else could be learnt from an answer (safety, T10 and T19). */
@Injectable()
export class SessionOrSignatureGuard implements CanActivate {
  constructor(
    @Inject(SignatureVerifier) private readonly signatures: Pick<SignatureVerifier, 'verify'>,
    @Inject(SessionVerifier) private readonly sessions: Pick<SessionVerifier, 'verify'>,
  ) {}

  canActivate(context: ExecutionContext): boolean | Promise<boolean> {
    const exchange = exchangeIn(context);
    const { operation, request } = exchange;
    if (request === undefined) throw new Error('a request without its message');
    const verified =
      operation.proof === 'signature'
        ? this.signatures.verify(request as DeviceRequest<PerformMessage>)
        : this.sessions.verify(request as DeviceRequest<SessionRequest>);
    // A signature is checked without I/O, so the hot path makes no promise.
    return verified instanceof Promise ? verified.then((resolved) => admit(exchange, resolved)) : admit(exchange, verified);
  }
}

/** @throws RefusedRequest */
const admit = (exchange: DeviceExchange, verified: AdmittedRequest | Failed<Cause>): true => {
  if (verified.kind === 'failed') throw exchange.refuse(verified);
  exchange.admitted = verified;
  return true;
};
