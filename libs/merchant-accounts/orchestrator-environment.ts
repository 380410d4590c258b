import { join, resolve } from 'node:path';
import type { EnvironmentVariables } from './environment-text';
import { ConfigurationFault, type Fault } from './fault';
import { isProduction } from './node-env';
import { parseStoreUrl, type StoreUrl } from './store-url';

export const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/** `api` answers requests, `worker` runs reactors, projections and deliveries. */
export const ROLES = ['api', 'worker'] as const;
export type Role = (typeof ROLES)[number];

type FileStore = Extract<StoreUrl, { kind: 'file' }>;
type ServerKind = Exclude<StoreUrl['kind'], 'file'>;
type ServerStore<Kind extends ServerKind> = Extract<StoreUrl, { kind: Kind }>;

/** What the orchestrator is told by its environment (architecture, "Configuration"); paths are absolute. */
export interface OrchestratorEnvironment {
  readonly isProduction: boolean;
  readonly host: string;
  /** 0 lets the system choose. */
  readonly port: number;
  readonly operatorHost: string;
  readonly operatorPort: number;
  readonly dataDir: string;
  readonly eventStore: FileStore | ServerStore<'eventstoredb'>;
  readonly readModel: FileStore | ServerStore<'postgres'>;
  readonly vault: FileStore | ServerStore<'postgres'>;
  /** Made on first start, but in production only read. */
  readonly vaultKeyringPath: string;
  /** The simulator gates' own ledger. */
  readonly simulatorLedgerPath: string;
  readonly configurationPath: string;
  readonly logLevel: LogLevel;
  readonly roles: ReadonlySet<Role>;
}

const PORT = /^(0|[1-9]\d{0,4})$/;
const PORT_MAX = 65_535;
const HOST = /^[A-Za-z0-9._:%-]{1,253}$/;
const PATH_CHARACTERS_MAX = 4_096;

/**
 * `packageRoot` is the folder of package.json, for defaults that hold wherever the program is started from; a relative path that is given starts at
 * the working directory. An empty variable counts as one that is not set.
 * @throws ConfigurationFault with every fault, each by the name of its variable.
 */
export const readEnvironment = (environment: EnvironmentVariables, packageRoot: string): OrchestratorEnvironment => {
  const faults: Fault[] = [];
  const given = (name: string): string | undefined => environment[name] || undefined;
  const refuse = <Value>(name: string, problem: string, instead: Value): Value => {
    faults.push({ path: name, problem });
    return instead;
  };

  const portAt = (name: string, otherwise: number): number => {
    const text = given(name) ?? String(otherwise);
    return PORT.test(text) && Number(text) <= PORT_MAX ? Number(text) : refuse(name, `must be a port, 0 to ${PORT_MAX}`, otherwise);
  };
  const hostAt = (name: string): string => {
    const text = given(name) ?? '127.0.0.1';
    return HOST.test(text) ? text : refuse(name, 'must be a host name or an address', text);
  };
  const pathAt = (name: string, otherwise: string): string => {
    const text = given(name);
    if (text === undefined) return otherwise;
    return text.length <= PATH_CHARACTERS_MAX && !/\p{Cc}/u.test(text) ? resolve(text) : refuse(name, 'must be a path', otherwise);
  };
  const storeAt = <Kind extends ServerKind>(name: string, otherwise: string, kind: Kind, forms: string): FileStore | ServerStore<Kind> => {
    const fallback: FileStore = { kind: 'file', path: otherwise };
    const text = given(name);
    const store = text === undefined ? fallback : parseStoreUrl(text);
    if (store?.kind === 'file') return store;
    return store?.kind === kind ? (store as ServerStore<Kind>) : refuse(name, `must be a path, file:, ${forms}`, fallback);
  };

  const nodeEnv = given('NODE_ENV');
  if (nodeEnv !== undefined && nodeEnv !== 'production' && /^\s*prod/i.test(nodeEnv)) {
    refuse('NODE_ENV', 'looks like production and is not: the word is "production"', undefined);
  }

  const level = given('LOG_LEVEL') ?? 'info';
  const logLevel = LOG_LEVELS.find((name) => name === level) ?? refuse('LOG_LEVEL', `must be one of ${LOG_LEVELS.join(', ')}`, 'info');

  const names = (given('ROLES') ?? ROLES.join(',')).split(',').map((name) => name.trim());
  const roles = names.flatMap((name) => ROLES.filter((role) => role === name));
  if (roles.length !== names.length || new Set(roles).size !== roles.length) {
    refuse('ROLES', `must be a comma list of ${ROLES.join(', ')}, each at most once`, undefined);
  }

  const host = hostAt('HOST');
  const port = portAt('PORT', 8080);
  const operatorHost = hostAt('OPERATOR_HOST');
  const operatorPort = portAt('OPERATOR_PORT', 8082);
  if (port !== 0 && port === operatorPort) refuse('OPERATOR_PORT', 'must differ from PORT', undefined);

  if (isProduction(environment) && given('VAULT_KEYRING') === undefined)
    refuse('VAULT_KEYRING', 'is required when NODE_ENV=production', undefined);

  const dataDir = pathAt('DATA_DIR', join(packageRoot, 'data', 'orchestrator'));
  const read: OrchestratorEnvironment = Object.freeze({
    isProduction: isProduction(environment),
    host,
    port,
    operatorHost,
    operatorPort,
    dataDir,
    eventStore: storeAt('EVENTSTORE_URL', join(dataDir, 'events.sqlite'), 'eventstoredb', 'esdb: or esdb+discover:'),
    readModel: storeAt('READ_MODEL_URL', join(dataDir, 'read-model.sqlite'), 'postgres', 'postgres: or postgresql:'),
    vault: storeAt('VAULT_URL', join(dataDir, 'vault.sqlite'), 'postgres', 'postgres: or postgresql:'),
    vaultKeyringPath: pathAt('VAULT_KEYRING', join(dataDir, 'vault-keyring.json')),
    simulatorLedgerPath: join(dataDir, 'simulator.sqlite'),
    configurationPath: pathAt('ORCH_CONFIG', join(packageRoot, 'config', 'sandbox.yaml')),
    logLevel,
    roles: new Set(roles),
  });
  if (faults.length > 0) throw new ConfigurationFault('environment', faults);
  return read;
};
