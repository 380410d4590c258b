import type { JsonSchema } from '@app/gateway-protocol';
import { HOSTILE_ALPHABETS } from '@app/testing';
import { TEST_CARD_NUMBER } from '../merchants/signed-requests';
import type { Dice } from './dice';

const HUGE_CHARACTERS = 100_000;
/** In an alphabet that is slow to parse; each character may take nine bytes in a request. */
const SLOW_CHARACTERS = 16_384;

/** Texts that some parsers read as a number and others do not (safety, T7). */
const AMOUNT_SHAPES = [
  ...['0', '0.00', '00', '01', '.5', '1.', '1.234', '1,5', '1 000', '+1', '-1', '1e3', '0x10', '1_0', 'NaN', 'Infinity', '-0', '1.5.0'],
  ...[
    '9999999999',
    '10000000000',
    '99999999999999999999',
    '9007199254740993',
    '0.01',
    '4.35',
    '１',
    '١',
    '1\n2',
    "1'",
    '$1',
    '1USD',
    'true',
  ],
];

const INJECTIONS = [
  ...[
    "' OR 1=1 --",
    '"; DROP TABLE orders; --',
    '<script>alert(1)</script>',
    '${7*7}',
    '{{7*7}}',
    '$(id)',
    '`id`',
    '%n%s',
    '%00',
    '../../etc/passwd',
  ],
  ...[
    '__proto__',
    'constructor',
    'toString',
    '{"$gt":""}',
    '[object Object]',
    'a&status=approved',
    'a=b&c',
    'x\r\nSet-Cookie: a=b',
    'null',
    'undefined',
  ],
  ...[
    'http://169.254.169.254/latest/',
    'file:///etc/passwd',
    'javascript:alert(1)',
    'http://a:b@127.0.0.1/',
    'http://[::1]/',
    '\\\\host\\share',
    '{"a":',
  ],
];

const UNICODE = [
  ...[
    'ü',
    'e\u0301',
    '\u{1f468}\u200d\u{1f469}\u200d\u{1f467}',
    '\u{1f4b3}',
    '\u202eabc',
    '\u2028',
    '\u2029',
    '\u00a0',
    '\ufeff',
    '\u200b',
    '\ufffd',
    'ﬀ',
  ],
  ...['İ', 'ı', 'ß', 'ẞ', 'Ａ', '①②⑦', '\u{10ffff}', '\ufffe', 'a\u0300'.repeat(30)],
];

const ALPHABETS = Object.values(HOSTILE_ALPHABETS);

const CONTROLS = ['\u0001', '\t', '\n', '\r\n', '\u001b[31m', '\u007f', '\u0085', '\u009f', '\b', '\f', '\v'];

type Mutation = (dice: Dice, value: string, schema: JsonSchema) => string;

const inserted = (dice: Dice, value: string, part: string): string => {
  const at = dice.below(value.length + 1);
  return value.slice(0, at) + part + value.slice(at);
};

const padded = (value: string, length: number): string => (value + 'x'.repeat(length)).slice(0, length);

const MUTATIONS: Readonly<Record<string, Mutation>> = {
  empty: () => '',
  blank: (dice) => ' \t'.repeat(1 + dice.below(3)),
  'padded with blanks': (_dice, value) => ` ${value}\t`,
  'as long as it may be': (_dice, value, { maxLength = 255 }) => padded(value, maxLength),
  'one character too long': (_dice, value, { maxLength = 255 }) => padded(value, maxLength + 1),
  huge: (dice, value) => padded(value, dice.below(HUGE_CHARACTERS)),
  'what some reader takes long over': (dice) => dice.pick(ALPHABETS)(dice.below(SLOW_CHARACTERS)),
  'what some reader takes long over, as long as it may be': (dice, _value, { maxLength = 255 }) => dice.pick(ALPHABETS)(maxLength),
  'a character less': (_dice, value) => value.slice(0, -1),
  doubled: (_dice, value) => value + value,
  'in the other case': (_dice, value) => (value === value.toUpperCase() ? value.toLowerCase() : value.toUpperCase()),
  'another character': (dice, value) => {
    const at = dice.below(value.length);
    return value.slice(0, at) + String.fromCharCode(33 + dice.below(94)) + value.slice(at + 1);
  },
  'an amount of some shape': (dice) => dice.pick(AMOUNT_SHAPES),
  digits: (dice) => '9876543210'.repeat(3).slice(0, 1 + dice.below(30)),
  unicode: (dice, value) => inserted(dice, value, dice.pick(UNICODE)),
  'unicode alone': (dice, _value, { maxLength = 64 }) => dice.pick(UNICODE).repeat(Math.min(maxLength, 64)),
  'a control character': (dice, value) => inserted(dice, value, dice.pick(CONTROLS)),
  'a NUL': (dice, value) => inserted(dice, value, '\0'),
  injection: (dice) => dice.pick(INJECTIONS),
  'injection within': (dice, value) => inserted(dice, value, dice.pick(INJECTIONS)),
  'the card number': (dice, value) => inserted(dice, value, TEST_CARD_NUMBER),
  bytes: (dice) => dice.bytes(1 + dice.below(40)).toString('latin1'),
};

/** A cut may leave half a surrogate pair, which no form can carry. Invalid UTF-8 is a fault of the body. */
const wellFormed = (text: string): string => Buffer.from(text, 'utf8').toString('utf8');

const NAMES = Object.keys(MUTATIONS);

/** A value that breaks the rules of its field, keeps them, or comes close. Only the service knows which. */
export const hostileText = (dice: Dice, value: string, schema: JsonSchema): { readonly value: string; readonly what: string } => {
  const what = dice.pick(NAMES);
  return { value: wellFormed(MUTATIONS[what]?.(dice, value, schema) ?? value), what };
};
