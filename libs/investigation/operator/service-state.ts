import { metadataOf, type EventStore, type Position } from '@app/event-store';
import type { Clock, Instant } from '@app/kernel';
import { firstUnprojected } from '@app/read-models/queries';
import { parkedByStream, type ParkedEntry, type ParkedStream, type ProjectionHealth } from '@app/read-models';
import { auditInstantOrNull } from '../orders/audit-instant';

interface ServiceStatePorts {
  readonly log: Pick<EventStore, 'subscribe' | 'head' | 'comparePositions'>;
  readonly readModel: {
    health(): Promise<readonly ProjectionHealth[]>;
    parkedStreams(limit: number): Promise<readonly ParkedStream[]>;
    readonly eventsPerSecond: number | undefined;
  };
  readonly clock: Clock;
}

export interface ParkedStreams {
  /** Broken chains first, then the oldest. */
  readonly streams: readonly ParkedEntry[];
  /** There are more than can be listed. */
  readonly isCutShort?: true;
}

interface ProjectionState {
  readonly projection: string;
  /** Null if it was never built. */
  readonly generation: number | null;
  /** The lowest checkpoint of all partitions, in the event store's form. */
  readonly position: string | null;
  /** When the last batch was applied. */
  readonly appliedAt: string | null;
  readonly parkedStreams: number;
  readonly state: 'level' | 'behind' | 'missing';
  /** Since the oldest event that it does not contain was recorded; 0 if there is none. Null if it was never built. */
  readonly behindSeconds: number | null;
}

export interface ProjectionStates {
  /** The end of the log, in the event store's form. */
  readonly head: string;
  /** Events that this process projected, over the last 60 s or since its first batch. Null if it does not project. */
  readonly eventsPerSecond: number | null;
  readonly projections: readonly ProjectionState[];
}

const PARKED_MAX = 1_000;
const SECOND_MS = 1_000;
const TENTHS = 10;

/** The state of the read models, of all processes. */
export class ServiceState {
  constructor(private readonly ports: ServiceStatePorts) {}

  /** @throws StoreUnavailable */
  async parked(): Promise<ParkedStreams> {
    const rows = await this.ports.readModel.parkedStreams(PARKED_MAX + 1);
    const streams = parkedByStream(rows.slice(0, PARKED_MAX));
    return { streams, ...(rows.length > PARKED_MAX && { isCutShort: true as const }) };
  }

  /** @throws StoreUnavailable */
  async projections(): Promise<ProjectionStates> {
    const { log, readModel } = this.ports;
    const healths = await readModel.health();
    // After the checkpoints were read: the head is then never before one of them.
    const head = await log.head();
    const asked = new Map<string, Promise<number>>();
    const projections = healths.map(async (health): Promise<ProjectionState> => {
      const { projection, categories, generation, position, appliedAt, parkedStreams } = health;
      const behindSeconds = position === undefined ? null : await this.#behind(head, position, categories, asked);
      const state = behindSeconds === null ? 'missing' : behindSeconds === 0 ? 'level' : 'behind';
      return {
        projection,
        generation: generation ?? null,
        position: position ?? null,
        appliedAt: auditInstantOrNull(appliedAt ?? null),
        parkedStreams,
        state,
        behindSeconds: behindSeconds === null ? null : Math.floor(behindSeconds),
      };
    });
    const rate = readModel.eventsPerSecond;
    const eventsPerSecond = rate === undefined ? null : Math.round(rate * TENTHS) / TENTHS;
    return { head, eventsPerSecond, projections: await Promise.all(projections) };
  }

  /** Asks the log once for all projections with the same checkpoint and categories. More than 0 if an event is missing. */
  #behind(head: Position, position: Position, categories: readonly string[], asked: Map<string, Promise<number>>): Promise<number> {
    const { log, clock } = this.ports;
    if (log.comparePositions(position, head) >= 0) return Promise.resolve(0);
    const name = [position, ...categories].join(' ');
    const known = asked.get(name);
    if (known !== undefined) return known;
    const behind = firstUnprojected(log, position, categories).then((event) => {
      if (event === undefined) return 0;
      const recordedAt: Instant = metadataOf(event).recordedAt;
      return Math.max(Number.MIN_VALUE, (clock.now() - recordedAt) / SECOND_MS);
    });
    asked.set(name, behind);
    return behind;
  }
}
