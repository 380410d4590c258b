/** The edge accepts no text with NUL, so it separates without escaping and 64k of text stay 64k under the seal (safety, T30). */
const SEPARATOR = '\u0000';

/** Packs the members that are given into one text to be sealed. */
export const packTexts = (texts: object): string =>
  Object.entries(texts as Readonly<Record<string, string | undefined>>)
    .filter((entry): entry is [string, string] => entry[1] !== undefined)
    .map(([name, text]) => {
      if (text.includes(SEPARATOR)) throw new Error(`${name} holds NUL`);
      return `${name}=${text}`;
    })
    .join(SEPARATOR);

/** Unpacks what `packTexts` packed, by name. */
export const unpackTexts = (packed: string): ReadonlyMap<string, string> =>
  new Map(
    packed
      .split(SEPARATOR)
      .filter((part) => part !== '')
      .map((part) => {
        const end = part.indexOf('=');
        return [part.slice(0, end), part.slice(end + 1)];
      }),
  );
