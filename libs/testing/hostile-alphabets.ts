const repeated = (pattern: string, length: number): string => pattern.repeat(Math.ceil(length / pattern.length)).slice(0, length);
const of = (pattern: string) => (length: number) => repeated(pattern, length);

/** Marks of a lower class after those of a higher one: a sorting reader must move each past all previous ones. */
const descending = (...marks: readonly string[]) => {
  return (length: number): string => marks.map((mark) => mark.repeat(Math.ceil(length / marks.length))).join('').slice(0, length); // prettier-ignore
};

const listed = (length: number, opening: string, entry: (index: number) => string, closing: string): string => {
  const entries: string[] = [];
  let rest = length - opening.length - closing.length;
  for (let index = 0; rest > 0; index++) {
    const text = entry(index);
    entries.push(text);
    rest -= text.length + 1;
  }
  return `${opening}${entries.join(',')}${closing}`;
};

/** Distinct code points, so that a cache of earlier ones does not help. */
const everyCodePoint = (length: number): string => {
  let text = '';
  for (let codePoint = 0x80; text.length < length; codePoint++) {
    if (codePoint === 0xd800) codePoint = 0xe000;
    text += String.fromCodePoint(codePoint);
  }
  return text.slice(0, length);
};

/** Worst-case texts that a client may send, by name. The length is in UTF-16 units. */
export const HOSTILE_ALPHABETS: Readonly<Record<string, (length: number) => string>> = {
  letters: of('a'),
  'combining marks in descending class': of('\u0345\u035d\u0315\u0301\u0316\u0327\u0334'),
  'combining marks, the higher class first': descending('\u0301', '\u0316'),
  'combining marks behind a letter': (length) => `a${descending('\u0345', '\u0301', '\u0316', '\u0334')(length - 1)}`,
  'ligatures of eighteen characters': of('\ufdfa'),
  'pairs of surrogates': of('\u{1f4b3}'),
  'lone surrogates': of('\ud800'),
  'lone surrogates, the second first': of('\udc00\ud800'),
  'every code point': everyCodePoint,
  'digits of ASCII': of('4'),
  'digits that blanks part': of('4 '),
  'digits that two separators part': of('4--'),
  'digits of many scripts': of('\u0664\uff14\u06f4\u096a\u{1d7d2}\u2074\u246b4'),
  blanks: of(' '),
  'line breaks': of('\r\n\t'),
  separators: of('-./_,;:'),
  ampersands: of('&'),
  'equals signs': of('='),
  'percent-encoding': of('%34'),
  'percent-encoding of text': of('%D9%A4'),
  'percent signs': of('%'),
  'percent-encoding that is no UTF-8': of('%34%FF'),
  quotes: of('"'),
  backslashes: of('\\'),
  'quotes behind backslashes': of('\\\\"'),
  'opening brackets': of('['),
  'opening objects': of('{"a":'),
  'many members': (length) => listed(length, '{', (index) => `"${index}":0`, '}'),
  'many card numbers': (length) => listed(length, '[', () => '{"number":"4444333322221111"}', ']'),
  'many texts': (length) => listed(length, '["', () => '"\\u0034\\u0034"', '"]'),
  'at signs and dots': of('a.@'),
  'angle brackets': of('<&>"'),
  NUL: of('\0'),
};
