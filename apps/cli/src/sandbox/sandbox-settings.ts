import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, isAbsolute, join, resolve } from 'node:path';
import { isMap, isScalar, isSeq, parseDocument, visit, type Document } from 'yaml';
import { readEnvironment } from '@app/configuration';
import { freePort } from './free-port';

export interface SandboxSettings {
  readonly port: number;
  readonly operatorPort: number;
  /** Of the merchant server. */
  readonly merchantPort: number;
  /** Of the merchant's own site, which hears callbacks. */
  readonly callbackPort: number;
  readonly dataDir: string;
  /** `config/sandbox.yaml`, or one like it for other ports. */
  readonly configurationPath: string;
  /** For the service: the embedded default, whatever this shell is set up for; `ESDB_URL` alone names another log. */
  readonly environment: NodeJS.ProcessEnv;
  /** For the merchant server, whose data lie in a folder of their own. */
  readonly merchantEnvironment: NodeJS.ProcessEnv;
  readonly merchantDataDir: string;
}

/** What the configuration says of this service's and the merchant's ports. */
const CONFIGURED = { port: 8080, merchantPort: 8081, callbackPort: 8083 };
/** Settings of a service that is no sandbox. */
const LEFT_OUT = [
  'NODE_ENV',
  'EVENTSTORE_URL',
  'READ_MODEL_URL',
  'VAULT_URL',
  'VAULT_KEYRING',
  'ROLES',
  'HOST',
  'OPERATOR_HOST',
  'MERCHANT_KEYRING',
];

type Environment = Readonly<Record<string, string | undefined>>;

/** What a sandbox takes over of the shell that it is started from: not where a service that is none has its stores. */
export const inheritedBySandbox = (given: Environment): Environment =>
  Object.fromEntries(Object.entries(given).filter(([name]) => !LEFT_OUT.includes(name)));

/** @throws ConfigurationFault for a setting that is none; CommandFailed for a port that is taken */
export const sandboxSettings = async (given: Environment, root: string): Promise<SandboxSettings> => {
  const inherited = inheritedBySandbox(given);
  // One reader for all ports, so that all are refused in the same words.
  const ports = readEnvironment({ PORT: given['PORT'], OPERATOR_PORT: given['OPERATOR_PORT'] }, root);
  const portAt = (name: string, fallback: number): number =>
    readEnvironment({ PORT: given[name] || String(fallback), OPERATOR_PORT: '0' }, root).port;
  const port = await freePort('PORT', ports.port);
  const operatorPort = await freePort('OPERATOR_PORT', ports.operatorPort);
  const merchantPort = await freePort('MERCHANT_PORT', portAt('MERCHANT_PORT', CONFIGURED.merchantPort));
  const callbackPort = await freePort('CALLBACK_PORT', portAt('CALLBACK_PORT', CONFIGURED.callbackPort));
  const dataDir = given['DATA_DIR'] ? resolve(given['DATA_DIR']) : freshFolder(join(root, 'data', 'sandbox'));
  const configurationPath = configurationFor({ port, merchantPort, callbackPort }, join(root, 'config', 'sandbox.yaml'), dataDir);
  const environment = {
    ...inherited,
    PORT: String(port),
    OPERATOR_PORT: String(operatorPort),
    DATA_DIR: dataDir,
    ORCH_CONFIG: configurationPath,
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

/** The file itself where the ports are those that it names; else one beside the data that names these. */
const configurationFor = ({ port, merchantPort, callbackPort }: typeof CONFIGURED, template: string, dataDir: string): string => {
  if (port === CONFIGURED.port && merchantPort === CONFIGURED.merchantPort && callbackPort === CONFIGURED.callbackPort) return template;
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

/** Every address of the merchant server that the template names, at another port. */
const moveMerchantServer = (document: Document, merchantPort: number): void => {
  const before = `http://127.0.0.1:${CONFIGURED.merchantPort}`;
  visit(document, {
    Scalar: (_key, node) => {
      if (typeof node.value === 'string' && node.value.startsWith(before))
        node.value = `http://127.0.0.1:${merchantPort}${node.value.slice(before.length)}`;
    },
  });
};

/** A relative file name starts at the folder of the file that names it. */
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
