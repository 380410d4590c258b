import type { ExecutionContext } from '@nestjs/common';
import type { OperationName } from '@app/configuration';
import type { GroupAOperationRow } from '@app/gateway-protocol';

/** A row of the table of operations, narrowed to the names that the configuration of an entry point can list. */
export type ServedOperation = GroupAOperationRow & { readonly name: OperationName };

/** The metadata key of a controller method's row. */
export const OPERATION = 'group-a-operation';

/** @throws Error where the method has no `@GroupAOperation` */
export const operationOf = (context: ExecutionContext): ServedOperation => {
  const operation = Reflect.getMetadata(OPERATION, context.getHandler()) as ServedOperation | undefined;
  if (operation === undefined) throw new Error(`${context.getHandler().name} serves no operation of Group A`);
  return operation;
};
