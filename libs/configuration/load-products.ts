import { dirname, resolve } from 'node:path';
import type { Secret } from '@app/kernel';
import { z } from 'zod';
import { readBoundedFile, ConfigurationFault, faultAt, type Fault, type Path } from './reading/fault';
import { callbackSecretAt, controlKeyAt, secretAt, type CredentialSearch, isPublishedSecret } from './merchants/credentials';
import { fillFromEnvironment, type EnvironmentVariables, isProduction } from './reading/environment';
import { frozen, known, nonEmpty, onePerPath, schemaFaults } from './load-configuration';
import { productSchema, productsSchema, type ProductEntry, productsOf, type Product, type Products } from './merchants/products';
import { readableFlag, list, readable, text } from './merchants/references';
import { repeats } from './merchants/rules';
import { readYaml } from './reading/yaml-document';

const FILE_BYTES_MAX = 4 * 1024 * 1024;
/** 128 bits in any common spelling. */
const TOKEN_SECRET_CHARACTERS_MIN = 16;
const TOKEN_SECRET = /^[!-~]+$/;

const referenceSchema = readable({
  login: text(),
  controlKey: text(),
  controlKeyFile: text(),
  tokenSecret: text(),
  tokenSecretFile: text(),
  callback: readable({ secret: text(), secretFile: text() }),
  unsignedNotifications: readableFlag(),
  endpoints: list(readable({ id: text() })),
});
type ProductReference = z.output<typeof referenceSchema>;

interface ProductSecrets {
  readonly controlKey: Secret<string> | undefined;
  readonly tokenSecret: Secret<string> | undefined;
  readonly callbackSecret: Secret<string> | undefined;
}

const secretsOf = (product: ProductReference, parent: Path, taken: Set<string>, search: CredentialSearch): ProductSecrets => ({
  controlKey: controlKeyAt(product, parent, taken, search),
  tokenSecret: secretAt(
    {
      name: 'tokenSecret',
      inFile: product.tokenSecret,
      named: product.tokenSecretFile,
      parent,
      isRequired: false,
      what: `at least ${TOKEN_SECRET_CHARACTERS_MIN} printable ASCII characters without spaces`,
      accepts: (secret) => secret.length >= TOKEN_SECRET_CHARACTERS_MIN && TOKEN_SECRET.test(secret),
      isPublished: isPublishedSecret,
    },
    search,
  ),
  callbackSecret: callbackSecretAt(product.callback, parent, search),
});

/** Apps know every value of an unsigned notification. A product without signatures must therefore allow that explicitly. */
const signatureFaults = ({ callback, unsignedNotifications }: ProductReference, parent: Path, production: boolean): readonly Fault[] => {
  const hasSecret = callback.secret !== undefined || callback.secretFile !== undefined;
  const isWaived = unsignedNotifications === true || unsignedNotifications === 'true';
  if (hasSecret && isWaived)
    return [faultAt([...parent, 'unsignedNotifications'], 'cannot be combined with callback.secret: use one of the two')];
  if (hasSecret || isWaived || !production) return [];
  const problem = 'is required (or secretFile) when NODE_ENV=production, or unsignedNotifications true';
  return [faultAt([...parent, 'callback', 'secret'], problem)];
};

const productOf = (
  { login, endpoints, rates, unsignedNotifications }: ProductEntry,
  { controlKey, tokenSecret, callbackSecret }: ProductSecrets,
): Product =>
  frozen({
    login,
    controlKey: known(controlKey),
    tokenSecret,
    callbackSecret,
    unsignedNotifications,
    endpoints: nonEmpty(endpoints.map(({ operations = 'all' as const, ...endpoint }) => Object.freeze({ ...endpoint, operations }))),
    rates: Object.freeze(rates),
  });

/**
 * Reads, completes and validates the merchant server's configuration file (architecture, "Configuration").
 * @throws ConfigurationFault with every fault, each by its path.
 */
export const loadProducts = (path: string, environment: EnvironmentVariables): Products => {
  const content = readBoundedFile(path, FILE_BYTES_MAX);
  if (typeof content !== 'string') throw new ConfigurationFault(path, [{ path: '', problem: content.problem }]);
  return productsFrom(content, { source: path, folder: dirname(resolve(path)), environment });
};

/** Same, from a text. Key files are resolved against `folder`; faults name `source`. */
export const productsFrom = (
  content: string,
  { source, folder, environment }: { readonly source: string; readonly folder: string; readonly environment: EnvironmentVariables },
): Products => {
  const document = readYaml(content);
  if (document.value === undefined) throw new ConfigurationFault(source, document.faults);
  const { value, faults: unfilled } = fillFromEnvironment(document.value, environment);
  const isList = typeof value === 'object' && value !== null && 'products' in value;
  const parsed = isList ? productsSchema.safeParse(value) : productSchema.safeParse(value);
  const references = isList ? readable({ products: list(referenceSchema) }).parse(value).products : [referenceSchema.parse(value)];
  const placed = references.map((product, index) => ({ product, path: isList ? ['products', index] : [] }));

  const faults: Fault[] = [];
  const taken = new Set<string>();
  const warnings: Fault[] = [];
  const search = { folder, isProduction: isProduction(environment), faults, warnings };
  const secrets = placed.map(({ product, path }) => secretsOf(product, path, taken, search));
  const found = onePerPath([
    ...document.faults,
    ...unfilled,
    ...(parsed.success ? [] : parsed.error.issues.flatMap(schemaFaults)),
    ...faults,
    ...placed.flatMap(({ product, path }) => signatureFaults(product, path, isProduction(environment))),
    ...repeats(
      placed.map(({ product, path }) => ({ value: product.login, path: [...path, 'login'] })),
      'is the login of another product',
    ),
    ...repeats(
      placed.flatMap(({ product, path }) => product.endpoints.map(({ id }, at) => ({ value: id, path: [...path, 'endpoints', at, 'id'] }))),
      'is the id of another endpoint',
    ),
  ]);
  if (found.length > 0 || !parsed.success) throw new ConfigurationFault(source, found.length > 0 ? found : [faultAt([], 'cannot be read')]);
  const entries = 'products' in parsed.data ? parsed.data.products : [parsed.data];
  return productsOf(nonEmpty(entries.map((entry, index) => productOf(entry, known(secrets[index])))), warnings);
};
