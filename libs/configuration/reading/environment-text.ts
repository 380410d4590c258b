import { faultAt, type Fault, type Path } from './fault';

/** Text that came from the environment: unlike text in the file it may stand for a number or a flag, as the environment knows no others. */
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

/** Every `${NAME}` in a value, taken from the environment once: what comes from there is not looked through again (architecture, "Configuration"). */
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

/** Without a prototype: a key such as `__proto__` is a key like any other (safety, T25). */
export const mappingOf = (entries: readonly (readonly [string, unknown])[]): Record<string, unknown> => {
  const mapping = Object.create(null) as Record<string, unknown>;
  for (const [key, value] of entries) mapping[key] = value;
  return mapping;
};
