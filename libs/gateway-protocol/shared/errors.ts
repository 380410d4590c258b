import { RESULT_CODES } from '@app/kernel';

export type RefusalType = 'validation-error' | 'error';

export interface RefusalEntry {
  readonly code: number;
  readonly type: RefusalType;
  readonly message: string;
}

/**
 * Protocol decisions, section 4. Code and text of `authentication-failed` come from the interface (section 7.1), the
 * rest is ours.
 */
export const REFUSALS = {
  'malformed-field': { code: 1, type: 'validation-error', message: 'Malformed or missing field' },
  'authentication-failed': { code: 2, type: 'validation-error', message: 'INVALID_CONTROL_CODE' },
  'unknown-order': { code: 3, type: 'validation-error', message: 'Order not found' },
  'order-not-final': { code: 4, type: 'validation-error', message: 'Order is not in a final status' },
  'unknown-card-reference': { code: 5, type: 'validation-error', message: 'Card reference not found' },
  'card-reference-not-usable': { code: 6, type: 'validation-error', message: 'Card reference cannot be used for this operation' },
  'client-orderid-reused': { code: 7, type: 'validation-error', message: 'client_orderid was used with other parameters' },
  'currency-not-served': {
    code: 8,
    type: 'validation-error',
    message: 'Currency is not served by the entry point, or is not that of the order',
  },
  'amount-out-of-range': { code: 9, type: 'validation-error', message: 'Amount out of range' },
  'operation-not-supported': { code: 10, type: 'validation-error', message: 'Operation is not supported' },
  'operation-not-possible': { code: 11, type: 'validation-error', message: 'Operation is not possible in the final state of the order' },
  'temporarily-unavailable': { code: 20, type: 'error', message: 'Temporarily unavailable, nothing was accepted' },
  'rate-limited': { code: 20, type: 'error', message: 'Too many requests, nothing was accepted' },
  'acceptance-unknown': { code: 21, type: 'error', message: 'Not known whether it was accepted: repeat the request unchanged' },
  internal: { code: 99, type: 'error', message: 'Internal error' },
} as const satisfies Readonly<Record<string, RefusalEntry>>;

export type RefusalName = keyof typeof REFUSALS;

const row = (...cells: readonly (string | number)[]): string => `| ${cells.join(' | ')} |`;

export const errorCatalogueMarkdown = (): string =>
  [
    '## Refused requests',
    '',
    row('error-code', 'type', 'error-message', 'Name'),
    row('---', '---', '---', '---'),
    ...Object.entries(REFUSALS).map(([name, { code, type, message }]) => row(code, type, message, name)),
    '',
    '## Reasons of orders that were not approved',
    '',
    row('error-code', 'status', 'error-message', 'Name'),
    row('---', '---', '---', '---'),
    ...Object.entries(RESULT_CODES).map(([name, { code, status, message }]) => row(code, status, message, name)),
    '',
  ].join('\n');
