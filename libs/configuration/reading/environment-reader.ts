import { resolve } from 'node:path';
import type { EnvironmentVariables } from './environment-text';
import type { Fault } from './fault';
import { parseStoreUrl, type StoreUrl } from './store-url';

const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

export type FileStore = Extract<StoreUrl, { kind: 'file' }>;
type ServerKind = Exclude<StoreUrl['kind'], 'file'>;
export type ServerStore<Kind extends ServerKind> = Extract<StoreUrl, { kind: Kind }>;

const PORT = /^(0|[1-9]\d{0,4})$/;
const PORT_MAX = 65_535;
const HOST = /^[A-Za-z0-9._:%-]{1,253}$/;
const PATH_CHARACTERS_MAX = 4_096;

/** Reads the variables that the programs share, each once; an unusable value is noted as a fault, and replaced by a harmless one. */
export interface EnvironmentReader {
  readonly faults: Fault[];
  /** An empty variable counts as one that is not set. */
  readonly given: (name: string) => string | undefined;
  readonly refuse: <Value>(name: string, problem: string, instead: Value) => Value;
  readonly portAt: (name: string, otherwise: number) => number;
  readonly hostAt: (name: string) => string;
  /** A given relative path starts at the working directory. */
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
    refuse('NODE_ENV', 'looks like production and is not: the word is "production"', undefined);
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
      return HOST.test(text) ? text : refuse(name, 'must be a host name or an address', text);
    },
    pathAt: (name, otherwise) => {
      const text = given(name);
      if (text === undefined) return otherwise;
      return text.length <= PATH_CHARACTERS_MAX && !/\p{Cc}/u.test(text) ? resolve(text) : refuse(name, 'must be a path', otherwise);
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
