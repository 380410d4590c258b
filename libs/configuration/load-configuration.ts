import { dirname, resolve } from 'node:path';
import { present, type NonEmpty, type Present, type Secret } from '@app/kernel';
import { accountsOf, type Endpoint, type EndpointGroup, type Merchant, type Screening } from './merchants/accounts';
import { readBoundedFile, ConfigurationFault, faultAt, pathText, type Fault } from './reading/fault';
import type { Configuration } from './configuration';
import type { SignInSettings } from './operator-token';
import { configurationSchema, type ConfigurationEntries } from './configuration.schema';
import { credentialsOf, signInSecretAt, type Credentials } from './merchants/credentials';
import { deviceFaults, productionFaults, relationFaults, targetFaults, type RefusalOfTarget } from './merchants/rules';
import { DAY_MS, MINUTE_MS, SECOND_MS, parseIpRange, type IpRange } from './reading/scalars';
import { fillFromEnvironment, type EnvironmentVariables, isProduction } from './reading/environment';
import {
  type GateEntry,
  gateSecretsOf,
  type GateSecrets,
  type AdapterSchema,
  type CircuitSettings,
  type GateSettings,
  type GateSettingsOf,
} from './gates/gate.schema';
import type { EndpointEntry, MerchantEntry } from './merchants/merchant.schema';
import { referencesOf } from './merchants/references';
import { readYaml } from './reading/yaml-document';

const FILE_BYTES_MAX = 16 * 1024 * 1024;

/**
 * Reads, completes and validates the configuration file (architecture, "Configuration"). `environment` fills `${NAME}`; its NODE_ENV decides whether this is production.
 * With `refusalOfTarget`, an address that must not be called is also a fault.
 * @throws ConfigurationFault with every fault, each by its path.
 */
export const loadConfiguration = <const Adapters extends NonEmpty<AdapterSchema>>(
  path: string,
  environment: EnvironmentVariables,
  adapters: Adapters,
  refusalOfTarget?: RefusalOfTarget,
): Configuration<GateSettingsOf<Adapters[number]>> => {
  const text = readBoundedFile(path, FILE_BYTES_MAX);
  if (typeof text !== 'string') throw new ConfigurationFault(path, [{ path: '', problem: text.problem }]);
  return configurationFrom(text, { source: path, folder: dirname(resolve(path)), environment, adapters, refusalOfTarget });
};

/** Same, from a text. Key files are resolved against `folder`; faults name `source`. */
export const configurationFrom = <const Adapters extends NonEmpty<AdapterSchema>>(
  text: string,
  {
    source,
    folder,
    environment,
    adapters,
    refusalOfTarget,
  }: {
    readonly source: string;
    readonly folder: string;
    readonly environment: EnvironmentVariables;
    readonly adapters: Adapters;
    readonly refusalOfTarget?: RefusalOfTarget | undefined;
  },
): Configuration<GateSettingsOf<Adapters[number]>> => {
  const document = readYaml(text);
  if (document.value === undefined) throw new ConfigurationFault(source, document.faults);
  const filled = fillFromEnvironment(document.value, environment);
  const parsed = configurationSchema(adapters).safeParse(filled.value);
  const references = referencesOf(filled.value);
  const credentialFaults: Fault[] = [];
  const warnings: Fault[] = [];
  const search = { folder, isProduction: isProduction(environment), faults: credentialFaults, warnings };
  const credentials = credentialsOf(references.merchants, search);
  const signInSecret = signInSecretAt(references.signIn, search);
  const gateSecrets = gateSecretsOf(filled.value, adapters, search);
  const faults = onePerPath([
    ...document.faults,
    ...filled.faults,
    ...(parsed.success ? [] : parsed.error.issues.flatMap(schemaFaults)),
    ...credentialFaults,
    ...relationFaults(references),
    ...(search.isProduction && references.signIn.issuer?.startsWith('http:')
      ? [faultAt(['signIn', 'issuer'], 'must be https when NODE_ENV=production')]
      : []),
    ...deviceFaults(references),
    ...(search.isProduction ? productionFaults(references, adapters) : []),
    ...(refusalOfTarget ? targetFaults(references, search.isProduction, refusalOfTarget) : []),
  ]);
  if (faults.length > 0 || !parsed.success) throw new ConfigurationFault(source, faults);
  return configurationOf<Adapters[number]>(parsed.data, { credentials, gateSecrets, signInSecret }, warnings);
};

type SchemaIssue = NonNullable<ReturnType<ReturnType<typeof configurationSchema>['safeParse']>['error']>['issues'][number];

export const schemaFaults = (issue: SchemaIssue): Fault[] => {
  const path = issue.path.map((part) => (typeof part === 'number' ? part : String(part)));
  if (issue.code !== 'unrecognized_keys') return [{ path: pathText(path), problem: issue.message }];
  return issue.keys.map((key) => ({ path: pathText([...path, key]), problem: 'is not a known key' }));
};

/** Reports only the first fault of a path: a misspelt id would also match no endpoint. */
export const onePerPath = (faults: readonly Fault[]): readonly Fault[] => {
  const byPath = new Map<string, Fault>();
  for (const fault of faults) if (!byPath.has(fault.path)) byPath.set(fault.path, fault);
  return [...byPath.values()];
};

export const nonEmpty = <Item>(items: readonly Item[]): NonEmpty<Item> => {
  const [first, ...rest] = items;
  if (first === undefined) throw new Error('the schema let an empty list pass');
  return Object.freeze<[Item, ...Item[]]>([first, ...rest]);
};

export const known = <Value>(value: Value | undefined): Value => {
  if (value === undefined) throw new Error('the checks let a missing value pass');
  return value;
};

export const frozen = <const Entry extends object>(entry: Entry): Readonly<Present<Entry>> => Object.freeze(present(entry));

const inMs = (count: number | undefined, unitMs: number): number | undefined =>
  count === undefined ? undefined : Math.round(count * unitMs);

const configurationOf = <Adapter extends AdapterSchema>(
  entries: ConfigurationEntries,
  {
    credentials,
    gateSecrets,
    signInSecret,
  }: {
    readonly credentials: readonly Credentials[];
    readonly gateSecrets: readonly GateSecrets[];
    readonly signInSecret: Secret<string> | undefined;
  },
  warnings: readonly Fault[],
): Configuration<GateSettingsOf<Adapter>> => {
  const { egress, groupB, threeDSecure, retention } = entries;
  return Object.freeze<Configuration<GateSettingsOf<Adapter>>>({
    publicBaseUrl: entries.publicBaseUrl,
    pathPrefix: entries.pathPrefix,
    egress: Object.freeze({ allow: Object.freeze(egress.allow), ports: new Set(egress.ports), plainHttp: egress.plainHttp }),
    callbacks: Object.freeze(entries.callbacks),
    groupB: Object.freeze({
      httpErrors: groupB.httpErrors,
      notificationWaitMs: Math.round(groupB.notificationWaitSeconds * SECOND_MS),
      feeChoiceMs: Math.round(groupB.feeChoiceMinutes * MINUTE_MS),
    }),
    threeDSecure: Object.freeze({ payerMs: Math.round(threeDSecure.payerMinutes * MINUTE_MS) }),
    retention: frozen({
      refusedCardMs: inMs(retention.refusedCardMinutes, MINUTE_MS),
      unusedCardMs: inMs(retention.unusedCardDays, DAY_MS),
      expiredCardMs: inMs(retention.expiredCardDays, DAY_MS),
      personalDataMs: inMs(retention.personalDataDays, DAY_MS),
    }),
    rateLimit: Object.freeze(entries.rateLimit),
    keepAliveMs: entries.keepAliveSeconds * 1_000,
    documents: entries.documents,
    warnings: Object.freeze(warnings),
    orderIds: entries.orderIds,
    approvals: frozen(entries.approvals),
    operators: Object.freeze(entries.operators.map(frozen)),
    signIn: entries.signIn && signInOf(entries.signIn, known(signInSecret)),
    accounts: accountsOf(
      nonEmpty(entries.merchants.map((entry, index) => merchantOf(entry, known(credentials[index])))),
      nonEmpty(entries.gates.map((entry, index) => gateOf<Adapter>(entry, known(gateSecrets[index])))),
      Object.freeze(entries.bins.map(frozen)),
    ),
  });
};

const signInOf = (
  { clientSecretFile: _file, groups, ...settings }: NonNullable<ConfigurationEntries['signIn']>,
  clientSecret: Secret<string>,
): SignInSettings => frozen({ ...settings, clientSecret, groups: Object.freeze(groups.map(frozen)) });

const merchantOf = (entry: MerchantEntry, credentials: Credentials): Merchant => {
  const endpoints = nonEmpty(entry.endpoints.map((endpoint) => endpointOf(endpoint, entry)));
  const byId = new Map(endpoints.map((endpoint) => [endpoint.id, endpoint]));
  return frozen({
    login: entry.login,
    name: entry.name ?? entry.login,
    siteUrl: entry.siteUrl,
    controlKey: known(credentials.controlKey),
    formerControlKey:
      entry.formerControlKey && frozen({ key: known(credentials.formerControlKey), notAfter: entry.formerControlKey.notAfter }),
    oauthPublicKey: credentials.oauthPublicKey,
    merchantUrl: entry.merchantUrl,
    cardMapping: entry.cardMapping,
    callback: frozen({
      method: entry.callback.method,
      secret: credentials.callbackSecret,
      formerSecret:
        entry.callback.formerSecret &&
        frozen({ secret: known(credentials.formerCallbackSecret), notAfter: entry.callback.formerSecret.notAfter }),
    }),
    rebillControl: entry.rebillControl,
    showCommissions: entry.showCommissions,
    statusWaitMs: entry.statusWaitMs,
    unknownStatus: entry.unknownStatus,
    endpoints,
    groups: Object.freeze(
      entry.groups.map(({ id, endpoints: members }): EndpointGroup =>
        Object.freeze({ id, merchant: entry.login, endpoints: nonEmpty(members.map((member) => known(byId.get(member)))) }),
      ),
    ),
  });
};

const endpointOf = (entry: EndpointEntry, { login }: MerchantEntry): Endpoint =>
  frozen({
    id: entry.id,
    merchant: login,
    currency: entry.currency,
    gates: nonEmpty(entry.gates),
    descriptor: entry.descriptor,
    maxAmountMinor: entry.maxAmount,
    transferRates: entry.transferRates,
    callbackUrl: entry.callbackUrl,
    randomSum: entry.randomSum,
    consumerEmail: entry.consumerEmail,
    screening: entry.screening && screeningOf(entry.screening),
    routing: entry.routing && Object.freeze(entry.routing),
    operations: entry.operations,
  });

export const screeningOf = ({ minAmount, maxAmount, blockedIps, ...limits }: NonNullable<EndpointEntry['screening']>): Screening =>
  frozen({
    ...limits,
    minAmountMinor: minAmount,
    maxAmountMinor: maxAmount,
    blockedIps: blockedIps.map(parseIpRange).filter((range): range is IpRange => range !== undefined),
  });

const circuitOf = ({ enabled, ...limits }: GateEntry['circuit']): CircuitSettings | undefined =>
  enabled
    ? {
        windowMs: limits.windowSeconds * SECOND_MS,
        callsMin: limits.calls,
        failurePercent: limits.failurePercent,
        openMs: limits.openSeconds * SECOND_MS,
        openMsMax: limits.openSecondsMax * SECOND_MS,
        probes: limits.probes,
      }
    : undefined;

const gateOf = <Adapter extends AdapterSchema>(
  { longestFlightSeconds, currencies, descriptor, circuit, ...entry }: GateEntry,
  secrets: GateSecrets,
) => {
  const settings: GateSettings & { readonly secrets: GateSecrets } = frozen({
    ...entry,
    secrets,
    currencies: new Set(currencies),
    longestFlightMs: Math.round(longestFlightSeconds * SECOND_MS),
    descriptor: descriptor ?? entry.alias,
    circuit: circuitOf(circuit),
  });
  return settings as unknown as GateSettings & GateSettingsOf<Adapter>; // the adapter's own members came through its schema
};
