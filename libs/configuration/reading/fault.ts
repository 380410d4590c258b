import { isControlKey } from './control-key';

/** One fault and its path. Neither part ever quotes a value, which may be a secret. */
export interface Fault {
  /** `merchants[0].endpoints[1].gates[0]`, or the name of an environment variable; empty for the whole file. */
  readonly path: string;
  readonly problem: string;
}

export type Path = readonly (string | number)[];

const KEY = /^[A-Za-z_][A-Za-z0-9_-]{0,63}$/;

/** A key may be printed unless it looks like a misplaced secret. */
const isPrintableKey = (key: string): boolean => KEY.test(key) && !isControlKey(key) && !key.startsWith('whsec_');

export const pathText = (path: Path): string =>
  path.reduce<string>((text, part) => {
    if (typeof part === 'number') return `${text}[${part}]`;
    const key = isPrintableKey(part) ? part : '(a key not shown)';
    return text === '' ? key : `${text}.${key}`;
  }, '');

export const faultAt = (path: Path, problem: string): Fault => ({ path: pathText(path), problem });

/** The configuration or the environment cannot be used; holds every fault, not the first. Thrown at start, and stops the process. */
export class ConfigurationFault extends Error {
  override readonly name = 'ConfigurationFault';
  readonly faults: readonly Fault[];

  constructor(source: string, faults: readonly Fault[]) {
    super([`${source}: ${faults.length} fault(s)`, ...faults.map(({ path, problem }) => `  ${path || '(whole)'}: ${problem}`)].join('\n'));
    this.faults = faults;
  }
}
