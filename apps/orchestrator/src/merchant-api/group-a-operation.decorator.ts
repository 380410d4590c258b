import { All, applyDecorators, SetMetadata, UseFilters, UseGuards } from '@nestjs/common';
import { GROUP_A_OPERATIONS, type GroupAMessage, type GroupAOperationKey } from '@app/gateway-protocol';
import type { AdmittedRequest } from './admitted-request';
import type { Answered } from './answers/answer';
import { FormReader } from './form-reader.guard';
import { RateLimitGuard } from './rate-limit.guard';
import { RefusalFilter } from './refusal.filter';
import { SenderGuard } from './sender.guard';
import { OPERATION, type ServedOperation } from './served-operation';

/** Serves one operation: a request that everything before it let through, to what it is answered with. */
export type ServesOne<Key extends GroupAOperationKey> = (request: AdmittedRequest<GroupAMessage<Key>>) => Promise<Answered>;

/** What a controller serves, a method each: `implements Serves<'capture' | 'void'>`. */
export type Serves<Keys extends GroupAOperationKey> = { readonly [Key in Keys]: ServesOne<Key> };

/** Of a method that has the operation's own name. */
type DecoratesOne<Key extends GroupAOperationKey> = <Method extends ServesOne<Key>>(
  target: object,
  name: Key,
  method: TypedPropertyDescriptor<Method>,
) => void;

/**
 * Serves an operation of the table at each of its paths, by endpoint and by group. Every verb is routed here, so that a wrong one is answered with 405 and
 * not with 404. Nest asks guards before it looks at anything else: reading the body is the first of them, for whoever sent a request is known by its form.
 */
export const GroupAOperation = <Key extends GroupAOperationKey>(key: Key): DecoratesOne<Key> => {
  const operation: ServedOperation = GROUP_A_OPERATIONS[key];
  return applyDecorators(
    All(operation.paths.flatMap((path) => [`${path}/:endpointId`, `${path}/group/:groupId`])),
    SetMetadata(OPERATION, operation),
    UseGuards(FormReader, SenderGuard, RateLimitGuard),
    UseFilters(RefusalFilter),
  );
};
