import type { Form } from './forms/form';
import { trimmed } from '../shared/white-space';

/** The text of a checksum, in which a missing value is empty. */
export type SignedFields = Pick<Form, 'text'>;

const UNSIGNED = 'control';

/**
 * The values as they were decoded, white space included: clients that do not trim our answers send an id back with the line feed behind it, and sign
 * it so. The checksum itself stays trimmed. Undefined where trimming changes no value: there is nothing else to be tried.
 */
export const fieldsAsDecoded = (form: Form): SignedFields | undefined => {
  for (const [name, raw] of form) {
    if (name !== UNSIGNED && trimmed(raw) !== raw)
      return { text: (asked) => (asked === UNSIGNED ? form.text(asked) : (form.raw(asked) ?? '')) };
  }
  return undefined;
};
