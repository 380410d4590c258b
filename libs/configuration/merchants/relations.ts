import { faultAt, type Fault, type Path } from '../reading/fault';
import type { MerchantReferences, References } from './references';

/** Keeps the first path of a value, and reports every later one as a fault. */
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

/** Endpoint and group ids share one space: an id in a path names one entry point of one merchant (safety, 3.1). */
const entryPointIds = ({ merchants }: References) => merchants.flatMap((merchant, index) => entryPointsOf(merchant, ['merchants', index]));

/**
 * The checksum of an initial payment begins with the entry point and has no separator before the client_orderid: where one id is a prefix of another,
 * one checksum fits requests to both. Another merchant has another key.
 */
const prefixedIds = (merchant: MerchantReferences, merchantPath: Path): Fault[] => {
  const entryPoints = entryPointsOf(merchant, merchantPath).flatMap(({ value, path }) =>
    value === undefined || value === '' ? [] : [{ value, path }],
  );
  const sorted = entryPoints.toSorted((a, b) => (a.value < b.value ? -1 : Number(a.value > b.value)));
  // In this order the ids with a common prefix follow it without a gap, so that one comparison with the newest prefix is enough.
  let prefix: string | undefined;
  return sorted.flatMap(({ value, path }) => {
    if (prefix !== undefined && value !== prefix && value.startsWith(prefix)) {
      return [faultAt(path, 'begins with the id of another endpoint or group of this merchant: one checksum would fit both')];
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
        if (served === undefined) return [faultAt(path, 'is no gate of this configuration')];
        return currency === undefined || served.has(currency) ? [] : [faultAt(path, 'does not serve the currency of the endpoint')];
      }),
    ),
  );
};

/** A rule chooses among the gates of its entry point, which are checked for it; its name tells an order's rule from every other. */
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
      id === undefined || currencyOf.has(id) ? [] : [faultAt([...path, place], 'is no endpoint of this merchant')],
    );
    const currencies = members.map((id, place) => ({ value: id === undefined ? undefined : currencyOf.get(id), path: [...path, place] }));
    return [...unknown, ...repeats(currencies, 'has the currency of another endpoint of the group: the currency could not choose')];
  });
};

/** Faults between entries: names given twice, references to nothing (architecture, "Configuration"). */
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
    'stands twice',
  ),
  ...gatesOfEndpoints(references),
  ...routingOfEndpoints(references),
  ...references.merchants.flatMap((merchant, index) => endpointsOfGroups(merchant, ['merchants', index])),
];
