import { noFailpoints, type Instant, type MerchantLogin } from '@app/kernel';
import { type EventId, type OpenWork, type Position, type StreamName, type WorkItem } from '@app/event-store';
import { MemoryEventStore } from '@app/event-store/stores/memory';
import { ORDER_WORK } from '@app/read-models/queries';
import { openWorkProjectionName } from '@app/read-models';
import { settle, VirtualClock } from '@app/testing';
import { ProjectionSignal } from '../monitoring/order-log';
import { Workers, type WorkerPorts } from './workers';

const SWEEP_GAP_MS = 60_000;
const STOP_MS = 1_000;

const openWork = (due: readonly WorkItem[]): OpenWork => ({
  dueLanes: (now) => Promise.resolve({ lanes: due.length === 0 ? [] : [{ lane: due[0]?.lane ?? '', since: now }], nextDueAt: undefined }),
  firstOf: () => Promise.resolve([...due]),
  rest: () => Promise.resolve(),
  list: () => Promise.resolve([]),
  postpone: () => Promise.resolve(),
});

const sweepingWorkers = async (more: Partial<WorkerPorts> = {}) => {
  const clock = new VirtualClock();
  const due: WorkItem[] = [];
  const worked: string[] = [];
  let isSweeping = false;
  const readModel = {
    categories: [],
    openWork: (name: string) => openWork(name === ORDER_WORK ? due : []),
    position: () => Promise.resolve(undefined),
    parked: () => Promise.resolve([]),
    apply: () => Promise.resolve(),
    health: () => Promise.resolve([]),
  };
  const ports = {
    store: new MemoryEventStore(clock),
    isShared: true,
    readModel,
    logProofs: { start: () => undefined, stop: () => Promise.resolve() },
    workOrder: {
      work: (stream: string) => {
        worked.push(stream);
        due.length = 0;
        return Promise.resolve();
      },
    },
    room: { tell: () => undefined, busyElsewhere: () => 0 },
    sweeper: { sweep: () => new Promise(() => (isSweeping = true)) },
    news: new ProjectionSignal(),
    clock,
    monotonic: clock,
    scheduler: clock,
    failpoints: noFailpoints,
    listener: { upkeepFailed: (_task: string, error: unknown) => expect(error).toBeUndefined() },
    ...more,
  };
  const workers = new Workers(ports as unknown as WorkerPorts);
  await workers.start();
  await clock.advance(SWEEP_GAP_MS);
  expect(isSweeping).toBe(true);
  const orderIsDue = (stream: string): void => {
    due.push({
      key: stream,
      stream: stream as StreamName,
      task: 'inquire',
      dueAt: 0 as Instant,
      merchant: 'acme' as MerchantLogin,
      lane: 'l',
    });
    workers.wake();
  };
  return { workers, clock, worked, orderIsDue };
};

describe('a shutdown during a card sweep (safety, F39)', () => {
  it('waits for the sweep no longer than its timeout', async () => {
    const { workers, clock } = await sweepingWorkers();
    let isStopped = false;
    void workers.stop(STOP_MS).then(() => (isStopped = true));
    await clock.advance(STOP_MS - 1);
    expect(isStopped).toBe(false);
    await clock.advance(1);
    expect(isStopped).toBe(true);
  });

  it('starts no new work', async () => {
    const { workers, clock, worked, orderIsDue } = await sweepingWorkers();
    orderIsDue('payment-before');
    await settle();
    expect(worked).toContain('payment-before');
    worked.length = 0;
    const stopped = workers.stop(STOP_MS);
    orderIsDue('payment-behind');
    await clock.advance(STOP_MS);
    await stopped;
    expect(worked).toStrictEqual([]);
  });
});

describe('a shutdown after its timeout', () => {
  it('starts no queued work item', async () => {
    const waiting: (() => boolean)[] = [];
    const { workers, clock, worked, orderIsDue } = await sweepingWorkers({
      throttle: { start: (startNext) => void waiting.push(startNext) },
    });
    orderIsDue('payment-1');
    await settle();
    expect(waiting.length).toBeGreaterThan(0);
    const stopped = workers.stop(STOP_MS);
    await clock.advance(STOP_MS);
    await stopped;
    for (const startNext of waiting) startNext();
    await settle();
    expect(worked).toStrictEqual([]);
  });
});

describe('a finished order that is still listed because the projection lags', () => {
  /**
   * @param isShared whether another process projects, so that this one knows only the checkpoint
   * @returns how often the item ran before its result was projected, and in the two seconds after
   */
  const timesWorked = async (isShared: boolean, behindMs: number): Promise<readonly [before: number, after: number]> => {
    let times = 0;
    let apply = (): void => undefined;
    const projected: { position?: Position } = {};
    let release = (): void => undefined;
    const due: WorkItem[] = [];
    const store = new MemoryEventStore(new VirtualClock());
    const stored = async (at: number): Promise<void> => {
      const id = `00000000-0000-4000-8000-00000000000${at}` as EventId;
      await store.append(`payment-${at}` as StreamName, 'no_stream', [{ id, type: 'T', data: '{}', metadata: '{}' }]);
    };
    const { workers, clock } = await sweepingWorkers({
      isShared,
      store,
      readModel: {
        categories: ['payment'],
        openWork: (name: string) => openWork(name === ORDER_WORK ? due : []),
        position: () => (isShared ? new Promise((_, reject) => (release = reject)) : Promise.resolve(undefined)),
        parked: () => Promise.resolve([]),
        apply: () => new Promise<void>((resolve) => (apply = resolve)),
        health: () => Promise.resolve([{ projection: openWorkProjectionName(ORDER_WORK), ...projected }]),
        release: () => Promise.resolve(release()),
      },
      workOrder: {
        work: async () => {
          times += 1;
          if (times === 1) await stored(1);
        },
      },
    } as unknown as Partial<WorkerPorts>);
    const item = { key: 'a', stream: 'payment-1', task: 'submit', dueAt: 0, merchant: 'acme', lane: 'l' };
    due.push(item as unknown as WorkItem);
    workers.wake();
    await clock.advance(behindMs);
    const before = times;
    apply();
    projected.position = await store.head();
    await clock.advance(2_000);
    const stopped = workers.stop(STOP_MS);
    await clock.advance(STOP_MS);
    await stopped;
    return [before, times - before];
  };

  it.each([
    ['this process projects', false],
    ['another process projects', true],
  ] as const)('is not processed again before its events are projected if %s', async (_, isShared) => {
    const [before, after] = await timesWorked(isShared, 4_000);
    expect(before).toBe(1);
    expect(after).toBeGreaterThan(0);
  });

  it('is processed again after a minute if no process projects', async () => {
    const [before] = await timesWorked(true, 61_000);
    expect(before).toBe(2);
  });
});
