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
  /** Acknowledged events between two kills. */
  readonly eventsPerLife: number;
  /** Successive downtimes of the server. */
  readonly downtimesMs: readonly number[];
}

export interface ChaosFindings {
  readonly acknowledged: readonly string[];
  readonly stored: readonly StoredEvent[];
  readonly delivered: readonly StoredEvent[];
  /** Count of unknown outcomes. */
  readonly unknown: number;
  readonly unavailable: number;
  readonly drops: number;
  /** Time from each kill until the server answered a new client, that is the downtime and the start. */
  readonly awayMs: readonly number[];
  /** Time from then until an existing writer was acknowledged; 0 where a cluster continued meanwhile. */
  readonly firstAcknowledgedMs: readonly number[];
  comparePositions(a: Position, b: Position): number;
}

const RUN_BYTES = 4;
const EVENTS_OF_A_STREAM = 40;
const BACK_MS_MAX = 60_000;
const PROBE_MS = 1_000;

/** Uses a new client each time, without any state, which reads the head when it is opened. */
const answersAnew = async (url: string): Promise<boolean> => {
  try {
    const store = await EventStoreDbEventStore.open({ url, scheduler: systemScheduler, attemptMs: PROBE_MS, limitMs: PROBE_MS });
    await store.close();
    return true;
  } catch (error) {
    if (error instanceof StoreUnavailable) return false;
    throw error;
  }
};

/** Runs writers with exact revisions that retry with the same ids until the outcome is known, one subscriber, and a server that is killed. */
export const runChaos = async (target: ChaosTarget, plan: ChaosPlan): Promise<ChaosFindings> => {
  const store = await EventStoreDbEventStore.open({ url: target.url, scheduler: systemScheduler, attemptMs: 700, limitMs: 3_000 });
  const category = `chaos${randomBytes(RUN_BYTES).toString('hex')}`;
  const acknowledged: string[] = [];
  let onAcknowledged = (): unknown => undefined;
  const streams = new Set<StreamName>();
  let [unknown, unavailable, drops] = [0, 0, 0];
  let isOver = false;

  const appendUntilTold = async (stream: StreamName, expected: 'no_stream' | Revision, event: NewEvent): Promise<Revision> => {
    for (;;) {
      try {
        const answer = await store.append(stream, expected, [event]);
        if (answer.kind === 'conflict') throw new Error(`${stream}: a conflict, and nobody else writes there`);
        acknowledged.push(event.id);
        onAcknowledged();
        return answer.revision;
      } catch (error) {
        if (error instanceof OutcomeUnknown) unknown += 1;
        else if (error instanceof StoreUnavailable) unavailable += 1;
        else throw error;
      }
    }
  };
  const write = async (writer: number): Promise<void> => {
    for (let round = 0; !isOver; round++) {
      const stream = `${category}-${writer}.${round}` as StreamName;
      streams.add(stream);
      let expected: 'no_stream' | Revision = 'no_stream';
      for (let index = 0; index < EVENTS_OF_A_STREAM && !isOver; index++) {
        const event = {
          id: eventId(stream, `${index}`, 0),
          type: 'Written',
          data: JSON.stringify({ index, x: 'x'.repeat(300) }),
          metadata: '{}',
        };
        expected = await appendUntilTold(stream, expected, event);
      }
    }
  };

  const delivered: StoredEvent[] = [];
  let subscription = store.subscribe([category], 'start');
  let isFollowing = true;
  const follow = async (): Promise<void> => {
    let after: Position | 'start' = 'start';
    while (isFollowing) {
      try {
        for await (const item of subscription) {
          if (item.kind === 'event') delivered.push(item.event);
          if (item.kind !== 'caught-up') after = item.kind === 'event' ? item.event.position : item.position;
        }
      } catch (error) {
        if (!(error instanceof StoreUnavailable)) throw error;
        drops += 1;
      }
      if (isFollowing) subscription = store.subscribe([category], after);
    }
  };

  const writing = Promise.all(Array.from({ length: plan.writers }, (_, writer) => write(writer)));
  const following = follow();
  const failed = Promise.race([writing, following]).then(() => undefined);
  const atLeast = (count: number, what: string): Promise<unknown> =>
    Promise.race([failed, until(() => acknowledged.length >= count, { what, timeoutMs: BACK_MS_MAX })]);

  const awayMs: number[] = [];
  const firstAcknowledgedMs: number[] = [];
  try {
    for (let kill = 0; kill < plan.kills; kill++) {
      await atLeast(acknowledged.length + plan.eventsPerLife, `${plan.eventsPerLife} events in life ${kill}`);
      await target.kill();
      const killedAt = performance.now();
      await pause(plan.downtimesMs[kill % plan.downtimesMs.length] ?? 0);
      const before = acknowledged.length;
      let acknowledgedAt: number | undefined;
      onAcknowledged = () => (acknowledgedAt ??= performance.now());
      await target.start();
      await until(() => answersAnew(target.url), { what: `an answer after kill ${kill}`, timeoutMs: BACK_MS_MAX });
      const answeredAt = performance.now();
      await atLeast(before + 1, `the first event after kill ${kill}`);
      awayMs.push(Math.round(answeredAt - killedAt));
      firstAcknowledgedMs.push(Math.max(0, Math.round((acknowledgedAt ?? answeredAt) - answeredAt)));
    }
    await atLeast(acknowledged.length + plan.eventsPerLife, 'events of the last life');
    isOver = true;
    await writing;
    await until(() => delivered.length >= acknowledged.length, {
      what: 'all that was acknowledged at the subscriber',
      timeoutMs: BACK_MS_MAX,
    });
    const stored: StoredEvent[] = [];
    for (const stream of streams) stored.push(...(await collect(store.read(stream))));
    return {
      acknowledged,
      stored,
      delivered,
      unknown,
      unavailable,
      drops,
      awayMs,
      firstAcknowledgedMs,
      comparePositions: (a, b) => store.comparePositions(a, b),
    };
  } finally {
    isOver = true;
    isFollowing = false;
    await subscription.cancel();
    await Promise.allSettled([writing, following]);
    await store.close();
  }
};
