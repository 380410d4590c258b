import { servesOperation, type EntryPoint, type OperationName } from '@app/configuration';

/** Whether the entry point lists the operation. One endpoint of a group suffices, for operations whose currency does not choose among them. */
export const isOffered = (entryPoint: EntryPoint, operation: OperationName): boolean =>
  (entryPoint.kind === 'endpoint' ? [entryPoint.endpoint] : entryPoint.endpoints).some((endpoint) => servesOperation(endpoint, operation));
