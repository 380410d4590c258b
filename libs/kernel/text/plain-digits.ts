const LAST_ASCII = 0x7f;
/** Behind it stand ideographs, tags and private use, which stand for no digit. */
const LAST_LOOKED_AT = 0x1ffff;
const DECIMAL_DIGIT = /^\p{Nd}$/u;
const DIGITS_OF_A_SCRIPT = 10;
/** What a code point may stand for that matters here: digits, or one sign that parts them. */
const TELLING = /[0-9]|^[ \-./_,\u2010-\u2015]$/;

const ITSELF = 1;
/** By the numbers that `looked` holds: of a code point that nobody asked about yet 0, of one that stands for itself 1. */
const meanings: (string | undefined)[] = [undefined, undefined];
let looked: Uint16Array | undefined;

/** The decimal digits of a script stand in a row, from 0 to 9. */
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

/** What a code point beyond ASCII stands for; undefined where it is nothing but itself. Unicode is asked once about each. */
const standsFor = (codePoint: number): string | undefined => {
  if (codePoint > LAST_LOOKED_AT) return undefined;
  looked ??= new Uint16Array(LAST_LOOKED_AT + 1);
  const found = looked[codePoint] || numbered(meaningOf(codePoint));
  looked[codePoint] = found;
  return meanings[found];
};

/**
 * A text with the digits of every script as those of ASCII, and what else Unicode holds for digits (wide, raised, in circles) or for what parts them
 * as what it stands for: `４` and `٤` are 4, `⑫` is 12. One code point at a time, which costs a time in proportion to the text; normalising a whole text
 * does not.
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
