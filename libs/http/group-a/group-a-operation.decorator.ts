import { All, applyDecorators, SetMetadata, UseFilters, UseGuards } from '@nestjs/common';
import { GROUP_A_OPERATIONS, type GroupAMessage, type GroupAOperationKey } from '@app/gateway-protocol';
import type { AdmittedRequest } from './admitted-request';
import type { Answered } from './answer';
import { FormReaderGuard } from './form-reader.guard';
import { RateLimitGuard } from './rate-limit.guard';
import { RefusalFilter } from './refusal.filter';
import { SenderGuard } from './sender.guard';
import { OPERATION, type ServedOperation } from './served-operation';

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

/**
 * Serves an operation of the table at each of its paths, by endpoint and by group. Every verb is routed here, so that a wrong one is answered with 405 and
 * not with 404 (protocol decisions, D1.3). The form is read in a guard, because Nest runs guards first and the signature is checked over the form.
 */
export const GroupAOperation = <Key extends GroupAOperationKey>(key: Key): DecoratesOne<Key> => {
  const operation: ServedOperation = GROUP_A_OPERATIONS[key];
  return applyDecorators(
    All(operation.paths.flatMap((path) => [`${path}/:endpointId`, `${path}/group/:groupId`])),
    SetMetadata(OPERATION, operation),
    UseGuards(FormReaderGuard, SenderGuard, RateLimitGuard),
    UseFilters(RefusalFilter),
  );
};
