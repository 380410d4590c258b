import { gzipSync } from 'node:zlib';
import type { JsonSchema } from '@app/gateway-protocol';
import type { WireBody } from './body-faults';
import type { Dice } from './dice';
import { hostileText } from './hostile-texts';

export type JsonObject = Record<string, unknown>;
type Place = { readonly at: JsonObject; readonly name: string; readonly path: string };

const JSON_TYPE = 'application/json';
const BYTES_OVER = 262_145;
const DEPTH = 5_000;
const FREE_TEXT: JsonSchema = { type: 'string', maxLength: 128 };

const placesIn = (at: JsonObject, before = ''): Place[] =>
  Object.entries(at).flatMap(([name, value]) => {
    const path = `${before}${name}`;
    const inner = typeof value === 'object' && value !== null ? placesIn(value as JsonObject, `${path}.`) : [];
    return [{ at, name, path }, ...inner];
  });

const OTHER_VALUES: readonly unknown[] = [
  ...[null, true, false, 0, -1, 1.5, 1e300, -0, 9_007_199_254_740_991, '', [], {}, [[]], [{}], { length: 1 }],
  ...[['a', 'b'], { toString: 'x' }, { reference: {}, card: {} }, '9007199254740993'],
];

export const changeMember = (dice: Dice, body: JsonObject): string => {
  const { at, name, path } = dice.pick(placesIn(body));
  const value = at[name];
  if (dice.chance(0.12)) {
    delete at[name];
    return `${path}: absent`;
  }
  if (typeof value === 'string' && dice.chance(0.75)) {
    const { value: hostile, what } = hostileText(dice, value, FREE_TEXT);
    at[name] = hostile;
    return `${path}: ${what}`;
  }
  at[name] = structuredClone(dice.pick(OTHER_VALUES));
  return `${path}: ${JSON.stringify(at[name])}`;
};

type JsonFault = (dice: Dice, text: string) => string | Buffer;

const inFront = (text: string, member: string): string => text.replace('{', `{${member},`);

/** Faults of the body as text, whatever its members are (protocol decisions, section 8; safety, T25 and T26). */
const FAULTS: Readonly<Record<string, JsonFault>> = {
  'a key twice': (_dice, text) => inFront(text, '"session":{}'),
  'a key twice in another writing': (_dice, text) => inFront(text, '"\\u0073ession":{}'),
  'the name of every object': (dice, text) =>
    inFront(text, dice.pick(['"__proto__":{"x":1}', '"constructor":{"prototype":{"x":1}}', '"\\u005f_proto__":1', '"prototype":[]'])),
  'members that are unknown': (dice, text) => inFront(text, `"${dice.bytes(6).toString('hex')}":{"toString":1,"hasOwnProperty":[null]}`),
  'great depth': (dice, text) => inFront(text, `"deep":${'['.repeat(DEPTH)}${dice.chance(0.5) ? ']'.repeat(DEPTH) : ''}`),
  'depth beyond ten': (_dice, text) => inFront(text, `"deep":${'{"a":'.repeat(10)}1${'}'.repeat(10)}`),
  'an integer beyond 2^53': (dice, text) =>
    inFront(text, `"big":${dice.pick(['9007199254740993', '1e400', '-9007199254740993', '123456789012345678901234567890'])}`),
  'numbers that are none': (dice, text) => inFront(text, `"n":${dice.pick(['NaN', '01', '+1', '.5', '1.', '0x1', 'Infinity', '1e'])}`),
  'half a character': (_dice, text) => inFront(text, '"half":"\\ud83d"'),
  'bytes that are no UTF-8': (dice, text) => {
    const at = dice.below(text.length);
    return Buffer.concat([Buffer.from(text.slice(0, at)), dice.bytes(1 + dice.below(4)), Buffer.from(text.slice(at))]);
  },
  'nothing but bytes': (dice) => dice.bytes(dice.below(200)),
  'cut off': (dice, text) => text.slice(0, dice.below(text.length)),
  twice: (_dice, text) => text + text,
  'something behind': (dice, text) => text + dice.pick(['x', ',', '\0', '}', ' \n', '//']),
  'a mark of byte order': (_dice, text) => `\ufeff${text}`,
  'comments and commas': (dice, text) => dice.pick([`/* */${text}`, text.replace(/\}$/, ',}'), text.replaceAll('"', "'")]),
  'another kind of value': (dice) => dice.pick(['null', '[]', '"text"', '7', 'true', '[{}]', '{}', '']),
  'much white space': (_dice, text) => ' \n\t'.repeat(20_000) + text,
  'a long text': (dice, text) => inFront(text, `"long":"${'x'.repeat(dice.below(200_000))}"`),
};
const NAMES = Object.keys(FAULTS);
const TYPES = [JSON_TYPE, JSON_TYPE, `${JSON_TYPE}; charset=utf-16`, 'text/plain', 'application/x-www-form-urlencoded', ''];
const NO_TYPE_SHARE = 0.1;
const LARGE_SHARE = 0.02;

export const jsonBody = (text: string): WireBody => ({ bytes: Buffer.from(text), contentType: JSON_TYPE });

export const faultyJson = (dice: Dice, text: string): WireBody & { readonly what: string } => {
  if (dice.chance(LARGE_SHARE)) return { ...jsonBody(`"${'x'.repeat(BYTES_OVER)}"`), what: 'over 256 KiB' };
  if (dice.chance(0.05)) return { ...jsonBody(text), bytes: gzipSync(text), encoding: 'gzip', what: 'compressed' };
  const what = dice.pick(NAMES);
  const made = FAULTS[what]?.(dice, text);
  if (made === undefined) throw new Error(`no fault ${what}`);
  return { bytes: Buffer.from(made as string), contentType: dice.chance(NO_TYPE_SHARE) ? undefined : dice.pick(TYPES), what };
};
