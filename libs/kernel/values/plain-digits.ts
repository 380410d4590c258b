const LAST_ASCII = 0x7f;
/** Later code points are ideographs, tags and private use, none of which is a digit. */
const LAST_LOOKED_AT = 0x1ffff;
const DECIMAL_DIGIT = /^\p{Nd}$/u;
const DIGITS_OF_A_SCRIPT = 10;
/** The relevant meanings of a code point: digits, or one separator. */
const TELLING = /[0-9]|^[ \-./_,\u2010-\u2015]$/;

const ITSELF = 1;
/** Meanings by the numbers in `looked`; 0 marks a code point not looked up yet, 1 one that stands for itself. */
const meanings: (string | undefined)[] = [undefined, undefined];
let looked: Uint16Array | undefined;

/** The decimal digits of a script have consecutive code points from 0 to 9. */
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

/** The meaning of a code point beyond ASCII; undefined where it stands for itself. Each is looked up once. */
const standsFor = (codePoint: number): string | undefined => {
  if (codePoint > LAST_LOOKED_AT) return undefined;
  looked ??= new Uint16Array(LAST_LOOKED_AT + 1);
  const found = looked[codePoint] || numbered(meaningOf(codePoint));
  looked[codePoint] = found;
  return meanings[found];
};

/**
 * Replaces the digits of every script, other forms of digits (wide, raised, in circles) and separators by those of ASCII: `４` and `٤` become 4, `⑫`
 * becomes 12. It works code point by code point in linear time, which normalising a whole text does not.
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
