import { join } from 'node:path';
import {
  environmentReader,
  type FileStore,
  type LogLevel,
  type ServerStore,
  type EnvironmentVariables,
  isProduction,
} from './reading/environment';
import { ConfigurationFault } from './reading/fault';

interface MerchantServerEnvironment {
  readonly isProduction: boolean;
  readonly host: string;
  readonly port: number;
  readonly operatorHost: string;
  readonly operatorPort: number;
  readonly dataDir: string;
  readonly eventStore: FileStore | ServerStore<'eventstoredb'>;
  /** Created at the first start; in production only read. Servers that share a log share the key ring too. */
  readonly keyringPath: string;
  readonly configurationPath: string;
  readonly logLevel: LogLevel;
}

/** @throws ConfigurationFault with every fault, each by the name of its variable */
export const readMerchantServerEnvironment = (environment: EnvironmentVariables, packageRoot: string): MerchantServerEnvironment => {
  const { faults, given, refuse, portAt, hostAt, pathAt, storeAt, logLevel } = environmentReader(environment);
  if (isProduction(environment) && given('MERCHANT_KEYRING') === undefined) {
    refuse('MERCHANT_KEYRING', 'is required when NODE_ENV=production', undefined);
  }
  const port = portAt('PORT', 8081);
  const operatorPort = portAt('OPERATOR_PORT', 8084);
  if (port !== 0 && port === operatorPort) refuse('OPERATOR_PORT', 'must differ from PORT', undefined);
  const dataDir = pathAt('DATA_DIR', join(packageRoot, 'data', 'merchant-server'));
  const read: MerchantServerEnvironment = Object.freeze({
    isProduction: isProduction(environment),
    host: hostAt('HOST'),
    port,
    operatorHost: hostAt('OPERATOR_HOST'),
    operatorPort,
    dataDir,
    eventStore: storeAt('EVENTSTORE_URL', join(dataDir, 'events.sqlite'), 'eventstoredb', 'esdb: or esdb+discover:'),
    keyringPath: pathAt('MERCHANT_KEYRING', join(dataDir, 'merchant-keyring.json')),
    configurationPath: pathAt('MERCHANT_CONFIG', join(packageRoot, 'config', 'merchant-server.yaml')),
    logLevel,
  });
  if (faults.length > 0) throw new ConfigurationFault('environment', faults);
  return read;
};
