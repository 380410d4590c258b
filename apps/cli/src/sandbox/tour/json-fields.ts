import type { Fields } from './tour-report';

/** The members of a JSON text by their paths, each one field; none for a text that is no JSON. */
export const jsonFields = (text: string): Fields => {
  try {
    return flattened('', JSON.parse(text) as unknown);
  } catch {
    return [];
  }
};

const flattened = (path: string, value: unknown): (readonly [string, string])[] => {
  if (typeof value !== 'object' || value === null) return [[path, String(value)]];
  return Object.entries(value).flatMap(([name, member]) => flattened(path === '' ? name : `${path}.${name}`, member));
};
