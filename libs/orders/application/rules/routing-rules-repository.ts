import type { Clock } from '@app/kernel';
import { appendKnown, type Envelope, type EventStore } from '@app/event-store';
import type { RoutingRulesRecorded } from '../../domain';
import { routingCodec } from '../../events/routing.codec';
import { routingStream } from '../../events/routing.stream';
import type { NamedRouting } from './named-routing';

/**
 * Keeps routing rules by their version: recorded before the first order that names them is accepted, so that history can be decided again whatever the
 * configuration says by then (architecture, rule 7).
 */
export class RoutingRulesRepository {
  /** Of this process alone, and as many as the configuration has. */
  readonly #recorded = new Set<string>();

  constructor(
    private readonly store: EventStore,
    private readonly clock: Clock,
  ) {}

  /**
   * Appends once for each version and process.
   * @throws StoreUnavailable, OutcomeUnknown
   */
  async record({ version, rules }: NamedRouting, envelope: Envelope): Promise<void> {
    if (this.#recorded.has(version)) return;
    const stream = routingStream(version);
    const event: RoutingRulesRecorded = { type: 'RoutingRulesRecorded', data: { rules, recordedAt: this.clock.now() } };
    // A conflict means that they are recorded already, since no others can have this name.
    await appendKnown(this.store, stream, 'no_stream', routingCodec.encode([event], stream, 'no_stream', envelope));
    this.#recorded.add(version);
  }
}
