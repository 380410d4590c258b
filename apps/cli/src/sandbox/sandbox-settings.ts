import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, isAbsolute, join, resolve } from 'node:path';
import { isMap, isScalar, isSeq, parseDocument, type Document } from 'yaml';
import { readEnvironment } from '@app/merchant-accounts';
import { freePort } from './free-port';

export interface SandboxSettings {
  readonly port: number;
  readonly operatorPort: number;
  readonly callbackPort: number;
  readonly dataDir: string;
  /** `config/sandbox.yaml`, or one like it for other ports. */
  readonly configurationPath: string;
  /** For the service: the embedded default, whatever this shell is set up for; `ESDB_URL` alone names another log. */
  readonly environment: NodeJS.ProcessEnv;
}

/** What the configuration says of this service's and the merchant's ports. */
const CONFIGURED = { port: 8080, callbackPort: 8081 };
/** Settings of a service that is no sandbox. */
const LEFT_OUT = ['NODE_ENV', 'EVENTSTORE_URL', 'READ_MODEL_URL', 'VAULT_URL', 'VAULT_KEYRING', 'ROLES', 'HOST', 'OPERATOR_HOST'];

type Environment = Readonly<Record<string, string | undefined>>;

/** @throws ConfigurationFault for a setting that is none; CommandFailed for a port that is taken */
export const sandboxSettings = async (given: Environment, root: string): Promise<SandboxSettings> => {
  const inherited = Object.fromEntries(Object.entries(given).filter(([name]) => !LEFT_OUT.includes(name)));
  // One reader for all ports, so that all are refused in the same words.
  const ports = readEnvironment({ PORT: given['PORT'], OPERATOR_PORT: given['OPERATOR_PORT'] }, root);
  const callback = readEnvironment({ PORT: given['CALLBACK_PORT'] || String(CONFIGURED.callbackPort), OPERATOR_PORT: '0' }, root);
  const port = await freePort('PORT', ports.port);
  const operatorPort = await freePort('OPERATOR_PORT', ports.operatorPort);
  const callbackPort = await freePort('CALLBACK_PORT', callback.port);
  const dataDir = given['DATA_DIR'] ? resolve(given['DATA_DIR']) : freshFolder(join(root, 'data', 'sandbox'));
  const configurationPath = configurationFor({ port, callbackPort }, join(root, 'config', 'sandbox.yaml'), dataDir);
  const environment = {
    ...inherited,
    PORT: String(port),
    OPERATOR_PORT: String(operatorPort),
    DATA_DIR: dataDir,
    ORCH_CONFIG: configurationPath,
    ...(given['ESDB_URL'] && { EVENTSTORE_URL: given['ESDB_URL'] }),
  };
  return { port, operatorPort, callbackPort, dataDir, configurationPath, environment };
};

const freshFolder = (above: string): string => {
  mkdirSync(above, { recursive: true });
  const stamp = new Date().toISOString().slice(0, 19).replace(/[-:]/g, '').replace('T', '-');
  return mkdtempSync(join(above, `${stamp}-`));
};

/** The file itself where the ports are those that it names; else one beside the data that names these. */
const configurationFor = ({ port, callbackPort }: typeof CONFIGURED, template: string, dataDir: string): string => {
  if (port === CONFIGURED.port && callbackPort === CONFIGURED.callbackPort) return template;
  const document = parseDocument(readFileSync(template, 'utf8'));
  document.setIn(['publicBaseUrl'], `http://127.0.0.1:${port}`);
  document.setIn(['egress', 'ports'], [callbackPort]);
  nameKeyFilesFrom(document, dirname(template));
  mkdirSync(dataDir, { recursive: true });
  const path = join(dataDir, 'sandbox.yaml');
  writeFileSync(path, document.toString());
  return path;
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
