import { faultAt, type Fault, type Path } from './fault';

/** Text from the environment: unlike text in the file it may be a number or a flag, since a variable has no other type. */
export class EnvironmentText {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

export type EnvironmentVariables = Readonly<Record<string, string | undefined>>;

const REFERENCE = /\$\{([^}]*)(\}|$)/g;
const NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;

const substitute = (text: string, environment: EnvironmentVariables, path: Path, faults: Fault[]): unknown => {
  if (!text.includes('${')) return text;
  return new EnvironmentText(
    text.replace(REFERENCE, (_reference, name: string, end: string) => {
      if (end !== '}' || !NAME.test(name)) {
        faults.push(faultAt(path, 'has a ${ that is no ${NAME}'));
        return '';
      }
      const value = environment[name];
      if (value === undefined) faults.push(faultAt(path, `the environment has no ${name}`));
      return value ?? '';
    }),
  );
};

/** Replaces every `${NAME}` in a value from the environment, once: the replaced text is not searched again (architecture, "Configuration"). */
export const fillFromEnvironment = (value: unknown, environment: EnvironmentVariables): { value: unknown; faults: readonly Fault[] } => {
  const faults: Fault[] = [];
  const fill = (node: unknown, path: Path): unknown => {
    if (typeof node === 'string') return substitute(node, environment, path, faults);
    if (Array.isArray(node)) return node.map((item, index) => fill(item, [...path, index]));
    if (typeof node !== 'object' || node === null) return node;
    return mappingOf(Object.entries(node).map(([key, item]) => [key, fill(item, [...path, key])]));
  };
  return { value: fill(value, []), faults };
};

/** Has no prototype, so that a key such as `__proto__` is a key like any other (safety, T25). */
export const mappingOf = (entries: readonly (readonly [string, unknown])[]): Record<string, unknown> => {
  const mapping = Object.create(null) as Record<string, unknown>;
  for (const [key, value] of entries) mapping[key] = value;
  return mapping;
};
