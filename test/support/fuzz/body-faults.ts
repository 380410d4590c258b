import { gzipSync } from 'node:zlib';
import type { Dice } from './dice';

export interface WireBody {
  readonly bytes: Buffer;
  readonly contentType: string | undefined;
  readonly encoding?: string;
}

const FORM = 'application/x-www-form-urlencoded';
const PARAMETERS_TOO_MANY = 1_001;
const BODY_BYTES_OVER = 1_048_577;

type BodyFault = (dice: Dice, body: string) => WireBody;

const form = (text: string | Buffer): WireBody => ({ bytes: Buffer.from(text as string, 'utf8'), contentType: FORM });
const typed = (contentType: string | undefined) => (_dice: Dice, body: string) => ({ bytes: Buffer.from(body), contentType });
const pairsOf = (body: string): string[] => body.split('&');
const nameOf = (pair: string): string => pair.slice(0, Math.max(0, pair.indexOf('=')));
const replaced = (dice: Dice, body: string, part: string): string => {
  const at = dice.below(body.length + 1);
  return body.slice(0, at) + part + body.slice(at + part.length);
};
const everyByteEscaped = (text: string): string => Buffer.from(text).toString('hex').replace(/../g, '%$&');

/** Faults of the form as a whole, whatever its fields are (protocol decisions, section 3; safety, T22 and T25). */
const FAULTS: Readonly<Record<string, BodyFault>> = {
  'percent-encoding cut short': (dice, body) => form(replaced(dice, body, dice.pick(['%', '%4', '%zz', '%u0041', '%%', '%2', '%-1']))),
  'bytes that are no UTF-8': (dice, body) => form(replaced(dice, body, dice.pick(['%ff', '%c0%af', '%ed%a0%80', '%f4%90%80%80', '%80']))),
  'raw bytes': (dice, body) => form(Buffer.concat([Buffer.from(body), dice.bytes(1 + dice.below(20))])),
  'nothing but bytes': (dice) => form(dice.bytes(dice.below(200))),
  'a NUL': (dice, body) => form(replaced(dice, body, dice.pick(['%00', '\0']))),
  'a field twice': (dice, body) => form(`${body}&${dice.pick(pairsOf(body))}`),
  'a field twice under two spellings': (dice, body) => form(`${body}&${everyByteEscaped(nameOf(dice.pick(pairsOf(body))))}=1`),
  'a field as a list': (dice, body) => form(`${body}&${nameOf(dice.pick(pairsOf(body)))}[]=1&a[b][c]=2`),
  'names of every object': (_dice, body) => form(`${body}&__proto__=1&constructor=1&toString=1&hasOwnProperty=1&__proto__[x]=1`),
  'fields that are unknown': (dice, body) => form(`${body}&${dice.bytes(9).toString('hex')}=${dice.bytes(9).toString('hex')}&login_=x`),
  'fields in another order': (_dice, body) => form(pairsOf(body).reverse().join('&')),
  'ampersands alone': (_dice, body) => form(`&&${body.replaceAll('&', '&&')}&`),
  'other separators': (_dice, body) => form(body.replaceAll('&', ';')),
  'names without values': (_dice, body) => form(pairsOf(body).map(nameOf).join('&')),
  'every byte escaped': (_dice, body) =>
    form(
      pairsOf(body)
        .map((pair) => `${everyByteEscaped(nameOf(pair))}${pair.slice(nameOf(pair).length)}`)
        .join('&'),
    ),
  'a mark of byte order': (_dice, body) => form(`\ufeff${body}`),
  'cut off': (dice, body) => form(body.slice(0, dice.below(body.length + 1))),
  nothing: () => form(''),
  'too many fields': (_dice, body) =>
    form(`${body}&${Array.from({ length: PARAMETERS_TOO_MANY }, (_value, index) => `p${index}=`).join('&')}`),
  'JSON, said to be a form': (_dice, body) => form(JSON.stringify(Object.fromEntries(new URLSearchParams(body)))),
  'JSON of great depth': () => ({ bytes: Buffer.from('['.repeat(5_000)), contentType: 'application/json' }),
  'no type': typed(undefined),
  'an empty type': typed(''),
  'plain text': typed('text/plain'),
  multipart: typed('multipart/form-data; boundary=x'),
  'another character set': typed(`${FORM}; charset=utf-16`),
  'a broken type': typed(`${FORM};;;charset`),
  'two types': typed(`${FORM}, text/plain`),
  'a type of great length': typed(`${FORM}; ${'x'.repeat(4_000)}`),
  'capitals in the type': typed(`${FORM.toUpperCase()}; CHARSET="UTF-8"`),
  compressed: (_dice, body) => ({ ...form(gzipSync(body)), bytes: gzipSync(body), encoding: 'gzip' }),
  'said to be compressed': (dice, body) => ({ ...form(body), encoding: dice.pick(['gzip', 'br', 'deflate', 'x', 'identity, gzip']) }),
};

const NAMES = Object.keys(FAULTS);

/** Rare, because one costs as much as a thousand others. */
const LARGE_SHARE = 0.01;

export const faultyBody = (dice: Dice, body: string): WireBody & { readonly what: string } => {
  if (dice.chance(LARGE_SHARE)) return { ...form('a='.padEnd(BODY_BYTES_OVER, '1')), what: 'over 1 MiB' };
  const what = dice.pick(NAMES);
  const made = FAULTS[what]?.(dice, body);
  if (made === undefined) throw new Error(`no fault ${what}`);
  return { ...made, what };
};

export const formBody = (body: string): WireBody => form(body);
