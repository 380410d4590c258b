import { GROUP_B_OPERATIONS, type GroupBCause, type GroupBOperationName } from '@app/gateway-protocol';
import { servedBy } from '../request/served-by.decorator';
import type { DeviceAnswer } from './device-answer';
import type { RequestOf } from './device-request';
import { GROUP_B, type DeviceOperationRow } from './device.exchange';
import { SessionOrSignatureGuard } from './session-or-signature.guard';

/** A controller method that serves one operation: the guards have admitted its request. */
type ServesOne<Name extends GroupBOperationName> = (request: RequestOf<Name>) => Promise<DeviceAnswer<GroupBCause<Name>>>;

type MethodOf<Name extends GroupBOperationName> = Name extends `${infer Verb}-${infer Operation}`
  ? `${Verb}${Capitalize<Operation>}`
  : never;

/** A controller with one method for each operation: `implements ServesDevices<'perform-sale' | 'status-sale'>` has `performSale` and `statusSale`. */
export type ServesDevices<Names extends GroupBOperationName> = { readonly [Name in Names as MethodOf<Name>]: ServesOne<Name> };

/** Compiles only on a method that has the operation's own name. */
type DecoratesOne<Name extends GroupBOperationName> = (
  target: object,
  method: MethodOf<Name>,
  descriptor: TypedPropertyDescriptor<ServesOne<Name>>,
) => void;

/** Serves an operation of the table at its path. The checks stand in the order of protocol decisions, section 8: bytes, JSON, members, authentication, rate. */
export const DeviceOperation = <Name extends GroupBOperationName>(name: Name): DecoratesOne<Name> => {
  const operation: DeviceOperationRow = GROUP_B_OPERATIONS[name];
  const { path: paths, bodyBytesMax } = operation;
  return servedBy(GROUP_B, { operation, paths, bodyBytesMax, proof: SessionOrSignatureGuard });
};
