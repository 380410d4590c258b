/** The part of an address after `?`: each name once, or several times as a list. */
export type RawSearch = Readonly<Record<string, unknown>>;

/** Values stay texts: `?order=1218710674` is not turned into a number, and needs no quotes. */
export const parseSearch = (text: string): RawSearch => {
  const values = new Map<string, string | string[]>();
  for (const [name, value] of new URLSearchParams(text)) {
    const before = values.get(name);
    if (before === undefined) values.set(name, value);
    else if (typeof before === 'string') values.set(name, [before, value]);
    else before.push(value);
  }
  return Object.fromEntries(values);
};

/** The opposite of `parseSearch`. Absent and empty values are left out. */
export const stringifySearch = (search: RawSearch): string => {
  const values = new URLSearchParams();
  for (const [name, value] of Object.entries(search))
    for (const one of Array.isArray(value) ? (value as readonly unknown[]) : [value])
      if (typeof one === 'string' ? one !== '' : typeof one === 'number' || one === true) values.append(name, String(one));
  const text = values.toString();
  return text === '' ? '' : `?${text}`;
};

/** A text of the address, or undefined. */
export const textOf = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined);

/** One of the allowed words, or undefined: an address may have been typed by hand. */
export const wordOf = <Word extends string>(allowed: readonly Word[], value: unknown): Word | undefined =>
  allowed.find((word) => word === value);

/** All values of a name. */
export const listOf = (value: unknown): readonly string[] =>
  Array.isArray(value) ? value.filter((one): one is string => typeof one === 'string' && one !== '') : [textOf(value) ?? []].flat();

/** A whole number from 0, or undefined. */
export const numberOf = (value: unknown): number | undefined => {
  const text = typeof value === 'number' ? String(value) : textOf(value);
  return text !== undefined && /^\d{1,15}$/.test(text) ? Number(text) : undefined;
};

/** True or absent. */
export const flagOf = (value: unknown): true | undefined => (value === true || value === 'true' ? true : undefined);
