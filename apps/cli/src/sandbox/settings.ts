import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';
import { mkdirSync, readFileSync, writeFileSync, mkdtempSync } from 'node:fs';
import { basename, dirname, isAbsolute, join, resolve, relative } from 'node:path';
import { isMap, isScalar, isSeq, parseDocument, visit, type Document } from 'yaml';
import { ConfigurationFault, makeSignInCode, readEnvironment } from '@app/configuration';
import { systemClock } from '@app/kernel';
import { CommandFailed } from '../terminal';
import { shellWord } from '../verbs/sign';

const HOST = '127.0.0.1';
/** Below the ephemeral ports (Linux from 32768, others from 49152, IANA RFC 6335). Until the program listens, the system could give an ephemeral port to another connection. */
const OWN_RANGE = { from: 10_240, to: 32_768 };
const TRIES_MAX = 100;

/** Ports returned to a caller whose program may not listen on them yet. */
const assignedPorts = new Set<number>();

const anyOfOwnRange = (): number => randomInt(OWN_RANGE.from, OWN_RANGE.to);

/** @param others codes of further errors that mean "not free". @throws Error for any other */
const isFree = (port: number, ...others: readonly string[]): Promise<boolean> =>
  new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once('error', (error: NodeJS.ErrnoException) => {
      if (['EADDRINUSE', ...others].includes(error.code ?? '')) resolve(false);
      else reject(error);
    });
    probe.listen(port, HOST, () => probe.close(() => resolve(true)));
  });

/** The port itself if it is free; a free port of `OWN_RANGE` for 0. @throws CommandFailed if there is none */
export const freePort = async (variable: string, port: number, candidate: () => number = anyOfOwnRange): Promise<number> => {
  if (port !== 0) {
    if (await isFree(port)) return port;
    throw new CommandFailed(`port ${port} is taken: set ${variable} to a free one, or to 0 for any`);
  }
  for (let tried = 0; tried < TRIES_MAX; tried++) {
    const any = candidate();
    // Windows reserves ranges of ports.
    if (assignedPorts.has(any) || !(await isFree(any, 'EACCES'))) continue;
    assignedPorts.add(any);
    return any;
  }
  throw new CommandFailed(`no free port was found for ${variable}: set it to one`);
};

const ADDRESS = /^http:\/\/127\.0\.0\.1:(\d+)/;

/**
 * A copy of the template in the data folder with the new ports. The tour changes the copy.
 * @param ports new ports by the template's ports
 */
export const configurationWithPorts = (template: string, ports: ReadonlyMap<number, number>, dataDir: string): string => {
  const document = parseDocument(readFileSync(template, 'utf8'));
  moveAddresses(document, ports);
  moveEgressPorts(document, ports);
  resolveKeyFiles(document, dirname(template));
  mkdirSync(dataDir, { recursive: true });
  const path = join(dataDir, basename(template));
  writeFileSync(path, document.toString());
  return path;
};

const moveAddresses = (document: Document, ports: ReadonlyMap<number, number>): void => {
  visit(document, {
    Scalar: (_key, node) => {
      if (typeof node.value !== 'string') return;
      node.value = node.value.replace(ADDRESS, (address, named: string) => {
        const assigned = ports.get(Number(named));
        return assigned === undefined ? address : `http://127.0.0.1:${assigned}`;
      });
    },
  });
};

const moveEgressPorts = (document: Document, ports: ReadonlyMap<number, number>): void => {
  const named = document.getIn(['egress', 'ports']);
  if (!isSeq(named)) return;
  for (const item of named.items) if (isScalar(item)) item.value = ports.get(Number(item.value)) ?? item.value;
};

/** The copy is in another folder than the template, so relative paths of key files become absolute. */
const resolveKeyFiles = (document: Document, folder: string): void => {
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

export type Environment = Readonly<Record<string, string | undefined>>;

interface ServicePorts {
  readonly port: number;
  readonly operatorPort: number;
}

/** A sandbox must not use the stores and addresses of a service configured in this shell. */
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
  'OPERATOR_URL',
  'MERCHANT_KEYRING',
];

export const inheritedBySandbox = (given: Environment): Environment =>
  Object.fromEntries(Object.entries(given).filter(([name]) => !NOT_INHERITED.includes(name)));

export const portsIn = (given: Environment, root: string): ServicePorts =>
  readEnvironment({ PORT: given['PORT'], OPERATOR_PORT: given['OPERATOR_PORT'] }, root);

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

export const freePorts = async ({ port, operatorPort }: ServicePorts): Promise<ServicePorts> => ({
  port: await freePort('PORT', port),
  operatorPort: await freePort('OPERATOR_PORT', operatorPort),
});

export interface ServiceSettings extends ServicePorts {
  readonly dataDir: string;
  readonly configurationPath: string;
  readonly environment: NodeJS.ProcessEnv;
}

export const serviceSettings = (
  inherited: Environment,
  ports: ServicePorts,
  dataDir: string,
  configurationPath: string,
): ServiceSettings => {
  const { port, operatorPort } = ports;
  const environment = {
    ...inherited,
    PORT: String(port),
    OPERATOR_PORT: String(operatorPort),
    DATA_DIR: dataDir,
    ORCH_CONFIG: configurationPath,
  };
  return { ...ports, dataDir, configurationPath, environment };
};

/** Address of the console, with a code that signs in once, within 15 minutes. In the fragment, which a browser sends to no server. */
export const consoleLink = ({ environment, operatorPort }: ServiceSettings, root: string): string =>
  `http://${HOST}:${operatorPort}/console#code=${makeSignInCode(readEnvironment(environment, root).operatorTokenPath, systemClock.now())}`;

export interface MerchantServerSettings {
  readonly port: number;
  readonly dataDir: string;
  readonly environment: NodeJS.ProcessEnv;
}

export const merchantServerSettings = (inherited: Environment, port: number, sandboxDir: string, root: string): MerchantServerSettings => {
  const dataDir = join(sandboxDir, 'merchant-server');
  const configuration = { MERCHANT_CONFIG: join(root, 'config', 'merchant-server.yaml') };
  return { port, dataDir, environment: { ...inherited, PORT: String(port), OPERATOR_PORT: '0', DATA_DIR: dataDir, ...configuration } };
};

const TEMPLATE_PORTS = { service: 8080, merchantServer: 8081, callback: 8083 };

/** What every tour needs: two free ports for the service, and one each for the merchant server and the merchant's own site. */
export const tourPorts = async (given: Environment, root: string) => {
  const servicePorts = await freePorts(portsIn(given, root));
  const merchantPort = await freePort('MERCHANT_PORT', portIn(given, 'MERCHANT_PORT', TEMPLATE_PORTS.merchantServer, root));
  const callbackPort = await freePort('CALLBACK_PORT', portIn(given, 'CALLBACK_PORT', TEMPLATE_PORTS.callback, root));
  const moved = new Map([
    [TEMPLATE_PORTS.service, servicePorts.port],
    [TEMPLATE_PORTS.merchantServer, merchantPort],
    [TEMPLATE_PORTS.callback, callbackPort],
  ]);
  return { servicePorts, merchantPort, callbackPort, moved };
};

export interface SandboxSettings extends ServiceSettings {
  readonly merchantServer: MerchantServerSettings;
  /** Port of the merchant's site, which receives callbacks. */
  readonly callbackPort: number;
}

/** Embedded, whatever this shell is configured for; only `ESDB_URL` selects another log. @throws ConfigurationFault for an invalid setting; CommandFailed for a port that is taken */
export const sandboxSettings = async (given: Environment, root: string): Promise<SandboxSettings> => {
  const inherited = inheritedBySandbox(given);
  const { servicePorts, merchantPort, callbackPort, moved } = await tourPorts(given, root);
  const dataDir = dataFolder(given, root);
  const configurationPath = configurationWithPorts(join(root, 'config', 'sandbox.yaml'), moved, dataDir);
  const log = given['ESDB_URL'] ? { EVENTSTORE_URL: given['ESDB_URL'] } : {};
  const service = serviceSettings({ ...inherited, ...log }, servicePorts, dataDir, configurationPath);
  return { ...service, merchantServer: merchantServerSettings(inherited, merchantPort, dataDir, root), callbackPort };
};

export const dataFolder = (given: Environment, root: string): string =>
  given['DATA_DIR'] ? resolve(given['DATA_DIR']) : freshFolder(join(root, 'data', 'sandbox'));

const freshFolder = (above: string): string => {
  mkdirSync(above, { recursive: true });
  const stamp = new Date().toISOString().slice(0, 19).replace(/[-:]/g, '').replace('T', '-');
  return mkdtempSync(join(above, `${stamp}-`));
};

export const shownPath = (root: string, path: string): string => {
  const below = relative(root, path);
  return shellWord(below.startsWith('..') ? path : below);
};

export const orchLine =
  ({ dataDir, configurationPath, environment }: ServiceSettings, root: string) =>
  (verb: string): string => {
    // Shows the variable instead of its value, which may contain a password.
    const log = environment['EVENTSTORE_URL'] === undefined ? '' : 'EVENTSTORE_URL="$ESDB_URL" ';
    return `${log}DATA_DIR=${shownPath(root, dataDir)} ORCH_CONFIG=${shownPath(root, configurationPath)} npm run -s orch -- ${verb}`;
  };
