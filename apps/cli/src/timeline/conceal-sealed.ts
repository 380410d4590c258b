import type { FieldEntry } from '@app/event-store';
import { SEALED } from './event-words';

const CASE = /\([^)]*\)/g;

/** Event data with every field that its schema calls sealed shown as such: ciphertext tells a reader nothing. */
export const concealSealed = (data: unknown, fields: readonly FieldEntry[]): unknown => {
  // A tagged field names its case in the path, which the data have as a member of their own.
  const sealed = new Set(fields.filter(({ kind }) => kind === 'sealed').map(({ path }) => path.replace(CASE, '')));
  const conceal = (value: unknown, path: string): unknown => {
    if (sealed.has(path)) return SEALED;
    if (Array.isArray(value)) return value.map((item) => conceal(item, `${path}[]`));
    if (value === null || typeof value !== 'object') return value;
    return Object.fromEntries(
      Object.entries(value).map(([name, member]) => [name, conceal(member, path === '' ? name : `${path}.${name}`)]),
    );
  };
  return conceal(data, '');
};
