import type { ExecutionContext } from '@nestjs/common';
import type { OperationName } from '@app/configuration';
import type { GroupAOperationRow } from '@app/gateway-protocol';

/** A row of the table of operations, whose name is one that entry points can list. */
export type ServedOperation = GroupAOperationRow & { readonly name: OperationName };

/** Under which a controller's method keeps its row. */
export const OPERATION = 'group-a-operation';

/** @throws where the method serves no operation */
export const operationOf = (context: ExecutionContext): ServedOperation => {
  const operation = Reflect.getMetadata(OPERATION, context.getHandler()) as ServedOperation | undefined;
  if (operation === undefined) throw new Error(`${context.getHandler().name} serves no operation of Group A`);
  return operation;
};
