import { closeSync, fstatSync, openSync, readSync, constants } from 'node:fs';
import { isControlKey } from './control-key';

/** Neither part ever quotes a value, which may be a secret. */
export interface Fault {
  /** `merchants[0].endpoints[1].gates[0]`, or an environment variable; empty for the whole file. */
  readonly path: string;
  readonly problem: string;
}

export type Path = readonly (string | number)[];

const KEY = /^[A-Za-z_][A-Za-z0-9_-]{0,63}$/;

/** A misplaced secret may be used as a key. */
const isPrintableKey = (key: string): boolean => KEY.test(key) && !isControlKey(key) && !key.startsWith('whsec_');

export const pathText = (path: Path): string =>
  path.reduce<string>((text, part) => {
    if (typeof part === 'number') return `${text}[${part}]`;
    const key = isPrintableKey(part) ? part : '(hidden key)';
    return text === '' ? key : `${text}.${key}`;
  }, '');

export const faultAt = (path: Path, problem: string): Fault => ({ path: pathText(path), problem });

/** The configuration or the environment is unusable. Contains every fault; thrown at start, and stops the process. */
export class ConfigurationFault extends Error {
  override readonly name = 'ConfigurationFault';
  readonly faults: readonly Fault[];

  constructor(source: string, faults: readonly Fault[]) {
    super(
      [`${source}: ${faults.length} fault(s)`, ...faults.map(({ path, problem }) => `  ${path || '(whole file)'}: ${problem}`)].join('\n'),
    );
    this.faults = faults;
  }
}

/**
 * Reads a regular file of at most `bytesMax` bytes, or returns why it cannot. Never blocks on a pipe.
 * @param onMode called with the mode of the file that is actually read
 */
export const readBoundedFile = (path: string, bytesMax: number, onMode?: (mode: number) => void): string | { readonly problem: string } => {
  let descriptor: number | undefined;
  try {
    descriptor = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    const stat = fstatSync(descriptor);
    if (!stat.isFile()) return { problem: 'does not name a regular file' };
    onMode?.(stat.mode);
    if (stat.size > bytesMax) return { problem: `names a file of more than ${bytesMax} bytes` };
    const bytes = Buffer.alloc(bytesMax + 1);
    let length = 0;
    for (let read = -1; read !== 0 && length < bytes.length; length += read) {
      read = readSync(descriptor, bytes, length, bytes.length - length, null);
    }
    return length > bytesMax ? { problem: `names a file of more than ${bytesMax} bytes` } : bytes.toString('utf8', 0, length);
  } catch (error) {
    const { code = 'unreadable' } = error as NodeJS.ErrnoException;
    return { problem: `names a file that cannot be read (${code})` };
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
};
