import { z } from 'zod';
import type { EndpointId, GateAlias, MerchantLogin, NonEmpty } from '@app/kernel';
import { gateAlias } from './gates/gate.schema';
import { entryPointId, login, screening } from './merchants/merchant.schema';
import { CASCADE_GATES_MAX, type Accounts, type Endpoint, type Screening, type RoutingRule } from './merchants/accounts';
import { routing } from './merchants/routing.schema';
import { asText, listOf, mapping, namesOf } from './reading/scalars';
import { repeats } from './merchants/rules';
import { nonEmpty, onePerPath, schemaFaults, screeningOf } from './load-configuration';
import { readBoundedFile, ConfigurationFault, faultAt, type Fault, type Path } from './reading/fault';
import { fillFromEnvironment, type EnvironmentVariables } from './reading/environment';
import { readYaml } from './reading/yaml-document';

const MERCHANTS_MAX = 1_000;
const ENDPOINTS_MAX = 10_000;

/** Removes all rules. Leaving the section out means "unchanged" here, unlike in the service's file. */
const NONE = 'none';

const orNone = <Section extends z.ZodType>(section: Section) =>
  z.unknown().transform((value, context): z.output<Section> | typeof NONE => {
    if (asText(value) === NONE) return NONE;
    const parsed = section.safeParse(value);
    if (parsed.success) return parsed.data;
    for (const issue of parsed.error.issues) context.addIssue({ ...issue });
    return z.NEVER;
  });

const endpoint = mapping({
  id: entryPointId().transform((text) => text as EndpointId),
  gates: namesOf(gateAlias(), { least: 1, most: CASCADE_GATES_MAX }).optional(),
  screening: orNone(screening()).optional(),
  routing: orNone(routing()).optional(),
}).refine(({ gates, screening: limits, routing: rules }) => gates !== undefined || limits !== undefined || rules !== undefined, {
  error: 'must have one of gates, screening and routing',
});

const whatIfSchema = mapping({
  merchants: listOf(mapping({ login: login(), endpoints: listOf(endpoint, { least: 1, most: ENDPOINTS_MAX }) }), {
    least: 1,
    most: MERCHANTS_MAX,
  }),
});
type WhatIfEntries = z.output<typeof whatIfSchema>;

const FILE_BYTES_MAX = 16 * 1024 * 1024;

/** Replacements for an entry point. An absent section keeps the value that each order had. */
export interface WhatIfEndpoint {
  readonly merchant: MerchantLogin;
  readonly endpoint: EndpointId;
  readonly gates?: NonEmpty<GateAlias>;
  readonly screening?: Screening | 'none';
  readonly routing?: readonly RoutingRule[] | 'none';
}

export type WhatIfRules = readonly WhatIfEndpoint[];

type Base = Pick<Accounts, 'merchant' | 'gates'>;

/**
 * Reads the rules for a what-if replay: `gates`, `screening` and `routing` per entry point. Uses the configuration's reader; `base` names merchants, entry points and gates.
 * @throws ConfigurationFault with every fault, each by its path
 */
export const loadWhatIfRules = (path: string, environment: EnvironmentVariables, base: Base): WhatIfRules => {
  const text = readBoundedFile(path, FILE_BYTES_MAX);
  if (typeof text !== 'string') throw new ConfigurationFault(path, [{ path: '', problem: text.problem }]);
  return whatIfRulesFrom(text, path, environment, base);
};

export const whatIfRulesFrom = (text: string, source: string, environment: EnvironmentVariables, base: Base): WhatIfRules => {
  const document = readYaml(text);
  if (document.value === undefined) throw new ConfigurationFault(source, document.faults);
  const filled = fillFromEnvironment(document.value, environment);
  const parsed = whatIfSchema.safeParse(filled.value);
  const faults = onePerPath([
    ...document.faults,
    ...filled.faults,
    ...(parsed.success ? relationFaultsOf(parsed.data, base) : parsed.error.issues.flatMap(schemaFaults)),
  ]);
  if (faults.length > 0 || !parsed.success) throw new ConfigurationFault(source, faults);
  return parsed.data.merchants.flatMap(({ login, endpoints }) =>
    endpoints.map(({ id, gates, screening, routing }) => ({
      merchant: login,
      endpoint: id,
      ...(gates && { gates: nonEmpty(gates) }),
      ...(screening && { screening: screening === 'none' ? screening : screeningOf(screening) }),
      ...(routing && { routing }),
    })),
  );
};

type EndpointEntry = WhatIfEntries['merchants'][number]['endpoints'][number];

const gatesNamedBy = (routing: EndpointEntry['routing'], path: Path): readonly { readonly alias: GateAlias; readonly path: Path }[] => {
  if (routing === undefined || routing === 'none') return [];
  return routing.flatMap(({ choice }, place) => {
    const gates = choice.kind === 'split' ? choice.shares.map(({ gate }) => gate) : choice.gates;
    return gates.map((alias) => ({ alias, path: [...path, 'routing', place, 'then'] }));
  });
};

const endpointFaults = (entry: EndpointEntry, known: Endpoint, path: Path, { gates }: Base): Fault[] => {
  const byAlias = new Map(gates.map((gate) => [gate.alias, gate]));
  const ownGates = entry.gates ?? known.gates;
  const rules = entry.routing === undefined || entry.routing === 'none' ? [] : entry.routing;
  return [
    ...(entry.gates ?? []).flatMap((alias, place) => {
      const gate = byAlias.get(alias);
      if (gate === undefined) return [faultAt([...path, 'gates', place], 'is not a gate of this configuration')];
      const isServed = gate.currencies.has(known.currency);
      return isServed ? [] : [faultAt([...path, 'gates', place], 'does not serve the currency of the endpoint')];
    }),
    ...gatesNamedBy(entry.routing, path).flatMap(({ alias, path: where }) =>
      ownGates.includes(alias) ? [] : [faultAt(where, 'names a gate that is not among the gates of the endpoint')],
    ),
    ...repeats(
      rules.map(({ name }, place) => ({ value: name, path: [...path, 'routing', place, 'name'] })),
      'is the name of another rule of this endpoint',
    ),
  ];
};

const relationFaultsOf = ({ merchants }: WhatIfEntries, base: Base): Fault[] => [
  ...repeats(
    merchants.map(({ login }, index) => ({ value: login, path: ['merchants', index, 'login'] })),
    'is the login of another merchant',
  ),
  ...merchants.flatMap(({ login, endpoints }, index) => {
    const merchant = base.merchant(login);
    if (merchant === undefined) return [faultAt(['merchants', index, 'login'], 'is not a merchant of this configuration')];
    return [
      ...repeats(
        endpoints.map(({ id }, at) => ({ value: id, path: ['merchants', index, 'endpoints', at, 'id'] })),
        'is the id of another endpoint',
      ),
      ...endpoints.flatMap((entry, at) => {
        const path = ['merchants', index, 'endpoints', at];
        const known = merchant.endpoints.find(({ id }) => id === entry.id);
        return known === undefined
          ? [faultAt([...path, 'id'], 'is not an endpoint of this merchant')]
          : endpointFaults(entry, known, path, base);
      }),
    ];
  }),
];
