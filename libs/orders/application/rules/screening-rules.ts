import { alpha3Of, BoundedMap, type Clock } from '@app/kernel';
import { parseIpRange, type Screening } from '@app/configuration';
import { appendKnown, load, type Envelope, type EventStore } from '@app/event-store';
import type { AddressRange, ConfiguredRules, ScreeningRules, ScreeningRulesRecorded } from '../../domain';
import { rulesVersionOf, screeningStreamOf, screeningCodec, screeningStream } from '../../events/screening.codec';

export interface NamedRules {
  readonly version: string;
  readonly configured: ConfiguredRules;
}

const sorted = (texts: readonly string[]): readonly string[] => [...new Set(texts)].sort();

const configuredOf = ({
  minAmountMinor,
  maxAmountMinor,
  blockedBins,
  blockedCountries,
  blockedIps,
  perCard,
  perIp,
}: Screening): ConfiguredRules => ({
  ...(minAmountMinor !== undefined && { minAmountMinor }),
  ...(maxAmountMinor !== undefined && { maxAmountMinor }),
  blockedBins: sorted(blockedBins),
  blockedCountries: sorted(blockedCountries),
  blockedIps: sorted(blockedIps.map(({ text }) => text)),
  perCard: { count: perCard.count, hours: perCard.hours },
  perIp: { count: perIp.count, hours: perIp.hours },
});

const limitsNothing = ({
  minAmountMinor = 0n,
  maxAmountMinor,
  blockedBins,
  blockedCountries,
  blockedIps,
  perCard,
  perIp,
}: ConfiguredRules) =>
  minAmountMinor === 0n &&
  maxAmountMinor === undefined &&
  blockedBins.length + blockedCountries.length + blockedIps.length + perCard.count + perIp.count === 0;

const textOf = (configured: ConfiguredRules): string =>
  JSON.stringify(configured, (_, member: unknown) => (typeof member === 'bigint' ? member.toString() : member));

/** The configuration is frozen, so each rule set is named once per process. */
const NAMED = new WeakMap<Screening, NamedRules | 'none'>();

/** Undefined without limits, so that such an order costs nothing more. */
export const namedRules = (screening: Screening | undefined): NamedRules | undefined => {
  if (screening === undefined) return undefined;
  let named = NAMED.get(screening);
  if (named === undefined) {
    const configured = configuredOf(screening);
    named = limitsNothing(configured) ? 'none' : { version: rulesVersionOf(screeningStreamOf(textOf(configured))), configured };
    NAMED.set(screening, named);
  }
  return named === 'none' ? undefined : named;
};

const byLength = (prefixes: readonly string[]): ReadonlyMap<number, ReadonlySet<string>> => {
  const lengths = new Map<number, Set<string>>();
  for (const prefix of prefixes) lengths.set(prefix.length, (lengths.get(prefix.length) ?? new Set()).add(prefix));
  return lengths;
};

const joined = (texts: readonly string[]): readonly AddressRange[] => {
  const ranges = texts
    .map((text): AddressRange => {
      const range = parseIpRange(text);
      if (range === undefined) throw new Error('a recorded screening rule names no range of addresses');
      return range;
    })
    .sort((a, b) => (a.first < b.first ? -1 : 1));
  const result: AddressRange[] = [];
  for (const { first, last } of ranges) {
    const before = result.at(-1);
    if (before === undefined || first > before.last) result.push({ first, last });
    else if (last > before.last) result[result.length - 1] = { first: before.first, last };
  }
  return result;
};

/** Countries in one form, because the payer's has two letters and the issuer's three. */
export const preparedRules = (configured: ConfiguredRules): ScreeningRules => ({
  minAmountMinor: configured.minAmountMinor ?? 0n,
  maxAmountMinor: configured.maxAmountMinor,
  blockedBins: byLength(configured.blockedBins),
  blockedCountries: new Set(configured.blockedCountries.map((code) => alpha3Of(code) ?? code)),
  blockedIps: joined(configured.blockedIps),
  perCardCount: configured.perCard.count,
  perIpCount: configured.perIp.count,
});

/** Prepared rule sets kept in memory; others are read again when needed. */
const PREPARED_MAX = 1_000;

export interface RulesOfVersion {
  readonly configured: ConfiguredRules;
  readonly prepared: ScreeningRules;
}

const recordedRules = {
  initial: undefined,
  evolve: (_: ConfiguredRules | undefined, event: ScreeningRulesRecorded): ConfiguredRules => event.data,
};

/** Rules are recorded before the first order that names their version, so that any process can replay decisions (architecture, rule 7). */
export class ScreeningRulesRepository {
  readonly #recorded = new Set<string>();
  readonly #prepared = new BoundedMap<string, RulesOfVersion>(PREPARED_MAX);

  constructor(
    private readonly store: EventStore,
    private readonly clock: Clock,
  ) {}

  /**
   * Appends once per version and process.
   * @throws StoreUnavailable, OutcomeUnknown
   */
  async record({ version, configured }: NamedRules, envelope: Envelope): Promise<void> {
    if (this.#recorded.has(version)) return;
    const stream = screeningStream(version);
    const event: ScreeningRulesRecorded = { type: 'ScreeningRulesRecorded', data: { ...configured, recordedAt: this.clock.now() } };
    // A conflict means that they are already recorded, since no others can have this name.
    await appendKnown(this.store, stream, 'no_stream', screeningCodec.encode([event], stream, 'no_stream', envelope));
    this.#recorded.add(version);
  }

  /** @throws Error for a version that was never recorded, which no order can name */
  async rulesOf(version: string): Promise<RulesOfVersion> {
    const known = this.#prepared.get(version);
    if (known !== undefined) return known;
    const { state } = await load(this.store, screeningStream(version), recordedRules, screeningCodec);
    if (state === undefined) throw new Error(`screening rules ${version} were never recorded`);
    const rules = { configured: state, prepared: preparedRules(state) };
    this.#prepared.set(version, rules);
    return rules;
  }
}
