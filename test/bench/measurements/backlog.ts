import { cpSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import { ACME } from '../harness/acme';
import { built } from '../harness/built';
import { median, ratioOf, ROUNDS, scaled, type Figure, type Findings } from '../harness/figure';
import { processCpuMs } from '../harness/process-cpu';
import { registeredCard } from '../harness/registered-card';
import { RunningService } from '../harness/service';
import { inWorkFolder, type WorkFolder } from '../harness/work-folder';
import { CarriedOrders, tableOf, type Carried } from '../load/carried-orders';
import { acceptances, CONNECTIONS, LoadGenerator, perSecond, type LoadResult } from '../load/load';

const { openDatabase } = built<typeof import('@app/databases/sqlite')>('libs/databases/sqlite/index.js');

const BACKLOG = scaled(100_000);
/** So small that almost no other work waits while orders are carried. */
const FEW = Math.ceil(BACKLOG / 10);
const ACCEPTED_TOGETHER = 5_000;
const ORDERS = scaled(1_500);
/** Per contender and round. The two swap places halfway, so that order effects cancel out. */
const TURNS = 4;
const WARM_UP_ORDERS = scaled(3_000);
/** In each round after a start. */
const AFTER_START_MS = scaled(9_000);
const READY_TIMEOUT_MS = 600_000;
const DRAIN_TIMEOUT_MS = 3_600_000;
const LOOK_MS = 100;
const BACKLOG_GATE = 'sim-b';
const CARRIED_LANE = 'acme/sim-a';
const MICROSECONDS_PER_MS = 1_000;

/**
 * Accepts orders for one gate with a service that neither works on them nor projects.
 * @returns the data directory, and a card reference that its service can charge
 */
const backlogOf = async (
  folder: WorkFolder,
  name: string,
  count: number,
): Promise<{ readonly dataDir: string; readonly cardRefId: string }> => {
  const dataDir = folder.folder(name);
  const configurationPath = folder.configuration();
  const first = await RunningService.start({ dataDir, configurationPath, roles: 'api,worker' });
  const cardRefId = await registeredCard(first.port);
  await first.stop();
  const service = await RunningService.start({ dataDir, configurationPath, roles: 'api' });
  const generator = new LoadGenerator();
  try {
    for (let left = count; left > 0; left -= ACCEPTED_TOGETHER) {
      await generator.run({
        ports: [service.port],
        connections: CONNECTIONS,
        requests: { kind: 'recurrent-payments', cardRefId, prefix: 'backlog', endpointId: ACME.otherEndpointId },
        prepare: Math.min(left, ACCEPTED_TOGETHER),
      });
    }
  } finally {
    await Promise.all([generator.stop(), service.stop()]);
  }
  return { dataDir, cardRefId };
};

interface Drained {
  readonly elapsedMs: number;
  readonly cpuMs: number;
}

/** Waits until a service has carried its whole backlog. The clock starts when it is ready, with all events projected. */
const drain = async (folder: WorkFolder, dataDir: string): Promise<Drained> => {
  const configurationPath = folder.configuration();
  const service = await RunningService.start({ dataDir, configurationPath, roles: 'api,worker', readyTimeoutMs: READY_TIMEOUT_MS });
  try {
    const startedAt = performance.now();
    const cpuAtStart = processCpuMs(service.pid);
    const model = openDatabase(join(dataDir, 'read-model.sqlite'), { readOnly: true });
    try {
      const any = model.prepare(`SELECT 1 FROM ${tableOf(model, 'open-work:orders')} LIMIT 1`);
      while (any.get() !== undefined) {
        if (performance.now() - startedAt > DRAIN_TIMEOUT_MS) throw new Error('the backlog was not carried in time');
        await delay(LOOK_MS);
      }
    } finally {
      model.close();
    }
    return { elapsedMs: performance.now() - startedAt, cpuMs: processCpuMs(service.pid) - cpuAtStart };
  } finally {
    await service.stop();
  }
};

class Contender {
  readonly accepted: number[] = [];
  readonly carried: number[] = [];
  /** Of the median batch, because other load on the machine slows single ones. */
  readonly p99Ms: number[] = [];
  readonly orders: CarriedOrders;
  #throttle: Carried[] = [];

  constructor(orders: CarriedOrders) {
    this.orders = orders;
  }

  async takeTurn(): Promise<void> {
    this.#throttle.push(await this.orders.carry(ORDERS));
  }

  endRound(): void {
    const sumOf = (part: (turn: Carried) => number): number => this.#throttle.reduce((sum, turn) => sum + part(turn), 0);
    const elapsedMs = sumOf(({ accepted }) => accepted.elapsedMs);
    this.accepted.push(perSecond({ answered: sumOf(({ accepted }) => accepted.answered), elapsedMs }));
    this.carried.push(perSecond({ answered: TURNS * ORDERS, elapsedMs: sumOf((turn) => turn.elapsedMs) }));
    this.p99Ms.push(median(this.#throttle.map(({ accepted }) => accepted.p99Ms)));
    this.#throttle = [];
  }
}

const carriedInTurn = async (folder: WorkFolder, dataDirs: readonly string[]): Promise<readonly Contender[]> => {
  const contenders: Contender[] = [];
  try {
    for (const dataDir of dataDirs) {
      const options = { dataDir, silentGate: BACKLOG_GATE, lane: CARRIED_LANE, readyTimeoutMs: READY_TIMEOUT_MS };
      contenders.push(new Contender(await CarriedOrders.start(folder, options)));
    }
    for (const { orders } of contenders) await orders.carry(WARM_UP_ORDERS);
    const there = contenders;
    const back = contenders.toReversed();
    for (let round = 0; round < ROUNDS; round++) {
      for (const contender of [there, back, back, there].flat()) await contender.takeTurn();
      for (const contender of contenders) contender.endRound();
    }
    return contenders;
  } finally {
    await Promise.all(contenders.map(({ orders }) => orders.stop()));
  }
};

/** Accepts with a service that has just started, and so carries what waited. */
const acceptedAfterStart = async (folder: WorkFolder, dataDir: string, cardRefId: string): Promise<LoadResult> => {
  const configurationPath = folder.configuration();
  const service = await RunningService.start({ dataDir, configurationPath, roles: 'api,worker', readyTimeoutMs: READY_TIMEOUT_MS });
  const generator = new LoadGenerator();
  try {
    return await acceptances(generator, { ports: [service.port], cardRefId }, AFTER_START_MS);
  } finally {
    await Promise.all([generator.stop(), service.stop()]);
  }
};

export const backlog = (): Promise<Findings> =>
  inWorkFolder(async (folder) => {
    const many = await backlogOf(folder, 'many', BACKLOG);
    // The same orders, but completed: only the lane differs, not the size of the stores.
    const done = folder.folder('done');
    cpSync(many.dataDir, done, { recursive: true });
    const before = await drain(folder, (await backlogOf(folder, 'few-before', FEW)).dataDir);
    const all = await drain(folder, done);
    const starts: (readonly [none: LoadResult, waiting: LoadResult])[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      const [none, waiting] = [folder.folder(`none-${round}`), folder.folder(`waiting-${round}`)];
      cpSync(done, none, { recursive: true });
      cpSync(many.dataDir, waiting, { recursive: true });
      const before = await acceptedAfterStart(folder, none, many.cardRefId);
      starts.push([before, await acceptedAfterStart(folder, waiting, many.cardRefId)]);
      for (const used of [none, waiting]) rmSync(used, { recursive: true });
    }
    const after = await drain(folder, (await backlogOf(folder, 'few-after', FEW)).dataDir);
    const [without, beside] = await carriedInTurn(folder, [done, many.dataDir]);
    if (without === undefined || beside === undefined) throw new Error('nothing was carried');

    const cost = ({ cpuMs }: Drained, orders: number): number => (cpuMs * MICROSECONDS_PER_MS) / orders;
    const few = [cost(before, FEW), cost(after, FEW)];
    const waiting = BACKLOG.toLocaleString('en');
    const rate = (name: string, rounds: readonly number[]): Figure => ({ name, unit: '/s', rounds });
    const atLeast = { kind: 'at-least', asked: 0.9 } as const;
    const none = starts.map(([before]) => before);
    const started = starts.map(([, after]) => after);
    const p99Of = (results: readonly LoadResult[]): readonly number[] => results.map(({ p99Ms }) => p99Ms);
    const afterStart = [
      rate('accepted after a start on none waiting', none.map(perSecond)),
      rate(`accepted after a start on ${waiting} waiting`, started.map(perSecond)),
      ratioOf('accepted after a start on many against none', started.map(perSecond), none.map(perSecond), atLeast),
      ratioOf('p99 after a start on many against none', p99Of(started), p99Of(none), { kind: 'at-most', asked: 1.5 }),
    ];
    return {
      figures: [
        rate(`accepted, ${waiting} others are done`, without.accepted),
        rate(`accepted with a backlog of ${waiting}`, beside.accepted),
        ratioOf('accepted with the backlog against without', beside.accepted, without.accepted, atLeast),
        rate(`carried to their end, ${waiting} others are done`, without.carried),
        rate(`carried to their end with a backlog of ${waiting}`, beside.carried),
        ratioOf('carried with the backlog against without', beside.carried, without.carried, atLeast),
        { name: `p99 of an acceptance, ${waiting} others are done, the middle batch`, unit: 'ms', rounds: without.p99Ms },
        { name: `p99 of an acceptance with a backlog of ${waiting}, the middle batch`, unit: 'ms', rounds: beside.p99Ms },
        ratioOf('p99 with the backlog against without', beside.p99Ms, without.p99Ms, { kind: 'at-most', asked: 1.5 }),
        ...afterStart,
        rate(`carried of a backlog of ${waiting} at one gate`, [perSecond({ answered: BACKLOG, elapsedMs: all.elapsedMs })]),
        { name: `CPU of the service an order of ${FEW.toLocaleString('en')}, all threads`, unit: 'µs', rounds: few },
        { name: `CPU of the service an order of ${waiting}`, unit: 'µs', rounds: [cost(all, BACKLOG)] },
        ratioOf(
          'an order of many against one of few',
          few.map(() => cost(all, BACKLOG)),
          few,
          { kind: 'at-most', asked: 1.2 },
        ),
      ],
    };
  });
