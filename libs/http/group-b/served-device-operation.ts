import type { ExecutionContext } from '@nestjs/common';
import type { DeviceOperationRow } from './device.exchange';

/** The metadata key of a controller method's row of the table of operations. */
export const OPERATION = 'group-b-operation';

/** @throws where the method serves no operation */
export const operationOf = (context: ExecutionContext): DeviceOperationRow => {
  const operation = Reflect.getMetadata(OPERATION, context.getHandler()) as DeviceOperationRow | undefined;
  if (operation === undefined) throw new Error(`${context.getHandler().name} serves no operation of Group B`);
  return operation;
};
