import { All, applyDecorators, createParamDecorator, SetMetadata, UseFilters, UseGuards, type ExecutionContext } from '@nestjs/common';
import { GROUP_B_OPERATIONS, type GroupBCause, type GroupBOperationName } from '@app/gateway-protocol';
import { BodyReader } from './body-reader.guard';
import type { DeviceAnswer } from './device-answer';
import { DeviceRefusalFilter } from './device-refusal.filter';
import type { RequestOf } from './device-request';
import { exchangeIn } from './device.exchange';
import { MessageGuard } from './message.guard';
import { RateLimitGuard } from './rate-limit.guard';
import { OPERATION } from './served-operation';
import { SessionOrSignatureGuard } from './session-or-signature.guard';

/** Serves one operation: a request that everything before it let through, to what it is answered with. */
export type ServesOne<Name extends GroupBOperationName> = (request: RequestOf<Name>) => Promise<DeviceAnswer<GroupBCause<Name>>>;

type MethodOf<Name extends GroupBOperationName> = Name extends `${infer Verb}-${infer Operation}`
  ? `${Verb}${Capitalize<Operation>}`
  : never;

/** What a controller serves, a method each: `implements Serves<'perform-sale' | 'status-sale'>` has `performSale` and `statusSale`. */
export type Serves<Names extends GroupBOperationName> = { readonly [Name in Names as MethodOf<Name>]: ServesOne<Name> };

/** Of a method that has the operation's own name. */
type DecoratesOne<Name extends GroupBOperationName> = (
  target: object,
  method: MethodOf<Name>,
  descriptor: TypedPropertyDescriptor<ServesOne<Name>>,
) => void;

/**
 * Serves an operation of the table at its path. Every verb is routed here, so that a wrong one is answered with 405 and not with 404. What every request
 * passes stands in the order of protocol decisions, section 8: bytes, JSON, members, who sent it, how often. All of these are guards, for Nest asks guards
 * before pipes, and members are read before it is known who sent them: the signature is over some of them, the session is one of them.
 */
export const DeviceOperation = <Name extends GroupBOperationName>(name: Name): DecoratesOne<Name> =>
  applyDecorators(
    All(GROUP_B_OPERATIONS[name].path),
    SetMetadata(OPERATION, GROUP_B_OPERATIONS[name]),
    UseGuards(BodyReader, MessageGuard, SessionOrSignatureGuard, RateLimitGuard),
    UseFilters(DeviceRefusalFilter),
  );

/** The request as the guards leave it, with who sent it. */
export const Admitted = createParamDecorator((_: unknown, context: ExecutionContext) => exchangeIn(context).admitted);
