import { REFUSALS, type RefusalName, type RefusalType } from '../../shared/errors';
import type { AnswerOf } from './answer';

/** Protocol decisions, section 4. */
export const REFUSAL_FIELDS = ['type', 'serial-number', 'merchant-order-id', 'error-message', 'error-code'] as const;

/** Any request that was refused (interface, section 7.1). */
export type RefusalResponse = AnswerOf<
  (typeof REFUSAL_FIELDS)[number],
  { readonly type: RefusalType; readonly 'serial-number': string; readonly 'error-message': string; readonly 'error-code': string }
>;

export interface Refusal {
  readonly name: RefusalName;
  readonly serialNumber: string;
  /** Where it was readable. */
  readonly clientOrderId?: string | undefined;
  /** Says more than the catalogue does: which field, and why. Never repeats a value. */
  readonly message?: string | undefined;
}

/** The answer to a request that was refused, by the catalogue of errors. */
export const refusalResponse = ({ name, serialNumber, clientOrderId, message }: Refusal): RefusalResponse => {
  const entry = REFUSALS[name];
  return {
    type: entry.type,
    'serial-number': serialNumber,
    'merchant-order-id': clientOrderId,
    'error-message': message ?? entry.message,
    'error-code': String(entry.code),
  };
};
