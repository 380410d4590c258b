/** What an entry point can be told to serve: the operations of protocol decisions, sections 1 and 8, by the names that stand in the paths. */
export const OPERATION_NAMES = [
  'sale',
  'preauth',
  'account-verification',
  'capture',
  'return',
  'void',
  'create-card-ref',
  'get-card-info',
  'make-rebill-sale',
  'make-rebill-preauth',
  'status',
  'verification',
  'transfer',
] as const;
export type OperationName = (typeof OPERATION_NAMES)[number];
