import type { EndpointId, MerchantLogin } from '@app/kernel';
import type { Accounts, WhatIfEndpoint, WhatIfRules } from '@app/configuration';
import { namedRouting, namedRules, preparedRules } from '@app/orders';
import type { RoutingRule } from '@app/orders/domain';
import type { GatesOfToday } from './route-again';
import type { RuleSet } from './screen-again';

/** The rules that an entry point is to have; a section that is absent is what it was for each order. */
export interface EndpointRules {
  readonly gates: WhatIfEndpoint['gates'];
  /** With the version under which the same rules would be on record. */
  readonly screening: (RuleSet & { readonly version: string }) | 'none' | undefined;
  readonly routing: { readonly version: string; readonly rules: readonly RoutingRule[] } | 'none' | undefined;
}

const screeningOf = ({ screening }: WhatIfEndpoint): EndpointRules['screening'] => {
  if (screening === undefined || screening === 'none') return screening;
  const named = namedRules(screening);
  return named === undefined ? 'none' : { ...named, prepared: preparedRules(named.configured) };
};

const routingOf = ({ routing }: WhatIfEndpoint): EndpointRules['routing'] =>
  routing === undefined || routing === 'none' ? routing : namedRouting(routing);

/** Finds the rules of an order's entry point; undefined where they are to stay what they were. */
export class RulesByEndpoint {
  readonly #rules = new Map<string, EndpointRules>();

  constructor(rules: WhatIfRules) {
    for (const entry of rules) {
      const found = { gates: entry.gates, screening: screeningOf(entry), routing: routingOf(entry) };
      this.#rules.set(nameOf(entry.merchant, entry.endpoint), found);
    }
  }

  of(merchant: MerchantLogin, endpoint: EndpointId): EndpointRules | undefined {
    return this.#rules.get(nameOf(merchant, endpoint));
  }
}

const nameOf = (merchant: MerchantLogin, endpoint: EndpointId): string => `${merchant} ${endpoint}`;

export const gatesOfToday = ({ gates, merchant }: Pick<Accounts, 'gates' | 'merchant'>): GatesOfToday => {
  const byAlias = new Map(gates.map((gate) => [gate.alias, gate]));
  return {
    serves: (alias, currency) => [...(byAlias.get(alias)?.currencies ?? [])].some((one) => one === currency),
    commission: (alias) => byAlias.get(alias)?.commission,
    gatesOf: (login, endpoint) => merchant(login)?.endpoints.find(({ id }) => id === endpoint)?.gates,
  };
};
