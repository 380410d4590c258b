import { mkdirSync, mkdtempSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { freePort } from './free-port';
import { configurationWithPorts } from './moved-configuration';
import {
  freePorts,
  inheritedBySandbox,
  merchantServerSettings,
  portIn,
  portsIn,
  serviceEnvironment,
  type Environment,
  type MerchantServerSettings,
} from './sandbox-environment';

export interface SandboxSettings {
  readonly port: number;
  readonly operatorPort: number;
  readonly merchantServer: MerchantServerSettings;
  /** The port of the merchant's own site, which receives callbacks. */
  readonly callbackPort: number;
  readonly dataDir: string;
  /** `config/sandbox.yaml`, or one like it for other ports. */
  readonly configurationPath: string;
  /** The service's environment: embedded, whatever this shell is set up for; only `ESDB_URL` names another log. */
  readonly environment: NodeJS.ProcessEnv;
}

/** The ports that `config/sandbox.yaml` names. */
const TEMPLATE_PORTS = { port: 8080, merchantPort: 8081, callbackPort: 8083 };

/** @throws ConfigurationFault for an invalid setting; CommandFailed for a port that is taken */
export const sandboxSettings = async (given: Environment, root: string): Promise<SandboxSettings> => {
  const inherited = inheritedBySandbox(given);
  const configured = portsIn(given, root);
  const ports = await freePorts(configured);
  const { port, operatorPort } = ports;
  const merchantPort = await freePort('MERCHANT_PORT', portIn(given, 'MERCHANT_PORT', TEMPLATE_PORTS.merchantPort, root));
  const callbackPort = await freePort('CALLBACK_PORT', portIn(given, 'CALLBACK_PORT', TEMPLATE_PORTS.callbackPort, root));
  const dataDir = dataFolder(given, root);
  const moved = new Map([
    [TEMPLATE_PORTS.port, port],
    [TEMPLATE_PORTS.merchantPort, merchantPort],
    [TEMPLATE_PORTS.callbackPort, callbackPort],
  ]);
  const configurationPath = configurationWithPorts(join(root, 'config', 'sandbox.yaml'), moved, dataDir);
  const environment = {
    ...serviceEnvironment(inherited, ports, { dataDir, configurationPath }),
    ...(given['ESDB_URL'] && { EVENTSTORE_URL: given['ESDB_URL'] }),
  };
  const merchantServer = merchantServerSettings(inherited, merchantPort, dataDir, root);
  return { port, operatorPort, merchantServer, callbackPort, dataDir, configurationPath, environment };
};

/** The folder that DATA_DIR names, or a new one. */
export const dataFolder = (given: Environment, root: string): string =>
  given['DATA_DIR'] ? resolve(given['DATA_DIR']) : freshFolder(join(root, 'data', 'sandbox'));

const freshFolder = (above: string): string => {
  mkdirSync(above, { recursive: true });
  const stamp = new Date().toISOString().slice(0, 19).replace(/[-:]/g, '').replace('T', '-');
  return mkdtempSync(join(above, `${stamp}-`));
};
