import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { readShape, type ComposeFile } from './compose-shape';

const ROOT = join(__dirname, '..', '..', '..');

/**
 * Resolves anchors and merges but fills no variables.
 * @throws if it does not have the shape of a compose file
 */
export const readComposeFile = (): ComposeFile => readShape(parse(readFileSync(join(ROOT, 'docker-compose.yml'), 'utf8'), { merge: true }));

export const readVariables = (name: string): Record<string, string> => {
  const lines = readFileSync(join(ROOT, 'deploy', name), 'utf8').split('\n');
  const assignments = lines.filter((line) => line !== '' && !line.startsWith('#')).map((line) => /^([A-Z_]+)=(.*)$/.exec(line));
  return Object.fromEntries(
    assignments.map((match) => {
      if (match === null) throw new Error(`${name}: a line that is no NAME=value`);
      return [match[1] ?? '', match[2] ?? ''];
    }),
  );
};

const REFERENCE = /\$(?:\$|\{([A-Z_][A-Z0-9_]*)(?::([?-])([^}]*))?\}|(.?))/g;

export interface Reference {
  readonly name: string;
  /**
   * `required`: an empty or missing one stops the start. `default`: has a default. `bare`: missing means empty, which no file here may use.
   */
  readonly kind: 'required' | 'default' | 'bare';
  readonly text: string;
}

/**
 * @throws on a `$` that starts neither `${NAME}` nor `$$`
 */
export const referencesIn = (text: string): readonly Reference[] =>
  [...text.matchAll(REFERENCE)].flatMap(([whole, name, sign, rest = '', stray]) => {
    if (whole === '$$') return [];
    if (name === undefined) throw new Error(`a stray $${stray ?? ''} in ${text}`);
    return [{ name, kind: sign === '?' ? 'required' : sign === '-' ? 'default' : 'bare', text: rest } as const];
  });

/**
 * Fills variables like compose (`${NAME:?}`, `${NAME:-default}`, `$$`).
 * @throws if a required one is missing
 */
export const filled = (text: string, variables: Readonly<Record<string, string>>): string =>
  text.replace(REFERENCE, (whole, name: string | undefined, sign: string | undefined, rest: string | undefined) => {
    if (whole === '$$') return '$';
    if (name === undefined) throw new Error(`a stray $ in ${text}`);
    const value = variables[name] ?? '';
    if (value !== '' || sign === undefined) return value;
    if (sign === '?') throw new Error(`${name} is missing: ${rest ?? ''}`);
    return rest ?? '';
  });

export const environmentOf = (
  file: ComposeFile,
  service: string,
  variables: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> => {
  const found = file.services[service];
  if (found === undefined) throw new Error(`no service ${service}`);
  return Object.fromEntries(Object.entries(found.environment ?? {}).map(([name, value]) => [name, filled(value, variables)]));
};

export const textsOf = (node: unknown): readonly string[] => {
  if (typeof node === 'string') return [node];
  return typeof node === 'object' && node !== null ? Object.values(node).flatMap(textsOf) : [];
};
