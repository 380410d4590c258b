import { REFUSALS, type RefusalName, type RefusalType } from '../../shared/errors';

/** An answer's fields by name; those that do not apply are absent or undefined. */
export type AnswerOf<Field extends string, Always> = Always & { readonly [Name in Exclude<Field, keyof Always>]?: string | undefined };

/** The fields of an answer in wire order, for the answer codec; a field without a value, or with an empty one, is left out (protocol decisions, D2.9). */
export const inWireOrder = <Field extends string>(
  fields: readonly Field[],
  answer: { readonly [Name in Field]?: string | undefined },
): readonly (readonly [Field, string])[] =>
  fields.flatMap((name) => {
    const value = answer[name];
    return value === undefined || value === '' ? [] : [[name, value] as const];
  });

/** Interface, section 2.4; initial payments and follow-ups say `end-point-id` too (protocol decisions, section 10). */
export const ASYNC_FIELDS = [
  'type',
  'serial-number',
  'merchant-order-id',
  'paynet-order-id',
  'error-message',
  'error-code',
  'end-point-id',
] as const;

/** An order was accepted; its outcome comes by status or callback. */
export type AsyncResponse = AnswerOf<
  (typeof ASYNC_FIELDS)[number],
  {
    readonly type: 'async-response';
    readonly 'serial-number': string;
    readonly 'merchant-order-id': string;
    readonly 'paynet-order-id': string;
  }
>;

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
