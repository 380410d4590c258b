import { All, applyDecorators, createParamDecorator, SetMetadata, UseFilters, UseGuards, type ExecutionContext } from '@nestjs/common';
import { GROUP_B_OPERATIONS, type GroupBCause, type GroupBOperationName } from '@app/gateway-protocol';
import { BodyReaderGuard } from './body-reader.guard';
import type { DeviceAnswer } from './device-answer';
import { DeviceRefusalFilter } from './device-refusal.filter';
import type { RequestOf } from './device-request';
import { exchangeIn } from './device.exchange';
import { MessageGuard } from './message.guard';
import { RateLimitGuard } from './device-rate-limit.guard';
import { OPERATION } from './served-device-operation';
import { SessionOrSignatureGuard } from './session-or-signature.guard';

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
