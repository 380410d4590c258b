import { REFUSALS, type RefusalName, type RefusalType } from '../../shared/errors';

/** An answer's fields by name; those that do not apply are absent or undefined. */
export type AnswerOf<Field extends string, Always> = Always & { readonly [Name in Exclude<Field, keyof Always>]?: string | undefined };

export type AnswerFields<Field extends string> = readonly Field[] & { readonly meanings: Readonly<Record<Field, string>> };

/** @param meanings of each field in wire order, for the documents */
export const answerFields = <Field extends string>(meanings: Readonly<Record<Field, string>>): AnswerFields<Field> =>
  Object.assign(Object.keys(meanings) as Field[], { meanings });

export const HEAD = { type: 'Kind of the answer', 'serial-number': 'Unique id of this request' } as const;
export const ORDER_NAMES = {
  'merchant-order-id': 'Merchant order id (`client_orderid`)',
  'paynet-order-id': 'Gateway order id (`orderid` in later requests)',
} as const;
export const REASON = { 'error-message': 'Reason text', 'error-code': 'Reason code' } as const;
export const ENTRY_POINT = { 'end-point-id': 'Entry point that served the order' } as const;

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
export const ASYNC_FIELDS = answerFields({
  ...HEAD,
  ...ORDER_NAMES,
  ...REASON,
  ...ENTRY_POINT,
});

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
export const REFUSAL_FIELDS = answerFields({
  ...HEAD,
  'merchant-order-id': 'Merchant order id (`client_orderid`)',
  ...REASON,
});

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
