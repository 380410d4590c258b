import { join } from 'node:path';
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
import { dataFolder } from './sandbox-settings';

/** One instance of the service. */
export interface TierSettings {
  readonly port: number;
  readonly operatorPort: number;
  readonly dataDir: string;
  readonly configurationPath: string;
  readonly environment: NodeJS.ProcessEnv;
}

export interface TwoTierSettings {
  /** The instance that the merchant talks to. */
  readonly service: TierSettings;
  /** The instance that is its gate. */
  readonly upstream: TierSettings;
  /** The merchant's server, which answers for orders of apps. */
  readonly merchantServer: MerchantServerSettings;
  /** The port of the merchant's own site, which receives callbacks. */
  readonly callbackPort: number;
}

/** The ports that the files of `config/two-tiers` name. */
const TEMPLATE_PORTS = { service: 8080, merchant: 8081, callback: 8083, upstream: 8090 };
const UPSTREAM_OPERATOR_PORT = 8092;

/** Both instances keep all that they have in files, each in a folder of its own. @throws ConfigurationFault, CommandFailed as `sandboxSettings` does */
export const twoTierSettings = async (given: Environment, root: string): Promise<TwoTierSettings> => {
  const inherited = inheritedBySandbox(given);
  const servicePorts = await freePorts(portsIn(given, root));
  // Who takes any port for one instance takes any for the other.
  const port = await freePort('UPSTREAM_PORT', portIn(given, 'UPSTREAM_PORT', given['PORT'] === '0' ? 0 : TEMPLATE_PORTS.upstream, root));
  const anyOperator = given['OPERATOR_PORT'] === '0' ? 0 : UPSTREAM_OPERATOR_PORT;
  const operatorPort = await freePort('UPSTREAM_OPERATOR_PORT', portIn(given, 'UPSTREAM_OPERATOR_PORT', anyOperator, root));
  const callbackPort = await freePort('CALLBACK_PORT', portIn(given, 'CALLBACK_PORT', TEMPLATE_PORTS.callback, root));
  const merchantPort = await freePort('MERCHANT_PORT', portIn(given, 'MERCHANT_PORT', TEMPLATE_PORTS.merchant, root));
  const moved = new Map([
    [TEMPLATE_PORTS.service, servicePorts.port],
    [TEMPLATE_PORTS.merchant, merchantPort],
    [TEMPLATE_PORTS.callback, callbackPort],
    [TEMPLATE_PORTS.upstream, port],
  ]);
  const dataDir = dataFolder(given, root);
  const tier = (template: string, ports: typeof servicePorts, folder: string): TierSettings => {
    const configurationPath = configurationWithPorts(join(root, 'config', 'two-tiers', template), moved, folder);
    const environment = serviceEnvironment(inherited, ports, { dataDir: folder, configurationPath });
    return { ...ports, dataDir: folder, configurationPath, environment };
  };
  return {
    service: tier('service.yaml', servicePorts, dataDir),
    upstream: tier('upstream.yaml', { port, operatorPort }, join(dataDir, 'upstream')),
    merchantServer: merchantServerSettings(inherited, merchantPort, dataDir, root),
    callbackPort,
  };
};
