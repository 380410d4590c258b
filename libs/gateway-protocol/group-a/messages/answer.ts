/** An answer's fields by name; those that do not apply are absent or undefined. */
export type AnswerOf<Field extends string, Always> = Always & { readonly [Name in Exclude<Field, keyof Always>]?: string | undefined };

/** The fields of an answer in wire order, for the answer codec. */
export const inWireOrder = <Field extends string>(
  fields: readonly Field[],
  answer: { readonly [Name in Field]?: string | undefined },
): readonly (readonly [Field, string])[] =>
  fields.flatMap((name) => {
    const value = answer[name];
    return value === undefined ? [] : [[name, value] as const];
  });
