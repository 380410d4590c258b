import { servesOperation, type EntryPoint, type OperationName } from '@app/configuration';

/** Whether the entry point lists the operation; of a group, one of its endpoints suffices where no currency chooses. */
export const isOffered = (entryPoint: EntryPoint, operation: OperationName): boolean =>
  (entryPoint.kind === 'endpoint' ? [entryPoint.endpoint] : entryPoint.endpoints).some((endpoint) => servesOperation(endpoint, operation));
