import { KeyObject, createHash } from 'node:crypto';
import type { ServiceDigests } from '@app/card-vault';
import type { Configuration } from '@app/configuration';
import { Secret } from '@app/kernel';

type Plain = null | boolean | number | string | readonly Plain[] | { readonly [name: string]: Plain };

/** Enough to tell keys apart, and far too little to find one by. */
const KEY_ID_LENGTH = 16;
/** Letters only: twelve hexadecimal digits in a row may be decimal, and look like a card number. */
const idOf = (hex: string): string =>
  hex.slice(0, KEY_ID_LENGTH).replaceAll(/[0-9a-f]/g, (digit) => String.fromCharCode(FIRST_LETTER + parseInt(digit, 16)));
const FIRST_LETTER = 97;
/** Members that hold what proves somebody, though their type does not say so. */
const PROOFS: ReadonlySet<string> = new Set(['tokenSha256']);
/** A user and a password may stand before the host of an address. */
const USER_IN_ADDRESS = /^([a-z][a-z0-9+.-]*:\/\/)[^/@\s]*@/i;

/** RFC 8785: members in the order of their UTF-16 code units, numbers as ECMAScript writes them. */
export const canonicalText = (value: Plain): string => {
  if (Array.isArray(value)) return `[${value.map(canonicalText).join(',')}]`;
  if (value === null || typeof value !== 'object') return JSON.stringify(value);
  const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${canonicalText(member)}`).join(',')}}`;
};

/** Anything that it does not know is shown as its kind alone: what is added to the configuration later must not be told by accident. */
const redacted = (value: unknown, name: string, keyId: (text: string) => string): Plain | undefined => {
  if (value === undefined || typeof value === 'function') return undefined;
  if (value instanceof Secret) return { keyId: keyId(String(value.reveal())) };
  if (value instanceof KeyObject)
    return value.type === 'public'
      ? {
          keyId: idOf(
            createHash('sha256')
              .update(value.export({ type: 'spki', format: 'der' }))
              .digest('hex'),
          ),
        }
      : { keyId: '[key]' };
  if (typeof value === 'string') return PROOFS.has(name) ? { keyId: keyId(value) } : value.replace(USER_IN_ADDRESS, '$1[redacted]@');
  if (typeof value === 'bigint') return value.toString();
  if (value === null || typeof value === 'boolean' || typeof value === 'number') return value;
  if (Array.isArray(value) || value instanceof Set)
    return [...(value as Iterable<unknown>)].map((item) => redacted(item, name, keyId) ?? null);
  if (value instanceof Map) return members(value as ReadonlyMap<unknown, unknown>, keyId);
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null ? members(Object.entries(value), keyId) : '[other]';
};

const members = (entries: Iterable<readonly [unknown, unknown]>, keyId: (text: string) => string): Plain => {
  const shown: Record<string, Plain> = {};
  for (const [name, value] of entries) {
    const member = redacted(value, String(name), keyId);
    if (member !== undefined) shown[String(name)] = member;
  }
  return shown;
};

/**
 * The configuration as RFC 8785 text, in which each key, password and token is an id: keyed, so that the same secret has the same id and none can be told
 * from it. Warnings are left out, since they say nothing of what applies.
 */
export const redactedConfiguration = (
  { warnings: _warnings, ...configuration }: Configuration,
  digests: Pick<ServiceDigests, 'onceKey'>,
): string => {
  const keyId = (text: string): string => idOf(digests.onceKey('key id', [text]));
  return canonicalText(redacted(configuration, '', keyId) ?? null);
};
