import { BoundedMap, type Clock } from '@app/kernel';
import { appendKnown, load, type Envelope, type EventStore } from '@app/event-store';
import type { ConfiguredRules, ScreeningRules, ScreeningRulesRecorded } from '../../domain';
import { screeningCodec } from '../../events/screening.codec';
import { screeningStream } from '../../events/screening.stream';
import { preparedRules, type NamedRules } from './screening-rules';

/** Rule sets that are kept prepared; any more are read again when needed. */
const PREPARED_MAX = 1_000;

/** A rule set as it was recorded, and prepared for screening. */
export interface RulesOfVersion {
  readonly configured: ConfiguredRules;
  readonly prepared: ScreeningRules;
}

const recordedRules = {
  initial: undefined,
  evolve: (_: ConfiguredRules | undefined, event: ScreeningRulesRecorded): ConfiguredRules => event.data,
};

/**
 * Keeps screening rules by their version: recorded before the first order that names them is accepted, so that any process finds them and history can
 * be decided again whatever the configuration says by then (architecture, rule 7).
 */
export class ScreeningRulesRepository {
  /** Of this process alone, and as many as the configuration has. */
  readonly #recorded = new Set<string>();
  readonly #prepared = new BoundedMap<string, RulesOfVersion>(PREPARED_MAX);

  constructor(
    private readonly store: EventStore,
    private readonly clock: Clock,
  ) {}

  /**
   * Appends once for each version and process.
   * @throws StoreUnavailable, OutcomeUnknown
   */
  async record({ version, configured }: NamedRules, envelope: Envelope): Promise<void> {
    if (this.#recorded.has(version)) return;
    const stream = screeningStream(version);
    const event: ScreeningRulesRecorded = { type: 'ScreeningRulesRecorded', data: { ...configured, recordedAt: this.clock.now() } };
    // A conflict means that they are recorded already, since no others can have this name.
    await appendKnown(this.store, stream, 'no_stream', screeningCodec.encode([event], stream, 'no_stream', envelope));
    this.#recorded.add(version);
  }

  /** @throws Error for a version that was never recorded, since no order can name one */
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
