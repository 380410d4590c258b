import type { Json } from './evidence';

const sorted = (value: Json): Json => {
  if (Array.isArray(value)) return value.map((item: Json) => sorted(item));
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value as { readonly [name: string]: Json });
  return Object.fromEntries(members.sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, member]) => [name, sorted(member)]));
};

/**
 * RFC 8785 text of members that are no whole numbers, whose order an object does not keep: the numbers and strings of `JSON.stringify` are those of the
 * standard.
 */
export const canonical = (value: Json): string => JSON.stringify(sorted(value));
