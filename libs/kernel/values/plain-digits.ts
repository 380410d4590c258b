const LAST_ASCII = 0x7f;
const LAST_LOOKED_AT = 0x1ffff;
const DECIMAL_DIGIT = /^\p{Nd}$/u;
const DIGITS_OF_A_SCRIPT = 10;
const TELLING = /[0-9]|^[ \-./_,\u2010-\u2015]$/;

const ITSELF = 1;
/** By the values in `looked`; 0 means not looked up yet, 1 means unchanged. */
const meanings: (string | undefined)[] = [undefined, undefined];
let looked: Uint16Array | undefined;

/** The digits of a script have consecutive code points. */
const placeInRow = (codePoint: number): number => {
  let first = codePoint;
  while (DECIMAL_DIGIT.test(String.fromCodePoint(first - 1))) first--;
  return (codePoint - first) % DIGITS_OF_A_SCRIPT;
};

const meaningOf = (codePoint: number): string | undefined => {
  const character = String.fromCodePoint(codePoint);
  const compatible = character.normalize('NFKC');
  if (compatible !== character && TELLING.test(compatible)) return compatible;
  return DECIMAL_DIGIT.test(character) ? placeInRow(codePoint).toString() : undefined;
};

const numbered = (meaning: string | undefined): number => {
  if (meaning === undefined) return ITSELF;
  const known = meanings.indexOf(meaning, ITSELF + 1);
  return known === -1 ? meanings.push(meaning) - 1 : known;
};

const standsFor = (codePoint: number): string | undefined => {
  if (codePoint > LAST_LOOKED_AT) return undefined;
  looked ??= new Uint16Array(LAST_LOOKED_AT + 1);
  const found = looked[codePoint] || numbered(meaningOf(codePoint));
  looked[codePoint] = found;
  return meanings[found];
};

/**
 * Replaces the digits and separators of every script with ASCII: `４` and `٤` become 4, `⑫` becomes 12. Linear time,
 * unlike normalising a whole text.
 */
export const withPlainDigits = (text: string): string => {
  let plain = '';
  let from = 0;
  for (let at = 0; at < text.length; at++) {
    if (text.charCodeAt(at) <= LAST_ASCII) continue;
    const codePoint = text.codePointAt(at) ?? 0;
    const meaning = standsFor(codePoint);
    const first = at;
    if (codePoint > 0xffff) at++;
    if (meaning === undefined) continue;
    plain += text.slice(from, first) + meaning;
    from = at + 1;
  }
  return from === 0 ? text : plain + text.slice(from);
};
