import { isIPv4, isIPv6 } from 'node:net';
import { z } from 'zod';
import { type Brand, isoInstant, type Instant, parseUrl, parseAmount } from '@app/kernel';
import { EnvironmentText } from './environment';

/** 128 bits. IPv4 addresses use the mapped form (`::ffff:0:0/96`), so that both spellings of one host are equal. */
export type IpAddress = Brand<bigint, 'IpAddress'>;

export interface IpRange {
  readonly first: IpAddress;
  readonly last: IpAddress;
  /** As written in the file. */
  readonly text: string;
}

const MAPPED = 0xffffn << 32n;

const fromIpv4 = (text: string): bigint => text.split('.').reduce((value, octet) => (value << 8n) | BigInt(octet), 0n);

const hexGroups = (text: string): string[] => (text === '' ? [] : text.split(':'));

const fromIpv6 = (text: string): bigint => {
  const tail = text.slice(text.lastIndexOf(':') + 1);
  const low = tail.includes('.') ? fromIpv4(tail) : undefined;
  const hex = low === undefined ? text : `${text.slice(0, -tail.length)}${(low >> 16n).toString(16)}:${(low & 0xffffn).toString(16)}`;
  const [left = '', right] = hex.split('::');
  const head = hexGroups(left);
  const rest = hexGroups(right ?? '');
  const zeros = right === undefined ? [] : Array.from({ length: 8 - head.length - rest.length }, () => '0');
  return [...head, ...zeros, ...rest].reduce((value, group) => (value << 16n) | BigInt(`0x${group}`), 0n);
};

/** Parses a dotted quad or an IPv6 address without a zone, and no other notation. */
export const parseIp = (text: string): IpAddress | undefined => {
  if (isIPv4(text)) return (MAPPED | fromIpv4(text)) as IpAddress;
  if (isIPv6(text) && !text.includes('%')) return fromIpv6(text) as IpAddress;
  return undefined;
};

const PREFIX_LENGTH = /^(0|[1-9]\d{0,2})$/;

/** Parses an address or a CIDR block. `10.0.0.1/8` has host bits and is refused as ambiguous. */
export const parseIpRange = (text: string): IpRange | undefined => {
  const [addressText = '', lengthText, more] = text.split('/');
  const address = parseIp(addressText);
  if (address === undefined || more !== undefined) return undefined;
  const bits = isIPv4(addressText) ? 32 : 128;
  if (lengthText !== undefined && !PREFIX_LENGTH.test(lengthText)) return undefined;
  const length = lengthText === undefined ? bits : Number(lengthText);
  if (length > bits) return undefined;
  const hostMask = (1n << BigInt(bits - length)) - 1n;
  if ((address & hostMask) !== 0n) return undefined;
  return { first: address, last: (address | hostMask) as IpAddress, text };
};

/** Completes a message after the path. If only host bits are wrong, it names the network. */
const ipRangeProblem = (text: string): string => {
  const [addressText = '', lengthText = ''] = text.split('/');
  const address = parseIp(addressText);
  const bits = isIPv4(addressText) ? 32 : 128;
  if (address === undefined || !PREFIX_LENGTH.test(lengthText) || Number(lengthText) > bits || text.split('/').length > 2)
    return 'must be an IP address or a CIDR block, such as 192.0.2.0/24';
  const network = address & ~((1n << BigInt(bits - Number(lengthText))) - 1n);
  return `has host bits set: write ${textOf(network, bits)}/${lengthText}, or the address without /${lengthText}`;
};

const textOf = (network: bigint, bits: number): string => {
  if (bits === 32) return [24n, 16n, 8n, 0n].map((shift) => String((network >> shift) & 0xffn)).join('.');
  const groups = Array.from({ length: 8 }, (_, index) => ((network >> BigInt(16 * (7 - index))) & 0xffffn).toString(16));
  return new URL(`http://[${groups.join(':')}]`).hostname.slice(1, -1);
};

export const ipRange = (text: string): IpRange => {
  const range = parseIpRange(text);
  if (range === undefined) throw new Error(`${text} is no range of addresses`);
  return range;
};

export const isInRange = (address: IpAddress, range: IpRange): boolean => address >= range.first && address <= range.last;

/** Ranges by which a host reaches itself. */
const LOOPBACK = ['127.0.0.0/8', '0.0.0.0/8', '::/128', '::1/128'].map(ipRange);

export const touchesLoopback = (range: IpRange): boolean => LOOPBACK.some(({ first, last }) => range.first <= last && first <= range.last);

/** Maximum callback address (interface, section 2.4). */
const ADDRESS_CHARACTERS_MAX = 1024;
const BLANK_OR_CONTROL = /[\s\p{Cc}]/u;

const parsed = (text: string): URL | undefined => {
  if (text.length > ADDRESS_CHARACTERS_MAX || BLANK_OR_CONTROL.test(text)) return undefined;
  const url = parseUrl(text);
  if (url === undefined) return undefined;
  const isWeb = url.protocol === 'http:' || url.protocol === 'https:';
  return isWeb && url.username === '' && url.password === '' && !text.includes('#') ? url : undefined;
};

/** Public address of the service: scheme, host and port only, since the path prefix is a separate key. */
export const baseAddress = () =>
  shaped('an http or https address without a path', (text) => {
    const url = parsed(text);
    return url !== undefined && url.pathname === '/' && !text.includes('?');
  }).transform((text) => new URL(text).origin);

/** Address of a merchant server; paths are appended to it. */
export const serverAddress = () =>
  shaped(
    'an http or https address without user, query and fragment',
    (text) => parsed(text) !== undefined && !text.includes('?'),
  ).transform((text) => new URL(text).href.replace(/\/+$/, ''));

/** A complete address; a query is allowed. */
export const targetAddress = () => shaped('an http or https address without user and fragment', (text) => parsed(text) !== undefined);

export const asText = (value: unknown): unknown => (value instanceof EnvironmentText ? value.text : value);

const NUMBER = /^-?\d{1,15}(\.\d{1,9})?$/;
const asNumber = (value: unknown): unknown =>
  value instanceof EnvironmentText && NUMBER.test(value.text) ? Number(value.text) : asText(value);

const FLAGS: ReadonlyMap<string, boolean> = new Map([
  ['true', true],
  ['false', false],
]);
const asFlag = (value: unknown): unknown => (value instanceof EnvironmentText ? (FLAGS.get(value.text) ?? value.text) : value);

/** These messages name the expected form and never the value, which may be a secret. */
const wanted = (what: string) => ({
  error: ({ input }: { readonly input?: unknown }): string => (input === undefined ? 'is required' : `must be ${what}`),
});

const CONTROL_CHARACTER = /\p{Cc}/u;

/** One line of at most `charactersMax` characters. Unquoted numbers are refused: YAML would have dropped leading zeros. */
export const line = (charactersMax: number) => {
  const what = `text (in quotes if it resembles a number), 1 to ${charactersMax} characters, on one line`;
  return shaped(what, (text) => text.length > 0 && text.length <= charactersMax && !CONTROL_CHARACTER.test(text));
};

export const shaped = (what: string, accepts: (text: string) => boolean) =>
  z.preprocess(asText, z.string(wanted(what)).refine(accepts, `must be ${what}`));

/** Refuses host bits: such a block would cover more than intended. */
export const ipRangeText = () =>
  z.preprocess(
    asText,
    z.string(wanted('an IP address or a CIDR block, such as 192.0.2.0/24')).refine((text) => parseIpRange(text) !== undefined, {
      error: ({ input }) => ipRangeProblem(String(input)),
    }),
  );

export const flag = () => z.preprocess(asFlag, z.boolean(wanted('true or false')));

export const numberIn = (least: number, most: number) => {
  const what = `a number from ${least} to ${most}`;
  return z.preprocess(asNumber, z.number(wanted(what)).min(least, `must be ${what}`).max(most, `must be ${what}`));
};

export const wholeNumberIn = (least: number, most: number) => {
  const what = `a whole number from ${least} to ${most}`;
  return z.preprocess(
    asNumber,
    z
      .number(wanted(what))
      .refine(Number.isInteger, { error: `must be ${what}`, abort: true })
      .min(least, `must be ${what}`)
      .max(most, `must be ${what}`),
  );
};

export const oneOf = <const Names extends readonly [string, ...string[]]>(names: Names) =>
  z.preprocess(asText, z.enum(names, wanted(names.length === 1 ? names[0] : `one of ${names.join(', ')}`)));

const MOMENT = z.iso.datetime({ offset: true });

/** A moment with its zone, converted to UTC in ISO 8601. */
export const moment = () =>
  shaped('a time in ISO 8601 with its zone, such as 2027-01-31T12:00:00Z', (text) => MOMENT.safeParse(text).success).transform((text) =>
    isoInstant(Date.parse(text) as Instant),
  );

/** Quoted major units with a dot, converted to minor units. Money never passes through a float. */
export const amount = () => {
  const what = 'an amount in quotes, such as "100.00"';
  return shaped(what, (text) => parseAmount(text) !== undefined).transform((text) => parseAmount(text) ?? 0n);
};

interface ListLimits {
  readonly least: number;
  readonly most: number;
}

export const listOf = <Item extends z.ZodType>(item: Item, { least, most }: ListLimits) =>
  z.array(item, wanted('a list')).min(least, `must have at least ${least}`).max(most, `must have at most ${most}`);

/** A list of texts without duplicates. */
export const namesOf = <Item extends z.ZodType<string>>(item: Item, limits: ListLimits) =>
  listOf(item, limits).superRefine((names, context) => {
    const seen = new Set<string>();
    names.forEach((name, index) => {
      if (seen.has(name)) context.addIssue({ code: 'custom', path: [index], message: 'occurs twice in this list' });
      seen.add(name);
    });
  });

export const tableOf = <const Names extends readonly [string, ...string[]]>(
  what: string,
  accepts: (name: string) => boolean,
  names: Names,
) => z.record(z.string().refine(accepts, `must be ${what}`), oneOf(names), wanted(`a mapping from ${what} to one of ${names.join(', ')}`));

/** Strict mapping: a misspelt key must not be ignored. */
export const mapping = <Shape extends z.ZodRawShape>(shape: Shape) => z.strictObject(shape, wanted('a mapping'));

export const SECOND_MS = 1_000;
export const MINUTE_MS = 60_000;
export const DAY_MS = 86_400_000;
