import type { Clock } from '@app/kernel';
import { appendKnown, load, type Envelope, type EventStore } from '@app/event-store';
import type { ConfiguredRules, ScreeningRules, ScreeningRulesRecorded } from '../../domain';
import { screeningCodec } from '../../screening.codec';
import { screeningStream } from '../../screening.stream';
import { preparedRules, type NamedRules } from './screening-rules';

/** Rule sets kept ready to be asked; more than these are read again. */
const PREPARED_MAX = 1_000;

/** As they were recorded, and ready to be asked. */
export interface RulesOfVersion {
  readonly configured: ConfiguredRules;
  readonly prepared: ScreeningRules;
}

const recordedRules = {
  initial: undefined,
  evolve: (_: ConfiguredRules | undefined, event: ScreeningRulesRecorded): ConfiguredRules => event.data,
};

/**
 * Screening rules by their version: written down before the first order that names them is accepted, so that any process finds them, and so that
 * history can be decided again whatever the configuration says by then (architecture, rule 7).
 */
export class ScreeningRulesRepository {
  /** Of this process: as many as the configuration has. */
  readonly #recorded = new Set<string>();
  readonly #prepared = new Map<string, RulesOfVersion>();

  constructor(
    private readonly store: EventStore,
    private readonly clock: Clock,
  ) {}

  /** Once a version and process an append, after that nothing. @throws StoreUnavailable, OutcomeUnknown */
  async record({ version, configured }: NamedRules, envelope: Envelope): Promise<void> {
    if (this.#recorded.has(version)) return;
    const stream = screeningStream(version);
    const event: ScreeningRulesRecorded = { type: 'ScreeningRulesRecorded', data: { ...configured, recordedAt: this.clock.now() } };
    // A conflict: they stand there already, and under this name no others can.
    await appendKnown(this.store, stream, 'no_stream', screeningCodec.encode([event], stream, 'no_stream', envelope));
    this.#recorded.add(version);
  }

  /** @throws Error for a version that was never recorded: no order can name one */
  async rulesOf(version: string): Promise<RulesOfVersion> {
    const known = this.#prepared.get(version);
    if (known !== undefined) return known;
    const { state } = await load(this.store, screeningStream(version), recordedRules, screeningCodec);
    if (state === undefined) throw new Error(`screening rules ${version} were never recorded`);
    const rules = { configured: state, prepared: preparedRules(state) };
    this.#prepared.set(version, rules);
    if (this.#prepared.size > PREPARED_MAX) {
      const [eldest] = this.#prepared.keys();
      if (eldest !== undefined) this.#prepared.delete(eldest);
    }
    return rules;
  }
}
