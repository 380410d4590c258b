import { setTimeout as delay } from 'node:timers/promises';
import { performance } from 'node:perf_hooks';
import { ratioOf, type Figure, type Findings } from '../harness/figure';
import { median } from '../harness/median';
import { processCpuMs } from '../harness/process-cpu';
import { askOnce } from '../harness/program';
import { given, ROUNDS } from '../harness/rounds';
import { freePort } from '../harness/running-program';
import { inWorkFolder, type WorkFolder } from '../harness/work-folder';
import { BACKLOG_GATE } from '../load/backlog';
import { CarriedOrders, type Carried } from '../load/carried-orders';
import type { Fill, Filled } from '../load/filled-log';
import { perSecond } from '../load/load';

const WAITING_DEFAULT = 10_000;
/** Orders with an unknown outcome; BENCH_WAITING shortens a trial. */
const WAITING = given('BENCH_WAITING', WAITING_DEFAULT);
const ORDERS = given('BENCH_APART_ORDERS', 1_000);
const WARM_UP_ORDERS = ORDERS;
const FILL_TIMEOUT_MS = 600_000;
/** Of orders; inquiries say nothing of a circuit, and twenty calls that failed open it. */
const FAILING_CALLS = 40;
/** A silent gate's calls have half a minute each. */
const OPEN_TIMEOUT_MS = 300_000;
/** Longer than any run. */
const CIRCUIT_OPEN_SECONDS = 3_600;
const READY_TIMEOUT_MS = 600_000;
const LOOK_MS = 200;
const CARRIED_LANE = 'acme/sim-a';
const MICROSECONDS_PER_MS = 1_000;
/** As the gauge has it (operations, section 5). */
const OPEN = 2;

interface Contender {
  readonly orders: CarriedOrders;
  readonly operatorPort: number;
  readonly accepted: number[];
  readonly carried: number[];
  readonly p99Ms: number[];
  readonly cpuMicroseconds: number[];
}

interface Turn extends Carried {
  readonly cpuMs: number;
}

const sumOf = (turns: readonly Turn[], part: (turn: Turn) => number): number => turns.reduce((sum, turn) => sum + part(turn), 0);

const contender = async (folder: WorkFolder, name: string, fill: Omit<Fill, 'dataDir' | 'sample'>): Promise<Contender> => {
  const dataDir = folder.folder(name);
  await askOnce<Fill, Filled>('fill-log', { dataDir, sample: 1, ...fill }, FILL_TIMEOUT_MS);
  const operatorPort = await freePort();
  const options = {
    dataDir,
    silentGate: BACKLOG_GATE,
    lane: CARRIED_LANE,
    operatorPort,
    readyTimeoutMs: READY_TIMEOUT_MS,
    circuitOpenSeconds: CIRCUIT_OPEN_SECONDS,
  };
  const orders = await CarriedOrders.start(folder, options);
  return { orders, operatorPort, accepted: [], carried: [], p99Ms: [], cpuMicroseconds: [] };
};

const circuitOf = async ({ operatorPort }: Contender): Promise<number> => {
  const metrics = await (await fetch(`http://127.0.0.1:${operatorPort}/metrics`)).text();
  const value = new RegExp(`^orchestrator_gate_circuit\\{gate="${BACKLOG_GATE}"\\} (\\d)`, 'm').exec(metrics)?.[1];
  return Number(value ?? Number.NaN);
};

/** @throws Error where the circuit of the silent gate does not open */
const untilOpen = async (one: Contender): Promise<void> => {
  const until = performance.now() + OPEN_TIMEOUT_MS;
  while ((await circuitOf(one)) !== OPEN) {
    if (performance.now() > until) throw new Error(`the circuit of ${BACKLOG_GATE} did not open`);
    await delay(LOOK_MS);
  }
};

const turnOf = async ({ orders }: Contender): Promise<Turn> => {
  const before = processCpuMs(orders.servicePid) ?? Number.NaN;
  const carried = await orders.carry(ORDERS);
  return { ...carried, cpuMs: (processCpuMs(orders.servicePid) ?? Number.NaN) - before };
};

const measureInTurn = async (without: Contender, beside: Contender): Promise<void> => {
  const order = [without, beside, beside, without, beside, without, without, beside];
  for (let round = 0; round < ROUNDS; round++) {
    const turns = new Map<Contender, Turn[]>([without, beside].map((one) => [one, []]));
    for (const one of order) turns.get(one)?.push(await turnOf(one));
    for (const [{ accepted, carried, p99Ms, cpuMicroseconds }, taken] of turns) {
      const answered = sumOf(taken, (turn) => turn.accepted.answered);
      accepted.push(perSecond({ answered, elapsedMs: sumOf(taken, (turn) => turn.accepted.elapsedMs) }));
      carried.push(perSecond({ answered, elapsedMs: sumOf(taken, ({ elapsedMs }) => elapsedMs) }));
      p99Ms.push(median(taken.map((turn) => turn.accepted.p99Ms)));
      cpuMicroseconds.push((sumOf(taken, ({ cpuMs }) => cpuMs) * MICROSECONDS_PER_MS) / answered);
    }
  }
};

/** Measures whether unknown outcomes at one gate, and its open circuit, slow new orders at others. */
export const gatesApart = (): Promise<Findings> =>
  inWorkFolder(async (folder) => {
    const contenders: Contender[] = [];
    const start = async (name: string, fill: Omit<Fill, 'dataDir' | 'sample'>): Promise<Contender> => {
      const one = await contender(folder, name, fill);
      contenders.push(one);
      return one;
    };
    try {
      const without = await start('without', { orders: WAITING });
      const beside = await start('beside', { orders: 0, waiting: { forPayer: 0, forGate: WAITING, gate: BACKLOG_GATE } });
      await beside.orders.leave(FAILING_CALLS);
      await untilOpen(beside);
      for (const { orders } of contenders) await orders.carry(WARM_UP_ORDERS);
      await measureInTurn(without, beside);
      if ((await circuitOf(beside)) !== OPEN) throw new Error(`the circuit of ${BACKLOG_GATE} closed meanwhile`);
      const rate = (name: string, rounds: readonly number[], unit = '/s'): Figure => ({ name, unit, rounds });
      const atLeast = { kind: 'at-least', asked: 0.9 } as const;
      const many = WAITING.toLocaleString('en');
      return {
        figures: [
          rate('accepted, all gates are well', without.accepted),
          rate(`accepted beside ${many} unknown at another gate, its circuit open`, beside.accepted),
          ratioOf('accepted beside them against without', beside.accepted, without.accepted, atLeast),
          rate('carried to their end, all gates are well', without.carried),
          rate('carried to their end beside them', beside.carried),
          ratioOf('carried beside them against without', beside.carried, without.carried, atLeast),
          rate('CPU of the service an order, all gates are well', without.cpuMicroseconds, 'µs'),
          rate('CPU of the service an order beside them', beside.cpuMicroseconds, 'µs'),
          ratioOf('CPU without against beside them', without.cpuMicroseconds, beside.cpuMicroseconds),
          rate('p99 of an acceptance, all gates are well, the middle batch', without.p99Ms, 'ms'),
          rate('p99 of an acceptance beside them, the middle batch', beside.p99Ms, 'ms'),
        ],
        notes: [
          `${(4 * ORDERS).toLocaleString('en')} recurrent payments a round to either of two services with both roles, in four batches each (without, beside, beside, without, beside, without, without, beside): accepted by 64 connections as fast as they are answered, and carried to the delivered callback, at a gate that is well. One service has ${many} initial payments of the same merchant whose outcome another gate has not told; that gate is silent, every inquiry waits out its time, and its circuit is open from before the clock starts to the end. The other has as many orders that are final.`,
          'The CPU is that of all threads of the service over its batches, the inquiries at the silent gate included; other load on the machine hardly moves it.',
          ...contenders.slice(0, 1).map(({ orders }) => orders.note()),
        ],
      };
    } finally {
      await Promise.all(contenders.map(({ orders }) => orders.stop()));
    }
  });
