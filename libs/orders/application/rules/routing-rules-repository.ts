import { present, type Clock } from '@app/kernel';
import type { RoutingRule as ConfiguredRule } from '@app/configuration';
import { appendKnown, type Envelope, type EventStore } from '@app/event-store';
import type { RoutingConditions, RoutingRule, RoutingRulesRecorded } from '../../domain';
import { routingStreamOf, routingVersionOf, routingCodec, routingStream } from '../../events/routing.codec';

export interface NamedRouting {
  readonly version: string;
  readonly rules: readonly RoutingRule[];
}

const sorted = <Text extends string>(texts: readonly Text[] | undefined): readonly Text[] | undefined => texts?.toSorted();

/** Sorted, because the order of conditions has no meaning; that of rules, gates and shares has. */
const conditionsOf = ({ bins, countries, brands, currencies, days, ...others }: RoutingConditions): RoutingConditions =>
  present({
    ...others,
    bins: sorted(bins),
    countries: sorted(countries),
    brands: sorted(brands),
    currencies: sorted(currencies),
    days: sorted(days),
  });

const inOneOrder = (value: unknown): unknown => {
  if (typeof value === 'bigint') return value.toString();
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)));
};

const textOf = (rules: readonly RoutingRule[]): string => JSON.stringify(rules, (_, member: unknown) => inOneOrder(member));

/** The configuration is frozen, so each list of rules is named once per process. */
const NAMED = new WeakMap<readonly ConfiguredRule[], NamedRouting>();

/** Undefined without rules, so that such an order costs nothing more. */
export const namedRouting = (routing: readonly ConfiguredRule[] | undefined): NamedRouting | undefined => {
  if (routing === undefined) return undefined;
  let named = NAMED.get(routing);
  if (named === undefined) {
    const rules = routing.map(({ name, when, choice }): RoutingRule => ({ name, when: conditionsOf(when), choice }));
    named = { version: routingVersionOf(routingStreamOf(textOf(rules))), rules };
    NAMED.set(routing, named);
  }
  return named;
};

/** Rules are recorded before the first order that names their version, so that decisions can be replayed (architecture, rule 7). */
export class RoutingRulesRepository {
  readonly #recorded = new Set<string>();

  constructor(
    private readonly store: EventStore,
    private readonly clock: Clock,
  ) {}

  /**
   * Appends once per version and process.
   * @throws StoreUnavailable, OutcomeUnknown
   */
  async record({ version, rules }: NamedRouting, envelope: Envelope): Promise<void> {
    if (this.#recorded.has(version)) return;
    const stream = routingStream(version);
    const event: RoutingRulesRecorded = { type: 'RoutingRulesRecorded', data: { rules, recordedAt: this.clock.now() } };
    // A conflict means that they are already recorded, since no others can have this name.
    await appendKnown(this.store, stream, 'no_stream', routingCodec.encode([event], stream, 'no_stream', envelope));
    this.#recorded.add(version);
  }
}
