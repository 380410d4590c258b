import { isIPv4, isIPv6 } from 'node:net';
import type { Brand } from '@app/kernel';

/** 128 bits; an IPv4 address has its mapped form (`::ffff:0:0/96`), so that the two spellings of one host are one value. */
export type IpAddress = Brand<bigint, 'IpAddress'>;

/** Every address from `first` to `last`, both included. */
export interface IpRange {
  readonly first: IpAddress;
  readonly last: IpAddress;
  /** The range's text in the file. */
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

/** Parses an address or a CIDR block whose host bits are zero: `10.0.0.1/8` is ambiguous and refused. */
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

/** What is wrong with a text that is no range, to follow its path: it names the network if only the host bits are set. */
export const ipRangeProblem = (text: string): string => {
  const [addressText = '', lengthText = ''] = text.split('/');
  const address = parseIp(addressText);
  const bits = isIPv4(addressText) ? 32 : 128;
  if (address === undefined || !PREFIX_LENGTH.test(lengthText) || Number(lengthText) > bits || text.split('/').length > 2)
    return 'must be an IP address or a CIDR block, such as 192.0.2.0/24';
  const network = address & ~((1n << BigInt(bits - Number(lengthText))) - 1n);
  return `names a host and not a block: write ${textOf(network, bits)}/${lengthText}, or the address without /${lengthText}`;
};

const textOf = (network: bigint, bits: number): string => {
  if (bits === 32) return [24n, 16n, 8n, 0n].map((shift) => String((network >> shift) & 0xffn)).join('.');
  const groups = Array.from({ length: 8 }, (_, index) => ((network >> BigInt(16 * (7 - index))) & 0xffffn).toString(16));
  return new URL(`http://[${groups.join(':')}]`).hostname.slice(1, -1);
};

/** For ranges that the code itself names. */
export const ipRange = (text: string): IpRange => {
  const range = parseIpRange(text);
  if (range === undefined) throw new Error(`${text} is no range of addresses`);
  return range;
};

export const isInRange = (address: IpAddress, range: IpRange): boolean => address >= range.first && address <= range.last;

/** The ranges by which a host reaches itself. */
const LOOPBACK = ['127.0.0.0/8', '0.0.0.0/8', '::/128', '::1/128'].map(ipRange);

export const touchesLoopback = (range: IpRange): boolean => LOOPBACK.some(({ first, last }) => range.first <= last && first <= range.last);
