const UNPRINTABLE = /[\p{Cc}\p{Cf}\u2028\u2029]/gu;

/** Received text on one line: characters that would move the cursor or reorder the line are shown as codes. */
export const printable = (text: string): string =>
  text.replace(UNPRINTABLE, (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`);
