import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, isAbsolute, join, resolve } from 'node:path';
import { isMap, isScalar, isSeq, parseDocument, visit, type Document } from 'yaml';
import { freePort } from './free-port';
import { freePorts, inheritedBySandbox, portsIn, serviceEnvironment, type Environment } from './sandbox-environment';

export interface SandboxSettings {
  readonly port: number;
  readonly operatorPort: number;
  /** The merchant server's port. */
  readonly merchantPort: number;
  /** The port of the merchant's own site, which receives callbacks. */
  readonly callbackPort: number;
  readonly dataDir: string;
  /** `config/sandbox.yaml`, or one like it for other ports. */
  readonly configurationPath: string;
  /** The service's environment: embedded, whatever this shell is set up for; only `ESDB_URL` names another log. */
  readonly environment: NodeJS.ProcessEnv;
  /** The merchant server's environment, with a data folder of its own. */
  readonly merchantEnvironment: NodeJS.ProcessEnv;
  readonly merchantDataDir: string;
}

/** The ports that `config/sandbox.yaml` names. */
const TEMPLATE_PORTS = { port: 8080, merchantPort: 8081, callbackPort: 8083 };

/** @throws ConfigurationFault for an invalid setting; CommandFailed for a port that is taken */
export const sandboxSettings = async (given: Environment, root: string): Promise<SandboxSettings> => {
  const inherited = inheritedBySandbox(given);
  const configured = portsIn(given, root);
  // Read like the service's own port, so that an invalid one is refused with the same message.
  const portAt = (name: string, fallback: number): number =>
    portsIn({ PORT: given[name] || String(fallback), OPERATOR_PORT: '0' }, root).port;
  const ports = await freePorts(configured);
  const { port, operatorPort } = ports;
  const merchantPort = await freePort('MERCHANT_PORT', portAt('MERCHANT_PORT', TEMPLATE_PORTS.merchantPort));
  const callbackPort = await freePort('CALLBACK_PORT', portAt('CALLBACK_PORT', TEMPLATE_PORTS.callbackPort));
  const dataDir = given['DATA_DIR'] ? resolve(given['DATA_DIR']) : freshFolder(join(root, 'data', 'sandbox'));
  const configurationPath = configurationFor({ port, merchantPort, callbackPort }, join(root, 'config', 'sandbox.yaml'), dataDir);
  const environment = {
    ...serviceEnvironment(inherited, ports, { dataDir, configurationPath }),
    ...(given['ESDB_URL'] && { EVENTSTORE_URL: given['ESDB_URL'] }),
  };
  const merchantDataDir = join(dataDir, 'merchant-server');
  const merchantEnvironment = {
    ...inherited,
    PORT: String(merchantPort),
    OPERATOR_PORT: '0',
    DATA_DIR: merchantDataDir,
    MERCHANT_CONFIG: join(root, 'config', 'merchant-server.yaml'),
  };
  return {
    port,
    operatorPort,
    merchantPort,
    callbackPort,
    dataDir,
    configurationPath,
    environment,
    merchantEnvironment,
    merchantDataDir,
  };
};

const freshFolder = (above: string): string => {
  mkdirSync(above, { recursive: true });
  const stamp = new Date().toISOString().slice(0, 19).replace(/[-:]/g, '').replace('T', '-');
  return mkdtempSync(join(above, `${stamp}-`));
};

/** The template itself where it names these ports; else a copy beside the data that names them. */
const configurationFor = ({ port, merchantPort, callbackPort }: typeof TEMPLATE_PORTS, template: string, dataDir: string): string => {
  if (port === TEMPLATE_PORTS.port && merchantPort === TEMPLATE_PORTS.merchantPort && callbackPort === TEMPLATE_PORTS.callbackPort)
    return template;
  const document = parseDocument(readFileSync(template, 'utf8'));
  document.setIn(['publicBaseUrl'], `http://127.0.0.1:${port}`);
  document.setIn(['egress', 'ports'], [callbackPort]);
  moveMerchantServer(document, merchantPort);
  nameKeyFilesFrom(document, dirname(template));
  mkdirSync(dataDir, { recursive: true });
  const path = join(dataDir, 'sandbox.yaml');
  writeFileSync(path, document.toString());
  return path;
};

/** Moves every address of the merchant server that the template names to another port. */
const moveMerchantServer = (document: Document, merchantPort: number): void => {
  const before = `http://127.0.0.1:${TEMPLATE_PORTS.merchantPort}`;
  visit(document, {
    Scalar: (_key, node) => {
      if (typeof node.value === 'string' && node.value.startsWith(before))
        node.value = `http://127.0.0.1:${merchantPort}${node.value.slice(before.length)}`;
    },
  });
};

/** Makes key files absolute, since a relative name starts at the folder of its configuration file. */
const nameKeyFilesFrom = (document: Document, folder: string): void => {
  const merchants = document.get('merchants');
  if (!isSeq(merchants)) return;
  for (const merchant of merchants.items) {
    if (!isMap(merchant)) continue;
    for (const { key, value } of merchant.items) {
      if (!isScalar(key) || !isScalar(value) || !String(key.value).endsWith('File')) continue;
      const named = String(value.value);
      value.value = isAbsolute(named) ? named : join(folder, named);
    }
  }
};
