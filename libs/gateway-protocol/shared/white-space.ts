/**
 * What counts as white space at the ends of a value: tab, line feed, vertical tab, form feed, carriage return, blank (safety, T23: defined
 * once). Only these: the `trim` of one language takes other characters than that of the next, and both sides must sign the same text.
 */
export const WHITE_SPACE = '\t\n\v\f\r ';

const isWhiteSpace = (code: number): boolean => code === 0x20 || (code >= 0x09 && code <= 0x0d);

/** Drops white space at both ends (interface, section 2.1). */
export const trimmed = (text: string): string => {
  let start = 0;
  while (start < text.length && isWhiteSpace(text.charCodeAt(start))) start++;
  return trimmedEnd(start === 0 ? text : text.slice(start));
};

/** Drops white space at the end, as a reader of an answer does (protocol decisions, section 3). */
export const trimmedEnd = (text: string): string => {
  let end = text.length;
  while (end > 0 && isWhiteSpace(text.charCodeAt(end - 1))) end--;
  return end === text.length ? text : text.slice(0, end);
};
