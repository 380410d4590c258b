import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { built } from '../harness/built';
import { answerQuestions } from '../harness/program';
import { prepareAppends } from '../load/event-rows';
import { keptLog } from '../load/kept-log';

const { EmbeddedEventStore } = built<typeof import('@app/event-store/stores/embedded')>('libs/event-store/stores/embedded/index.js');
const { systemClock, systemScheduler } = built<typeof import('@app/kernel')>('libs/kernel/index.js');

export interface AppendLatency {
  readonly folder: string;
  readonly count: number;
  readonly perSecond: number;
  /** Whether the tree of the log is kept and signed meanwhile. */
  readonly isTreeKept: boolean;
}

export interface Latencies {
  readonly p50Ms: number;
  readonly p99Ms: number;
}

const TICK_MS = 5;
const WARM_UP_SHARE = 0.1;

const at = (sorted: readonly number[], share: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;

/** Appends arrive at a fixed rate, whether earlier ones are stored or not, each timed from when it was due. */
answerQuestions(async ({ folder, count, perSecond, isTreeKept }: AppendLatency): Promise<Latencies> => {
  const appends = prepareAppends('latency', count);
  const store = await EmbeddedEventStore.open({ path: join(folder, 'events.sqlite'), clock: systemClock, scheduler: systemScheduler });
  const kept = isTreeKept ? keptLog(store, folder) : undefined;
  kept?.keeper.start();
  const latencies: number[] = [];
  const pending: Promise<void>[] = [];
  const startedAt = performance.now();
  let next = 0;
  while (next < count) {
    const now = performance.now();
    for (; next < count; next++) {
      const dueAt = startedAt + (next * 1_000) / perSecond;
      const one = appends[next];
      if (dueAt > now || one === undefined) break;
      const number = next;
      pending.push(
        store.append(one.stream, 'no_stream', [one.event]).then(({ kind }) => {
          if (kind !== 'appended') throw new Error('a new stream was not new');
          if (number >= count * WARM_UP_SHARE) latencies.push(performance.now() - dueAt);
        }),
      );
    }
    await new Promise((resolve) => setTimeout(resolve, TICK_MS));
  }
  await Promise.all(pending);
  await kept?.keeper.stop();
  await store.close();
  latencies.sort((a, b) => a - b);
  return { p50Ms: at(latencies, 0.5), p99Ms: at(latencies, 0.99) };
});
