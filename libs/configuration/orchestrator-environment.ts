import { join, resolve } from 'node:path';
import { parseUrl } from '@app/kernel';
import {
  environmentReader,
  type FileStore,
  type LogLevel,
  type ServerStore,
  type EnvironmentVariables,
  isProduction,
} from './reading/environment';
import { ConfigurationFault } from './reading/fault';

/** `api` answers requests, `worker` runs reactors, projections and deliveries. */
const ROLES = ['api', 'worker'] as const;
type Role = (typeof ROLES)[number];

const WITNESSES_MAX = 16;
const PATH_CHARACTERS_MAX = 4_096;
const PARTITION = /^([1-9]\d?)\/([1-9]\d?)$/;
const PARTITIONS_MAX = 64;
const HOSTS_MAX = 100;
/** Explicit choice not to sign; a missing key in production is a mistake. */
const NO_SIGNING_KEY = 'none';
const SIGNING_KEY_REQUIRED =
  'is required when NODE_ENV=production: the path of a key that "orch log key new <path>" makes, or none (then no checkpoint and no evidence pack is signed)';
const HOST_NAME = /^[a-z0-9._-]{1,253}$/;

/** The orchestrator's settings from its environment (architecture, "Configuration"); paths are absolute. */
export interface OrchestratorEnvironment {
  readonly isProduction: boolean;
  readonly host: string;
  readonly port: number;
  readonly operatorHost: string;
  readonly operatorPort: number;
  /** Further host names of the operator port, lower case. Its own, `localhost` and IP addresses are always accepted. */
  readonly operatorHosts: readonly string[];
  /** Scheme, host and port of the operator port in a browser, if TLS or another name is in front of it. */
  readonly operatorUrl: string | undefined;
  /** `open`: anyone who reaches the port may read metrics. `token`: only operators. */
  readonly operatorMetrics: 'open' | 'token';
  /** The sandbox's own operator token; ignored in production. */
  readonly operatorTokenPath: string;
  readonly dataDir: string;
  readonly eventStore: FileStore | ServerStore<'eventstoredb'>;
  readonly readModel: FileStore | ServerStore<'postgres'>;
  /** Share of the log's streams for which this process, as worker, writes read models. */
  readonly readModelPartition: { readonly number: number; readonly of: number };
  readonly vault: FileStore | ServerStore<'postgres'>;
  /** Created at the first start; in production only read. */
  readonly vaultKeyringPath: string;
  readonly logProofsDir: string;
  /** Key that signs checkpoints; if undefined, none is signed. */
  readonly logSigningKeyPath: string | undefined;
  /** True only for the sandbox's default key. A key named explicitly is never created. */
  readonly mayMakeLogSigningKey: boolean;
  /** Public half, for verifiers without the private key. */
  readonly logVerifyKeyPath: string | undefined;
  /** Folders that receive a copy of every checkpoint. */
  readonly logWitnesses: readonly string[];
  readonly simulatorLedgerPath: string;
  readonly configurationPath: string;
  readonly logLevel: LogLevel;
  readonly roles: ReadonlySet<Role>;
}

const originOf = (text: string): URL | undefined => {
  const url = parseUrl(text);
  return url !== undefined && /^https?:$/.test(url.protocol) && url.origin === text ? url : undefined;
};

/**
 * Defaults are relative to `packageRoot`, the folder of package.json; given relative paths to the working directory.
 * An empty variable counts as unset.
 * @throws ConfigurationFault with every fault, each by the name of its variable.
 */
export const readEnvironment = (environment: EnvironmentVariables, packageRoot: string): OrchestratorEnvironment => {
  const { faults, given, refuse, portAt, hostAt, pathAt, storeAt, logLevel } = environmentReader(environment);

  const names = (given('ROLES') ?? ROLES.join(',')).split(',').map((name) => name.trim());
  const roles = names.flatMap((name) => ROLES.filter((role) => role === name));
  if (roles.length !== names.length || new Set(roles).size !== roles.length) {
    refuse('ROLES', `must be a comma-separated list of ${ROLES.join(', ')}, each at most once`, undefined);
  }

  const host = hostAt('HOST');
  const port = portAt('PORT', 8080);
  const operatorHost = hostAt('OPERATOR_HOST');
  const operatorPort = portAt('OPERATOR_PORT', 8082);
  const operatorHosts = (given('OPERATOR_HOSTS') ?? '')
    .split(',')
    .map((name) => name.trim().toLowerCase())
    .filter((name) => name !== '');
  if (operatorHosts.length > HOSTS_MAX || !operatorHosts.every((name) => HOST_NAME.test(name)))
    refuse('OPERATOR_HOSTS', `must be a comma-separated list of at most ${HOSTS_MAX} host names, without ports`, undefined);
  const operatorUrl = given('OPERATOR_URL');
  const ownUrl = operatorUrl === undefined ? undefined : originOf(operatorUrl);
  if (operatorUrl !== undefined && ownUrl === undefined)
    refuse('OPERATOR_URL', 'must be scheme, host and port without a path, such as https://operators.example', undefined);
  const operatorMetrics = given('OPERATOR_METRICS') ?? 'open';
  if (operatorMetrics !== 'open' && operatorMetrics !== 'token') refuse('OPERATOR_METRICS', 'must be open or token', undefined);

  if (port !== 0 && port === operatorPort) refuse('OPERATOR_PORT', 'must differ from PORT', undefined);

  if (isProduction(environment) && given('VAULT_KEYRING') === undefined)
    refuse('VAULT_KEYRING', 'is required when NODE_ENV=production', undefined);
  if (isProduction(environment) && given('LOG_SIGNING_KEY') === undefined) refuse('LOG_SIGNING_KEY', SIGNING_KEY_REQUIRED, undefined);

  const logWitnesses = (given('LOG_WITNESSES') ?? '')
    .split(',')
    .map((text) => text.trim())
    .filter((text) => text !== '')
    .flatMap((text) => witnessPathOf(text) ?? refuse('LOG_WITNESSES', 'must be a comma-separated list of directories', []));
  if (logWitnesses.length > WITNESSES_MAX) refuse('LOG_WITNESSES', `must have at most ${WITNESSES_MAX} directories`, undefined);

  const readModelPartition =
    partitionOf(given('READ_MODEL_PARTITION') ?? '1/1') ??
    refuse('READ_MODEL_PARTITION', `must be <number>/<count>, such as 1/2, with a count of at most ${PARTITIONS_MAX}`, {
      number: 1,
      of: 1,
    });

  const dataDir = pathAt('DATA_DIR', join(packageRoot, 'data', 'orchestrator'));
  const keyPathAt = (name: string): string | undefined => (given(name) === undefined ? undefined : pathAt(name, ''));
  const readModel = storeAt('READ_MODEL_URL', join(dataDir, 'read-model.sqlite'), 'postgres', 'postgres: or postgresql:');
  if (readModelPartition.of > 1 && readModel.kind === 'file')
    refuse('READ_MODEL_PARTITION', 'needs read models on PostgreSQL, because a file has only one writer: set READ_MODEL_URL', undefined);
  const read: OrchestratorEnvironment = Object.freeze({
    isProduction: isProduction(environment),
    host,
    port,
    operatorHost,
    operatorPort,
    operatorHosts: Object.freeze(ownUrl === undefined ? operatorHosts : [...operatorHosts, ownUrl.hostname]),
    operatorUrl,
    operatorMetrics: operatorMetrics === 'token' ? 'token' : 'open',
    operatorTokenPath: join(dataDir, 'operator-token'),
    dataDir,
    eventStore: storeAt('EVENTSTORE_URL', join(dataDir, 'events.sqlite'), 'eventstoredb', 'esdb: or esdb+discover:'),
    readModel,
    readModelPartition,
    vault: storeAt('VAULT_URL', join(dataDir, 'vault.sqlite'), 'postgres', 'postgres: or postgresql:'),
    vaultKeyringPath: pathAt('VAULT_KEYRING', join(dataDir, 'vault-keyring.json')),
    logProofsDir: pathAt('LOG_PROOFS', join(dataDir, 'log-proofs')),
    logSigningKeyPath:
      given('LOG_SIGNING_KEY') === NO_SIGNING_KEY ? undefined : (keyPathAt('LOG_SIGNING_KEY') ?? join(dataDir, 'log-signing-key.pem')),
    mayMakeLogSigningKey: !isProduction(environment) && given('LOG_SIGNING_KEY') === undefined,
    logVerifyKeyPath: keyPathAt('LOG_VERIFY_KEY'),
    logWitnesses: Object.freeze(logWitnesses),
    simulatorLedgerPath: join(dataDir, 'simulator.sqlite'),
    configurationPath: pathAt('ORCH_CONFIG', join(packageRoot, 'config', 'sandbox.yaml')),
    logLevel,
    roles: new Set(roles),
  });
  if (faults.length > 0) throw new ConfigurationFault('environment', faults);
  return read;
};

const partitionOf = (text: string): OrchestratorEnvironment['readModelPartition'] | undefined => {
  const [number = 0, of = 0] = (PARTITION.exec(text) ?? []).slice(1).map(Number);
  return number >= 1 && number <= of && of <= PARTITIONS_MAX ? Object.freeze({ number, of }) : undefined;
};

/** Must be a folder (a mount works); addresses are refused. */
const witnessPathOf = (text: string): string | undefined =>
  text.length > PATH_CHARACTERS_MAX || /\p{Cc}|:\/\//u.test(text) ? undefined : resolve(text);
