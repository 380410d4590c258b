const UNPRINTABLE = /[\p{Cc}\p{Cf}\u2028\u2029]/gu;

/** Received text on one line: a character that would move the cursor or reorder the line is shown as its code. */
export const printable = (text: string): string =>
  text.replace(UNPRINTABLE, (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`);

/** The same, cut to a length in characters. */
export const shortened = (text: string, charactersMax: number): string => {
  const shown = printable(text);
  return shown.length <= charactersMax ? shown : `${shown.slice(0, charactersMax - 1)}…`;
};
