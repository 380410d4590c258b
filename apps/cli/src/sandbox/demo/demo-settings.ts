import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseDocument, type Document } from 'yaml';
import { sha256OfToken } from '@app/configuration';
import { CommandFailed, EXIT } from '../../terminal';
import {
  configurationWithPorts,
  type Environment,
  inheritedBySandbox,
  merchantServerSettings,
  type SandboxSettings,
  serviceSettings,
  tourPorts,
} from '../settings';

export const STAFF = [
  // The console's link signs this one in.
  { name: 'sandbox', role: 'admin' },
  { name: 'ida', role: 'admin' },
  { name: 'omar', role: 'operator' },
  { name: 'jane', role: 'investigator' },
  { name: 'vera', role: 'viewer' },
] as const;
export type StaffName = (typeof STAFF)[number]['name'];

/** What the store was filled with. Its file shows that a folder belongs to a demonstration, and that its filling has ended. */
export interface DemoStore {
  readonly state: 'filling' | 'filled';
  readonly orders: number;
  readonly seed: number;
  /** The history's end, as ISO 8601. */
  readonly until: string;
}

const STORE_FILE = 'demo.json';
const TOKENS_FILE = 'demo-operators.json';

export const saveStore = (dataDir: string, store: DemoStore): void => {
  mkdirSync(dataDir, { recursive: true });
  writeFileSync(join(dataDir, STORE_FILE), `${JSON.stringify(store)}\n`);
};

/** @returns undefined for a new or empty folder. @throws CommandFailed for the folder of another installation, or of an interrupted filling */
export const storeIn = (dataDir: string): DemoStore | undefined => {
  const path = join(dataDir, STORE_FILE);
  if (!existsSync(path)) {
    if (!existsSync(dataDir) || readdirSync(dataDir).length === 0) return undefined;
    throw new CommandFailed(
      `${dataDir} holds other data. --demo fills only a new folder: set DATA_DIR to another one, or omit --demo`,
      EXIT.refused,
    );
  }
  const store = JSON.parse(readFileSync(path, 'utf8')) as DemoStore;
  if (store.state === 'filled') return store;
  throw new CommandFailed(`the filling of ${dataDir} was interrupted. Delete the folder, or set DATA_DIR to another one`, EXIT.refused);
};

type StaffTokens = Readonly<Record<StaffName, string>>;

const TOKEN_BYTES = 24;

const tokensIn = (dataDir: string): StaffTokens => {
  const path = join(dataDir, TOKENS_FILE);
  if (existsSync(path)) return JSON.parse(readFileSync(path, 'utf8')) as StaffTokens;
  const tokens = Object.fromEntries(STAFF.map(({ name }) => [name, randomBytes(TOKEN_BYTES).toString('base64url')])) as StaffTokens;
  writeFileSync(path, `${JSON.stringify(tokens, undefined, 2)}\n`, { mode: 0o600 });
  // Where `orch` takes the token of a sandbox.
  writeFileSync(join(dataDir, 'operator-token'), `${tokens.sandbox}\n`, { mode: 0o600 });
  return tokens;
};

export interface DemoSettings extends SandboxSettings {
  readonly tokens: StaffTokens;
}

/** The configuration in force at the end of the history, unless `change` is given. */
export const writeConfiguration = (path: string, change: (document: Document) => void): void => {
  const document = parseDocument(readFileSync(path, 'utf8'));
  change(document);
  writeFileSync(path, document.toString());
};

/** @throws ConfigurationFault, CommandFailed */
export const demoSettings = async (given: Environment, dataDir: string, root: string): Promise<DemoSettings> => {
  const inherited = inheritedBySandbox(given);
  const { servicePorts, merchantPort, callbackPort, moved } = await tourPorts(given, root);
  const configurationPath = configurationWithPorts(join(root, 'config', 'demo.yaml'), moved, dataDir);
  const tokens = tokensIn(dataDir);
  writeConfiguration(configurationPath, (document) =>
    document.set(
      'operators',
      STAFF.map(({ name, role }) => ({ name, role, tokenSha256: sha256OfToken(tokens[name]) })),
    ),
  );
  const service = serviceSettings(inherited, servicePorts, dataDir, configurationPath);
  return { ...service, merchantServer: merchantServerSettings(inherited, merchantPort, dataDir, root), callbackPort, tokens };
};
