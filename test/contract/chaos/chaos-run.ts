import {
  eventId,
  OutcomeUnknown,
  StoreUnavailable,
  type NewEvent,
  type Position,
  type Revision,
  type StoredEvent,
  type StreamName,
} from '@app/event-store';
import { EventStoreDbEventStore } from '@app/event-store/stores/eventstoredb';
import { collect } from '@app/event-store/testing';
import { systemScheduler } from '@app/kernel';
import { randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { until } from '../../support/until';
import type { ChaosTarget } from './chaos-target';

export interface ChaosPlan {
  readonly writers: number;
  readonly kills: number;
  readonly eventsPerLife: number;
  readonly downtimesMs: readonly number[];
}

export interface ChaosFindings {
  readonly acknowledged: readonly string[];
  readonly stored: readonly StoredEvent[];
  readonly delivered: readonly StoredEvent[];
  readonly unknown: number;
  readonly unavailable: number;
  readonly drops: number;
  /** Time from each kill until the server answered a new client: downtime plus start. */
  readonly awayMs: readonly number[];
  /** Time from then until an existing writer was acknowledged; 0 if a cluster stayed available. */
  readonly firstAcknowledgedMs: readonly number[];
  comparePositions(a: Position, b: Position): number;
}

const RUN_BYTES = 4;
const EVENTS_OF_A_STREAM = 40;
const BACK_MS_MAX = 60_000;
const PROBE_MS = 1_000;

const answersAgain = async (url: string): Promise<boolean> => {
  try {
    const store = await EventStoreDbEventStore.open({ url, scheduler: systemScheduler, attemptMs: PROBE_MS, limitMs: PROBE_MS });
    await store.close();
    return true;
  } catch (error) {
    if (error instanceof StoreUnavailable) return false;
    throw error;
  }
};

/** Writers with exact revisions retry with the same ids until the outcome is known, while the server is killed. */
class ChaosRun {
  readonly acknowledged: string[] = [];
  readonly delivered: StoredEvent[] = [];
  readonly #store: EventStoreDbEventStore;
  readonly #category = `chaos${randomBytes(RUN_BYTES).toString('hex')}`;
  readonly #streams = new Set<StreamName>();
  readonly #writing: Promise<unknown>;
  readonly #following: Promise<void>;
  readonly #failed: Promise<undefined>;
  #onAcknowledged = (): unknown => undefined;
  #subscription: ReturnType<EventStoreDbEventStore['subscribe']>;
  #unknown = 0;
  #unavailable = 0;
  #drops = 0;
  #isOver = false;
  #isFollowing = true;

  constructor(store: EventStoreDbEventStore, writers: number) {
    this.#store = store;
    this.#subscription = store.subscribe([this.#category], 'start');
    this.#writing = Promise.all(Array.from({ length: writers }, (_, writer) => this.#write(writer)));
    this.#following = this.#follow();
    this.#failed = Promise.race([this.#writing, this.#following]).then(() => undefined);
  }

  async atLeast(count: number, what: string): Promise<void> {
    await Promise.race([this.#failed, until(() => this.acknowledged.length >= count, { what, timeoutMs: BACK_MS_MAX })]);
  }

  nextAcknowledgement(): () => number | undefined {
    let at: number | undefined;
    this.#onAcknowledged = () => (at ??= performance.now());
    return () => at;
  }

  async end(): Promise<void> {
    this.#isOver = true;
    await this.#writing;
    await until(() => this.delivered.length >= this.acknowledged.length, {
      what: 'all that was acknowledged at the subscriber',
      timeoutMs: BACK_MS_MAX,
    });
  }

  async findings(): Promise<Omit<ChaosFindings, 'awayMs' | 'firstAcknowledgedMs'>> {
    const stored: StoredEvent[] = [];
    for (const stream of this.#streams) stored.push(...(await collect(this.#store.read(stream))));
    return {
      acknowledged: this.acknowledged,
      stored,
      delivered: this.delivered,
      unknown: this.#unknown,
      unavailable: this.#unavailable,
      drops: this.#drops,
      comparePositions: (a, b) => this.#store.comparePositions(a, b),
    };
  }

  async close(): Promise<void> {
    this.#isOver = true;
    this.#isFollowing = false;
    await this.#subscription.cancel();
    await Promise.allSettled([this.#writing, this.#following]);
  }

  async #write(writer: number): Promise<void> {
    for (let round = 0; !this.#isOver; round++) {
      const stream = `${this.#category}-${writer}.${round}` as StreamName;
      this.#streams.add(stream);
      let expected: 'no_stream' | Revision = 'no_stream';
      for (let index = 0; index < EVENTS_OF_A_STREAM && !this.#isOver; index++) {
        const event = {
          id: eventId(stream, `${index}`, 0),
          type: 'Written',
          data: JSON.stringify({ index, x: 'x'.repeat(300) }),
          metadata: '{}',
        };
        expected = await this.#appendUntilKnown(stream, expected, event);
      }
    }
  }

  async #appendUntilKnown(stream: StreamName, expected: 'no_stream' | Revision, event: NewEvent): Promise<Revision> {
    for (;;) {
      try {
        const answer = await this.#store.append(stream, expected, [event]);
        if (answer.kind === 'conflict') throw new Error(`${stream}: a conflict, and nobody else writes there`);
        this.acknowledged.push(event.id);
        this.#onAcknowledged();
        return answer.revision;
      } catch (error) {
        if (error instanceof OutcomeUnknown) this.#unknown += 1;
        else if (error instanceof StoreUnavailable) this.#unavailable += 1;
        else throw error;
      }
    }
  }

  async #follow(): Promise<void> {
    let after: Position | 'start' = 'start';
    while (this.#isFollowing) {
      try {
        for await (const item of this.#subscription) {
          if (item.kind === 'event') this.delivered.push(item.event);
          if (item.kind !== 'caught-up') after = item.kind === 'event' ? item.event.position : item.position;
        }
      } catch (error) {
        if (!(error instanceof StoreUnavailable)) throw error;
        this.#drops += 1;
      }
      if (this.#isFollowing) this.#subscription = this.#store.subscribe([this.#category], after);
    }
  }
}

export const runChaos = async (target: ChaosTarget, plan: ChaosPlan): Promise<ChaosFindings> => {
  const store = await EventStoreDbEventStore.open({ url: target.url, scheduler: systemScheduler, attemptMs: 700, limitMs: 3_000 });
  const run = new ChaosRun(store, plan.writers);
  const awayMs: number[] = [];
  const firstAcknowledgedMs: number[] = [];
  try {
    for (let kill = 0; kill < plan.kills; kill++) {
      await run.atLeast(run.acknowledged.length + plan.eventsPerLife, `${plan.eventsPerLife} events in life ${kill}`);
      await target.kill();
      const killedAt = performance.now();
      await pause(plan.downtimesMs[kill % plan.downtimesMs.length] ?? 0);
      const before = run.acknowledged.length;
      const acknowledgedAt = run.nextAcknowledgement();
      await target.start();
      await until(() => answersAgain(target.url), { what: `an answer after kill ${kill}`, timeoutMs: BACK_MS_MAX });
      const answeredAt = performance.now();
      await run.atLeast(before + 1, `the first event after kill ${kill}`);
      awayMs.push(Math.round(answeredAt - killedAt));
      firstAcknowledgedMs.push(Math.max(0, Math.round((acknowledgedAt() ?? answeredAt) - answeredAt)));
    }
    await run.atLeast(run.acknowledged.length + plan.eventsPerLife, 'events of the last life');
    await run.end();
    return { ...(await run.findings()), awayMs, firstAcknowledgedMs };
  } finally {
    await run.close();
    await store.close();
  }
};
