/** As many digits as a card number has at least, with what may part them. */
const MANY_DIGITS = /\d(?:[\s\-./_,]{0,2}\d){11}/;
/** Other scripts have digits and dashes of their own. */
const BEYOND_ASCII = /[^\u0000-\u007f]/; // eslint-disable-line no-control-regex -- all of ASCII is meant
const DIGITS_MIN = 12;

/** Cheap, and true for every field that may hold a card number: most fields need no closer look. */
export const mayHoldCardNumber = (field: string): boolean =>
  field.length >= DIGITS_MIN && (MANY_DIGITS.test(field) || BEYOND_ASCII.test(field));
