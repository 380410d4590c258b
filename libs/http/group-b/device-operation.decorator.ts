import {
  All,
  applyDecorators,
  createParamDecorator,
  SetMetadata,
  UseFilters,
  UseGuards,
  type ExecutionContext,
  Inject,
  Injectable,
  type CanActivate,
  Catch,
  type ArgumentsHost,
  type ExceptionFilter,
} from '@nestjs/common';
import type { Request, Response } from 'express';
import {
  GROUP_B_OPERATIONS,
  type GroupBCause,
  type GroupBOperationName,
  readDeviceMessage,
  type SessionRequest,
} from '@app/gateway-protocol';
import type { Clock, Failpoints } from '@app/kernel';
import { CLOCK, FAILPOINTS } from '@app/kernel/injection';
import { type DeviceAnswer, failed, type Cause, type Failed } from './device-answer';
import type { RequestOf, AdmittedRequest, DeviceRequest } from './device-request';
import { exchangeIn, type DeviceExchange, type DeviceOperationRow } from './device.exchange';
import { BodyReader } from './body-reader';
import type { Admission, RateLimit } from '../request/rate-limit';
import { RATE_LIMIT } from '../request/request.tokens';
import { AbortedRequest } from '../request/refused-request';
import { SessionVerifier } from './session-verifier';
import { SignatureVerifier } from './signature-verifier';
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

/** The metadata key of a controller method's row of the table of operations. */
const OPERATION = 'group-b-operation';

/** @throws where the method serves no operation */
const operationOf = (context: ExecutionContext): DeviceOperationRow => {
  const operation = Reflect.getMetadata(OPERATION, context.getHandler()) as DeviceOperationRow | undefined;
  if (operation === undefined) throw new Error(`${context.getHandler().name} serves no operation of Group B`);
  return operation;
};

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

/** Answers a refusal of a guard, and any other error of a request, in the form of the interface. */
@Catch()
export class DeviceRefusalFilter implements ExceptionFilter {
  catch(error: unknown, host: ArgumentsHost): void {
    if (error instanceof AbortedRequest) return;
    exchangeIn(host).fail(error);
  }
}

const TOO_MANY_REQUESTS = 'Too many requests, nothing was accepted';

/** The last of the guards: only an authenticated request counts against its merchant's rate (safety, T35). */
@Injectable()
class RateLimitGuard implements CanActivate {
  constructor(@Inject(RATE_LIMIT) private readonly rateLimit: Pick<RateLimit, 'admit'>) {}

  canActivate(context: ExecutionContext): Promise<boolean> {
    const exchange = exchangeIn(context);
    if (exchange.admitted === undefined) throw new Error('a request that was not authenticated');
    return this.rateLimit.admit(exchange.admitted.merchant).then((admission) => proceed(exchange, admission));
  }
}

/** @throws RefusedRequest */
const proceed = (exchange: DeviceExchange, admission: Admission): true => {
  if (admission.kind === 'admitted') return true;
  const { retryAfterMs } = admission;
  throw exchange.refuse({ ...failed('rate-limited', 'INTERNAL_ERROR', TOO_MANY_REQUESTS), retryAfterMs });
};

/** The first of the guards: nothing is read from a store before the bytes of the body have been counted. */
@Injectable()
export class BodyReaderGuard implements CanActivate {
  constructor(@Inject(BodyReader) private readonly reader: BodyReader) {}

  canActivate(context: ExecutionContext): Promise<true> {
    return this.reader.read(operationOf(context), context.getArgByIndex<Request>(0), context.getArgByIndex<Response>(1));
  }
}

/** A controller method that serves one operation: the guards have admitted its request. */
type ServesOne<Name extends GroupBOperationName> = (request: RequestOf<Name>) => Promise<DeviceAnswer<GroupBCause<Name>>>;

type MethodOf<Name extends GroupBOperationName> = Name extends `${infer Verb}-${infer Operation}`
  ? `${Verb}${Capitalize<Operation>}`
  : never;

/** A controller with one method for each operation: `implements Serves<'perform-sale' | 'status-sale'>` has `performSale` and `statusSale`. */
export type Serves<Names extends GroupBOperationName> = { readonly [Name in Names as MethodOf<Name>]: ServesOne<Name> };

/** Compiles only on a method that has the operation's own name. */
type DecoratesOne<Name extends GroupBOperationName> = (
  target: object,
  method: MethodOf<Name>,
  descriptor: TypedPropertyDescriptor<ServesOne<Name>>,
) => void;

/**
 * Serves an operation of the table at its path. Every verb is routed here, so that a wrong one is answered with 405 and not with 404. The checks stand in the
 * order of protocol decisions, section 8: bytes, JSON, members, authentication, rate. All of them are guards, since Nest runs guards before pipes and the
 * members must be read before authentication: the signature covers some of them, and the session is one of them.
 */
export const DeviceOperation = <Name extends GroupBOperationName>(name: Name): DecoratesOne<Name> =>
  applyDecorators(
    All(GROUP_B_OPERATIONS[name].path),
    SetMetadata(OPERATION, GROUP_B_OPERATIONS[name]),
    UseGuards(BodyReaderGuard, MessageGuard, SessionOrSignatureGuard, RateLimitGuard),
    UseFilters(DeviceRefusalFilter),
  );

/** The parameter that takes the request as the guards left it, with its authenticated sender. */
export const Admitted = createParamDecorator((_: unknown, context: ExecutionContext) => exchangeIn(context).admitted);
