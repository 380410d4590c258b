/** The operations that an entry point can serve (protocol decisions, sections 1 and 8), by their names in the paths. */
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
