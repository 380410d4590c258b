import { join } from 'node:path';
import { ConfigurationFault, readEnvironment } from '@app/configuration';
import { freePort } from './free-port';

export type Environment = Readonly<Record<string, string | undefined>>;

/** The ports of a service that this shell starts. */
export interface ServicePorts {
  readonly port: number;
  readonly operatorPort: number;
}

/** A sandbox must not use the stores and addresses of a service that this shell is set up for. */
const NOT_INHERITED = [
  'NODE_ENV',
  'EVENTSTORE_URL',
  'READ_MODEL_URL',
  'READ_MODEL_PARTITION',
  'VAULT_URL',
  'VAULT_KEYRING',
  'LOG_PROOFS',
  'LOG_SIGNING_KEY',
  'LOG_VERIFY_KEY',
  'LOG_WITNESSES',
  'ROLES',
  'HOST',
  'OPERATOR_HOST',
  'MERCHANT_KEYRING',
];

/** The variables of the shell that a sandbox inherits. */
export const inheritedBySandbox = (given: Environment): Environment =>
  Object.fromEntries(Object.entries(given).filter(([name]) => !NOT_INHERITED.includes(name)));

/** The configured ports; a port of 0 is any. @throws ConfigurationFault for an invalid port */
export const portsIn = (given: Environment, root: string): ServicePorts =>
  readEnvironment({ PORT: given['PORT'], OPERATOR_PORT: given['OPERATOR_PORT'] }, root);

/** One more port, under a name of its own; 0 is any. @throws ConfigurationFault that names it where it is invalid */
export const portIn = (given: Environment, name: string, otherwise: number, root: string): number => {
  try {
    return portsIn({ PORT: given[name] || String(otherwise), OPERATOR_PORT: '0' }, root).port;
  } catch (error) {
    if (!(error instanceof ConfigurationFault)) throw error;
    throw new ConfigurationFault(
      'environment',
      error.faults.map(({ problem }) => ({ path: name, problem })),
    );
  }
};

/** The same ports, free ones in place of 0. @throws CommandFailed for a port that is taken */
export const freePorts = async ({ port, operatorPort }: ServicePorts): Promise<ServicePorts> => ({
  port: await freePort('PORT', port),
  operatorPort: await freePort('OPERATOR_PORT', operatorPort),
});

/** The environment of the service: what it inherits, and its own ports and files. */
export const serviceEnvironment = (
  inherited: Environment,
  { port, operatorPort }: ServicePorts,
  { dataDir, configurationPath }: { readonly dataDir: string; readonly configurationPath: string },
): NodeJS.ProcessEnv => ({
  ...inherited,
  PORT: String(port),
  OPERATOR_PORT: String(operatorPort),
  DATA_DIR: dataDir,
  ORCH_CONFIG: configurationPath,
});

/** The built merchant server, in a folder of its own below that of the sandbox. */
export interface MerchantServerSettings {
  readonly port: number;
  readonly dataDir: string;
  readonly environment: NodeJS.ProcessEnv;
}

/** The merchant server of `config/merchant-server.yaml`. */
export const merchantServerSettings = (inherited: Environment, port: number, sandboxDir: string, root: string): MerchantServerSettings => {
  const dataDir = join(sandboxDir, 'merchant-server');
  const configuration = { MERCHANT_CONFIG: join(root, 'config', 'merchant-server.yaml') };
  return { port, dataDir, environment: { ...inherited, PORT: String(port), OPERATOR_PORT: '0', DATA_DIR: dataDir, ...configuration } };
};
