import { mkdirSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { privateFolderProblem, parseUrl, Secret } from '@app/kernel';
import { faultAt, type Fault, type Path, ConfigurationFault } from './fault';

export const isProduction = (environment: EnvironmentVariables): boolean => environment['NODE_ENV'] === 'production';

/** Text from the environment. Unlike text in the file it may represent a number or a flag. */
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
        faults.push(faultAt(path, 'has a ${ without a variable name and }: write ${NAME}'));
        return '';
      }
      const value = environment[name];
      if (value === undefined) faults.push(faultAt(path, `needs the environment variable ${name}, which is not set`));
      return value ?? '';
    }),
  );
};

/** Replaces every `${NAME}` from the environment once; the replaced text is not searched again (architecture, "Configuration"). */
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

/** Without a prototype, so that `__proto__` is an ordinary key (safety, T25). */
export const mappingOf = (entries: readonly (readonly [string, unknown])[]): Record<string, unknown> => {
  const mapping = Object.create(null) as Record<string, unknown>;
  for (const [key, value] of entries) mapping[key] = value;
  return mapping;
};

const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

export type FileStore = Extract<StoreUrl, { kind: 'file' }>;
type ServerKind = Exclude<StoreUrl['kind'], 'file'>;
export type ServerStore<Kind extends ServerKind> = Extract<StoreUrl, { kind: Kind }>;

const PORT = /^(0|[1-9]\d{0,4})$/;
const PORT_MAX = 65_535;
const HOST = /^[A-Za-z0-9._:%-]{1,253}$/;
const PATH_CHARACTERS_MAX = 4_096;

/** Reads the variables that all programs share, each once. An unusable value is recorded as a fault and replaced by a harmless one. */
export interface EnvironmentReader {
  readonly faults: Fault[];
  /** An empty variable counts as unset. */
  readonly given: (name: string) => string | undefined;
  readonly refuse: <Value>(name: string, problem: string, instead: Value) => Value;
  readonly portAt: (name: string, otherwise: number) => number;
  readonly hostAt: (name: string) => string;
  /** Relative paths start at the working directory. */
  readonly pathAt: (name: string, otherwise: string) => string;
  readonly storeAt: <Kind extends ServerKind>(name: string, otherwise: string, kind: Kind, forms: string) => FileStore | ServerStore<Kind>;
  readonly logLevel: LogLevel;
}

export const environmentReader = (environment: EnvironmentVariables): EnvironmentReader => {
  const faults: Fault[] = [];
  const given = (name: string): string | undefined => environment[name] || undefined;
  const refuse = <Value>(name: string, problem: string, instead: Value): Value => {
    faults.push({ path: name, problem });
    return instead;
  };

  const nodeEnv = given('NODE_ENV');
  if (nodeEnv !== undefined && nodeEnv !== 'production' && /^\s*prod/i.test(nodeEnv)) {
    refuse('NODE_ENV', 'resembles "production" but differs from it: write "production" or another word', undefined);
  }
  const level = given('LOG_LEVEL') ?? 'info';

  return {
    faults,
    given,
    refuse,
    portAt: (name, otherwise) => {
      const text = given(name) ?? String(otherwise);
      return PORT.test(text) && Number(text) <= PORT_MAX ? Number(text) : refuse(name, `must be a port, 0 to ${PORT_MAX}`, otherwise);
    },
    hostAt: (name) => {
      const text = given(name) ?? '127.0.0.1';
      return HOST.test(text) ? text : refuse(name, 'must be a host name or an IP address', text);
    },
    pathAt: (name, otherwise) => {
      const text = given(name);
      if (text === undefined) return otherwise;
      return text.length <= PATH_CHARACTERS_MAX && !/\p{Cc}/u.test(text)
        ? resolve(text)
        : refuse(name, 'must be a path without control characters', otherwise);
    },
    storeAt: <Kind extends ServerKind>(name: string, otherwise: string, kind: Kind, forms: string) => {
      const fallback: FileStore = { kind: 'file', path: otherwise };
      const text = given(name);
      const store = text === undefined ? fallback : parseStoreUrl(text);
      if (store?.kind === 'file') return store;
      return store?.kind === kind ? (store as ServerStore<Kind>) : refuse(name, `must be a path, file:, ${forms}`, fallback);
    },
    logLevel: LOG_LEVELS.find((name) => name === level) ?? refuse('LOG_LEVEL', `must be one of ${LOG_LEVELS.join(', ')}`, 'info'),
  };
};

const PRIVATE = 0o700;

/**
 * Creates DATA_DIR, accessible only to its owner, if it is missing. Production refuses a folder that other users can access.
 * @returns the warnings outside production
 * @throws ConfigurationFault if it is refused or cannot be created
 */
export const prepareDataFolder = ({
  dataDir,
  isProduction,
}: {
  readonly dataDir: string;
  readonly isProduction: boolean;
}): readonly Fault[] => {
  const faultOf = (problem: string): Fault => ({ path: 'DATA_DIR', problem });
  let mode: number;
  try {
    mkdirSync(dataDir, { recursive: true, mode: PRIVATE });
    ({ mode } = statSync(dataDir));
  } catch (error) {
    const { code = 'unknown' } = error as NodeJS.ErrnoException;
    throw new ConfigurationFault('environment', [faultOf(`${dataDir} cannot be created (${code})`)]);
  }
  const problem = process.platform === 'win32' ? undefined : privateFolderProblem(mode);
  if (problem === undefined) return [];
  const fault = faultOf(`${dataDir}: ${problem}`);
  if (isProduction) throw new ConfigurationFault('environment', [fault]);
  return [fault];
};

/** Address of a store (architecture, "Stores"). A server's address is secret, since it may contain a password. */
export type StoreUrl =
  | { readonly kind: 'file'; readonly path: string }
  | { readonly kind: 'eventstoredb'; readonly url: Secret<string> }
  | { readonly kind: 'postgres'; readonly url: Secret<string> };

const CHARACTERS_MAX = 4_096;
/** At least two letters: `C:\data` is a path. */
const SCHEME = /^([a-z][a-z0-9+.-]+):/i;
const CONTROL_CHARACTER = /\p{Cc}/u;

const fromFileUrl = (text: string): string | undefined => {
  if (/[?#]/.test(text)) return undefined;
  if (!text.startsWith('file://')) return resolve(text.slice('file:'.length));
  try {
    return fileURLToPath(text);
  } catch {
    return undefined;
  }
};

/** Accepts a path, `file:`, `esdb:`, `esdb+discover:`, `postgres:` or `postgresql:`. Relative paths start at the working directory. */
export const parseStoreUrl = (text: string): StoreUrl | undefined => {
  // SQLite would open this name in memory, and lose acknowledged events.
  if (text.includes(':memory:') || text.length > CHARACTERS_MAX || CONTROL_CHARACTER.test(text)) return undefined;
  const scheme = SCHEME.exec(text)?.[1]?.toLowerCase();
  switch (scheme) {
    case undefined:
      return text === '' ? undefined : { kind: 'file', path: resolve(text) };
    case 'file': {
      const path = fromFileUrl(`file${text.slice('file'.length)}`);
      return path === undefined || text.length === 'file:'.length ? undefined : { kind: 'file', path };
    }
    case 'esdb':
    case 'esdb+discover':
      return text.includes('://') && text.split('://')[1] !== '' ? { kind: 'eventstoredb', url: new Secret(text) } : undefined;
    case 'postgres':
    case 'postgresql':
      return (parseUrl(text)?.host ?? '') !== '' ? { kind: 'postgres', url: new Secret(text) } : undefined;
    default:
      return undefined;
  }
};

/** For logs: without user, password and options. */
export const storeAddress = (at: StoreUrl): string => {
  if (at.kind === 'file') return at.path;
  const [scheme = '', rest = ''] = at.url.reveal().split('://', 2);
  const [authority = ''] = rest.split(/[/?#]/, 1);
  return `${scheme}://${authority.slice(authority.lastIndexOf('@') + 1)}`;
};
