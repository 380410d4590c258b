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
