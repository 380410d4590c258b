/** Digits that a card number has at least, blanks or hyphens between them. */
const MANY_DIGITS = /\d(?:[ -]?\d){12}/;
/** A key of ours, whose hexadecimal digits may be decimal by chance. */
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** Cheap, and true for every field that may hold a card number: most fields need no closer look. */
export const mayHoldCardNumber = (field: string): boolean => field.length >= 13 && MANY_DIGITS.test(field) && !UUID.test(field);
