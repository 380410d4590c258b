import { streamName, type StreamName, eventCodec, f, type EventCodec } from '@app/event-store';
import { CARD_BRANDS, WEEKDAYS, type Currency } from '@app/kernel';
import type { RoutingChoice, RoutingConditions, RoutingRule, RoutingRulesRecorded, Share } from '../domain';
import { gateAlias } from './order-fields';

export const ROUTING_CATEGORY = 'routing';

/** Named by the rules' text, so that a version cannot have other rules. */
export const routingStreamOf = (rulesText: string): StreamName => streamName(ROUTING_CATEGORY, rulesText);

export const routingVersionOf = (stream: StreamName): string => stream.slice(ROUTING_CATEGORY.length + 1);

export const routingStream = (rulesVersion: string): StreamName => `${ROUTING_CATEGORY}-${rulesVersion}` as StreamName;

type Recorded = RoutingRulesRecorded['data'];
type ChoiceOf<Kind extends RoutingChoice['kind']> = Extract<RoutingChoice, { readonly kind: Kind }>;

const conditions = () =>
  f.object<RoutingConditions>({
    // The operator typed these ranges: their digits are of issuers, not of a card.
    bins: f.optional(f.list<readonly string[]>(f.id())),
    countries: f.optional(f.list<readonly string[]>(f.id())),
    brands: f.optional(f.list<NonNullable<RoutingConditions['brands']>>(f.oneOf(...CARD_BRANDS))),
    currencies: f.optional(f.list<readonly Currency[]>(f.id<Currency>())),
    amountFromMinor: f.optional(f.bigint()),
    amountToMinor: f.optional(f.bigint()),
    from: f.optional(f.id()),
    to: f.optional(f.id()),
    days: f.optional(f.list<NonNullable<RoutingConditions['days']>>(f.oneOf(...WEEKDAYS))),
  });

const choice = () =>
  f.tagged<RoutingChoice, 'kind'>('kind', {
    cascade: f.object({ gates: f.list<ChoiceOf<'cascade'>['gates']>(gateAlias()) }),
    split: f.object({
      shares: f.list<ChoiceOf<'split'>['shares']>(f.object<Share>({ gate: gateAlias(), weight: f.int() })),
      stickyByCustomer: f.bool(),
    }),
    'least-commission': f.object({ gates: f.list<ChoiceOf<'least-commission'>['gates']>(gateAlias()) }),
  });

export const routingCodec: EventCodec<RoutingRulesRecorded> = eventCodec<RoutingRulesRecorded>(ROUTING_CATEGORY, {
  RoutingRulesRecorded: {
    version: 1,
    meaning: 'An entry point’s ordered routing rules were stored under a version, which its orders’ routes name.',
    schema: f.object<Recorded>({
      rules: f.list<Recorded['rules']>(f.object<RoutingRule>({ name: f.id(), when: conditions(), choice: choice() })),
      recordedAt: f.instant(),
    }),
  },
});
