import { GROUP_A_OPERATIONS, type GroupAMessage, type GroupAOperationKey } from '@app/gateway-protocol';
import { servedBy } from '../request/served-by.decorator';
import type { AdmittedRequest } from './admitted-request';
import type { Answered } from './answer';
import { GROUP_A, type GroupARow } from './group-a.exchange';
import { SenderGuard } from './sender.guard';

/** The signature of a controller's method for one operation. */
type ServesOne<Key extends GroupAOperationKey> = (request: AdmittedRequest<GroupAMessage<Key>>) => Promise<Answered>;

/** The operations of a controller, one method each: `implements Serves<'capture' | 'void'>`. */
export type Serves<Keys extends GroupAOperationKey> = { readonly [Key in Keys]: ServesOne<Key> };

/** Compiles only on a method that has the operation's name and takes its message. */
type DecoratesOne<Key extends GroupAOperationKey> = <Method extends ServesOne<Key>>(
  target: object,
  name: Key,
  method: TypedPropertyDescriptor<Method>,
) => void;

/** Serves an operation of the table at each of its paths, by endpoint and by group. */
export const GroupAOperation = <Key extends GroupAOperationKey>(key: Key): DecoratesOne<Key> => {
  const operation: GroupARow = GROUP_A_OPERATIONS[key];
  const paths = operation.paths.flatMap((path) => [`${path}/:endpointId`, `${path}/group/:groupId`]);
  return servedBy(GROUP_A, { operation, paths, bodyBytesMax: operation.formBytesMax, proof: SenderGuard });
};
