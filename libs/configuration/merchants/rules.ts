import { faultAt, type Fault, type Path } from '../reading/fault';
import type { MerchantReferences, References } from './references';
import type { AdapterSchema } from '../gates/gate.schema';
import { parseIpRange, touchesLoopback, type IpRange } from '../reading/scalars';
import type { EgressSettings } from '../configuration';

export const repeats = (entries: Iterable<{ readonly value: string | undefined; readonly path: Path }>, problem: string): Fault[] => {
  const seen = new Set<string>();
  const faults: Fault[] = [];
  for (const { value, path } of entries) {
    if (value === undefined) continue;
    if (seen.has(value)) faults.push(faultAt(path, problem));
    seen.add(value);
  }
  return faults;
};

const entryPointsOf = ({ endpoints, groups }: MerchantReferences, merchantPath: Path) => [
  ...endpoints.map(({ id }, at) => ({ value: id, path: [...merchantPath, 'endpoints', at, 'id'] })),
  ...groups.map(({ id }, at) => ({ value: id, path: [...merchantPath, 'groups', at, 'id'] })),
];

/** Endpoint and group ids share one namespace: an id in a path names one entry point of one merchant (safety, 3.1). */
const entryPointIds = ({ merchants }: References) => merchants.flatMap((merchant, index) => entryPointsOf(merchant, ['merchants', index]));

/** An initial payment's checksum joins entry point and client_orderid without a separator, so no id of a merchant may be a prefix of another. */
const prefixedIds = (merchant: MerchantReferences, merchantPath: Path): Fault[] => {
  const entryPoints = entryPointsOf(merchant, merchantPath).flatMap(({ value, path }) =>
    value === undefined || value === '' ? [] : [{ value, path }],
  );
  const sorted = entryPoints.toSorted((a, b) => (a.value < b.value ? -1 : Number(a.value > b.value)));
  // In this order, ids with a common prefix are adjacent, so one comparison with the newest prefix is enough.
  let prefix: string | undefined;
  return sorted.flatMap(({ value, path }) => {
    if (prefix !== undefined && value !== prefix && value.startsWith(prefix)) {
      return [
        faultAt(
          path,
          'begins with the id of another endpoint or group of this merchant, so one checksum could match both: choose another id',
        ),
      ];
    }
    prefix = value;
    return [];
  });
};

const gatesOfEndpoints = ({ merchants, gates }: References): Fault[] => {
  const currenciesOf = new Map(gates.map(({ alias, currencies }) => [alias, new Set(currencies)]));
  return merchants.flatMap(({ endpoints }, index) =>
    endpoints.flatMap(({ gates: aliases, currency }, at) =>
      aliases.flatMap((alias, place) => {
        if (alias === undefined) return [];
        const path = ['merchants', index, 'endpoints', at, 'gates', place];
        const served = currenciesOf.get(alias);
        if (served === undefined) return [faultAt(path, 'is not a gate of this configuration')];
        return currency === undefined || served.has(currency) ? [] : [faultAt(path, 'does not serve the currency of the endpoint')];
      }),
    ),
  );
};

/** A rule may only choose gates of its entry point. Rule names must be unique, since orders record them. */
const routingOfEndpoints = ({ merchants }: References): Fault[] =>
  merchants.flatMap(({ endpoints }, index) =>
    endpoints.flatMap(({ gates: aliases, routing }, at) => {
      const path = ['merchants', index, 'endpoints', at, 'routing'];
      const named = routing.flatMap(({ then: { cascade, split, leastCommission } }, place) => [
        ...cascade.map((alias, which) => ({ alias, path: [...path, place, 'then', 'cascade', which] })),
        ...split.map(({ gate }, which) => ({ alias: gate, path: [...path, place, 'then', 'split', which, 'gate'] })),
        ...leastCommission.map((alias, which) => ({ alias, path: [...path, place, 'then', 'leastCommission', which] })),
      ]);
      const foreign = named.filter(({ alias }) => alias !== undefined && !aliases.includes(alias));
      return [
        ...repeats(
          routing.map(({ name }, place) => ({ value: name, path: [...path, place, 'name'] })),
          'is the name of another rule of this endpoint',
        ),
        ...foreign.map(({ path: where }) => faultAt(where, 'is not among the gates of the endpoint')),
      ];
    }),
  );

const endpointsOfGroups = ({ endpoints, groups }: MerchantReferences, merchantPath: Path): Fault[] => {
  const currencyOf = new Map(endpoints.map(({ id, currency }) => [id, currency]));
  return groups.flatMap(({ endpoints: members }, at) => {
    const path = [...merchantPath, 'groups', at, 'endpoints'];
    const unknown = members.flatMap((id, place) =>
      id === undefined || currencyOf.has(id) ? [] : [faultAt([...path, place], 'is not an endpoint of this merchant')],
    );
    const currencies = members.map((id, place) => ({ value: id === undefined ? undefined : currencyOf.get(id), path: [...path, place] }));
    return [...unknown, ...repeats(currencies, 'has the same currency as another endpoint of the group')];
  });
};

const merchantsOfOperators = ({ operators, signIn, merchants }: References): Fault[] => {
  const logins = new Set(merchants.map(({ login }) => login));
  const limits = [
    ...operators.map(({ merchants: seen }, index) => ({ seen, path: ['operators', index] })),
    ...signIn.groups.map(({ merchants: seen }, index) => ({ seen, path: ['signIn', 'groups', index] })),
  ];
  return limits.flatMap(({ seen, path }) =>
    seen.flatMap((login, at) =>
      login === undefined || logins.has(login) ? [] : [faultAt([...path, 'merchants', at], 'is not a merchant of this configuration')],
    ),
  );
};

/** Faults between entries: duplicate names, dangling references (architecture, "Configuration"). */
export const relationFaults = (references: References): Fault[] => [
  ...repeats(
    references.merchants.map(({ login }, index) => ({ value: login, path: ['merchants', index, 'login'] })),
    'is the login of another merchant',
  ),
  ...repeats(entryPointIds(references), 'is the id of another endpoint or group'),
  ...references.merchants.flatMap((merchant, index) => prefixedIds(merchant, ['merchants', index])),
  ...repeats(
    references.gates.map(({ alias }, index) => ({ value: alias, path: ['gates', index, 'alias'] })),
    'is the alias of another gate',
  ),
  ...repeats(
    references.operators.map(({ name }, index) => ({ value: name, path: ['operators', index, 'name'] })),
    'is the name of another operator',
  ),
  ...repeats(
    references.operators.map(({ tokenSha256 }, index) => ({
      value: tokenSha256?.toLowerCase(),
      path: ['operators', index, 'tokenSha256'],
    })),
    'is the token of another operator',
  ),
  ...repeats(
    references.bins.map(({ bin }, index) => ({ value: bin, path: ['bins', index, 'bin'] })),
    'occurs twice',
  ),
  ...merchantsOfOperators(references),
  ...repeats(
    references.signIn.groups.map(({ group }, index) => ({ value: group, path: ['signIn', 'groups', index, 'group'] })),
    'occurs twice',
  ),
  ...gatesOfEndpoints(references),
  ...routingOfEndpoints(references),
  ...references.merchants.flatMap((merchant, index) => endpointsOfGroups(merchant, ['merchants', index])),
];

const PRODUCTION = 'when NODE_ENV=production';

const isOn = (flag: boolean | string | undefined): boolean => flag === true || flag === 'true';

const plainHttpAddresses = ({ merchants }: References): Path[] =>
  merchants.flatMap(({ merchantUrl, endpoints }, index) =>
    [
      { address: merchantUrl, path: ['merchants', index, 'merchantUrl'] },
      ...endpoints.map(({ callbackUrl }, at) => ({ address: callbackUrl, path: ['merchants', index, 'endpoints', at, 'callbackUrl'] })),
    ].flatMap(({ address, path }) => (/^http:/i.test(address ?? '') ? [path] : [])),
  );

/** Relaxations for a sandbox are refused in production (safety, T17; protocol decisions, section 6). */
export const productionFaults = (references: References, adapters: readonly AdapterSchema[]): Fault[] => {
  const { allow, plainHttp } = references.egress;
  const loopback = allow.flatMap((text, index) => {
    const range = parseIpRange(text ?? '');
    return range !== undefined && touchesLoopback(range)
      ? [faultAt(['egress', 'allow', index], `allows loopback addresses, which is refused ${PRODUCTION}`)]
      : [];
  });
  const plain = isOn(plainHttp)
    ? []
    : plainHttpAddresses(references).map((path) => faultAt(path, `must be https ${PRODUCTION}, or egress.plainHttp true`));
  const simulated = references.gates.flatMap(({ adapter, allowInProduction }, index) =>
    adapters.some(({ name, isSimulated }) => name === adapter && isSimulated === true) && !isOn(allowInProduction)
      ? [
          faultAt(
            ['gates', index, 'adapter'],
            `approves cards without charging them: refused ${PRODUCTION}, unless allowInProduction is true`,
          ),
        ]
      : [],
  );
  return [...loopback, ...plain, ...simulated];
};

/** Why egress would refuse an address of the configuration, in one word; undefined if it would not. Makes no DNS query. */
export type RefusalOfTarget = (address: string, egress: EgressSettings, isProduction: boolean) => string | undefined;

/** Undefined if `allow` cannot be read: that is a separate fault, and the permitted ranges are unknown. */
const egressOf = ({ allow, plainHttp }: References['egress']): EgressSettings | undefined => {
  const ranges = allow.map((text) => parseIpRange(text ?? '')).filter((range): range is IpRange => range !== undefined);
  if (ranges.length < allow.length) return undefined;
  // Addresses in the configuration may use any port.
  return { allow: ranges, ports: new Set(), plainHttp: plainHttp === true || plainHttp === 'true' };
};

/** Reports uncallable addresses at start instead of with the first lost callback. */
export const targetFaults = ({ egress, merchants }: References, isProduction: boolean, refusalOf: RefusalOfTarget): Fault[] => {
  const settings = egressOf(egress);
  if (settings === undefined) return [];
  const targets = merchants.flatMap(({ merchantUrl, endpoints }, index) => [
    { address: merchantUrl, path: ['merchants', index, 'merchantUrl'] },
    ...endpoints.map(({ callbackUrl }, at) => ({ address: callbackUrl, path: ['merchants', index, 'endpoints', at, 'callbackUrl'] })),
  ]);
  return targets.flatMap(({ address, path }) => {
    const refusal = address === undefined ? undefined : refusalOf(address, settings, isProduction);
    return refusal === undefined ? [] : [faultAt(path, `would never be called (${refusal}): add non-public addresses to egress.allow`)];
  });
};

/** A device gets addresses of at most 128 characters (interface, section 3.2); a payer's page uses 73 of them after the prefix. */
const ADDRESS_CHARACTERS_MAX = 128;
export const PAYER_PAGE_CHARACTERS = 73;
const BASE_CHARACTERS_MAX = ADDRESS_CHARACTERS_MAX - PAYER_PAGE_CHARACTERS;

/** Applies only if a merchant has a server for the device interface. */
export const deviceFaults = ({ publicBaseUrl = '', pathPrefix = '/paynet', merchants }: References): Fault[] => {
  const isServed = merchants.some(({ merchantUrl }) => merchantUrl !== undefined);
  if (!isServed || publicBaseUrl.length + pathPrefix.length <= BASE_CHARACTERS_MAX) return [];
  const problem = `is, together with pathPrefix, longer than ${BASE_CHARACTERS_MAX} characters: devices accept addresses of at most ${ADDRESS_CHARACTERS_MAX}`;
  return [faultAt(['publicBaseUrl'], problem)];
};
