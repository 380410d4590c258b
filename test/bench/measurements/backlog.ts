import { ratioOf, type Figure, type Findings } from '../harness/figure';
import { median } from '../harness/median';
import { processCpuMs } from '../harness/process-cpu';
import { given, ROUNDS } from '../harness/rounds';
import { inWorkFolder, type WorkFolder } from '../harness/work-folder';
import { BACKLOG_GATE, backlogOf, copyOf, drain, type Drained } from '../load/backlog';
import { CarriedOrders, type Carried } from '../load/carried-orders';
import { perSecond } from '../load/load';

const BACKLOG_DEFAULT = 100_000;
/** Orders that are due; BENCH_BACKLOG shortens a trial. */
const BACKLOG = given('BENCH_BACKLOG', BACKLOG_DEFAULT);
/** A backlog so small that hardly anything else waits while orders are carried. */
const FEW = Math.ceil(BACKLOG / 10);
const ORDERS = 1_500;
/**
 * Each contender's turns in a round. The two that are compared change places halfway, so that neither comes more often after itself or after another.
 */
const TURNS = 4;
const WARM_UP_ORDERS = 3_000;
const READY_TIMEOUT_MS = 600_000;
const CARRIED_LANE = 'acme/sim-a';
const MICROSECONDS_PER_MS = 1_000;
/** The lane's orders that are under way at once, and as many again that were read ahead. */
const OVERTAKEN_MAX = 256;

interface Contender {
  readonly orders: CarriedOrders;
  readonly accepted: number[];
  readonly carried: number[];
  /** For the middle batch, because other load on the machine makes single ones worse, on either side. */
  readonly p99Ms: number[];
  readonly worstP99Ms: number[];
  /** CPU of the service, all threads; not a number where the system does not report it. */
  readonly cpuMicroseconds: number[];
}

interface Contenders {
  /** The contender without open orders. */
  readonly without: Contender;
  /** The contender with as many orders due. */
  readonly beside: Contender;
  readonly empty: Contender;
}

interface Turn extends Carried {
  readonly cpuMs: number;
}

const sumOf = (turns: readonly Turn[], part: (turn: Turn) => number): number => turns.reduce((sum, turn) => sum + part(turn), 0);

const cpuOf = ({ orders }: Contender): number => processCpuMs(orders.servicePid) ?? Number.NaN;

const turnOf = async (one: Contender): Promise<Turn> => {
  const cpuAtStart = cpuOf(one);
  const carried = await one.orders.carry(ORDERS);
  return { ...carried, cpuMs: cpuOf(one) - cpuAtStart };
};

const carryInTurn = async ({ without, beside, empty }: Contenders): Promise<void> => {
  const halves = [
    [without, beside, beside, without],
    [beside, without, without, beside],
  ];
  for (let round = 0; round < ROUNDS; round++) {
    const turns = new Map<Contender, Turn[]>([without, beside, empty].map((one) => [one, []]));
    for (const half of halves) for (const one of [...half, empty, empty]) turns.get(one)?.push(await turnOf(one));
    for (const [{ accepted, carried, p99Ms, worstP99Ms, cpuMicroseconds }, taken] of turns) {
      const elapsedMs = sumOf(taken, (turn) => turn.accepted.elapsedMs);
      accepted.push(perSecond({ answered: sumOf(taken, (turn) => turn.accepted.answered), elapsedMs }));
      carried.push(perSecond({ answered: TURNS * ORDERS, elapsedMs: sumOf(taken, (turn) => turn.elapsedMs) }));
      const p99s = taken.map((turn) => turn.accepted.p99Ms);
      p99Ms.push(median(p99s));
      worstP99Ms.push(Math.max(...p99s));
      cpuMicroseconds.push((sumOf(taken, ({ cpuMs }) => cpuMs) * MICROSECONDS_PER_MS) / (TURNS * ORDERS));
    }
  }
};

const carried = async (folder: WorkFolder, { done, many }: Readonly<Record<'done' | 'many', string>>): Promise<Contenders> => {
  const started: Contender[] = [];
  const start = async (dataDir: string): Promise<Contender> => {
    const options = { dataDir, silentGate: BACKLOG_GATE, lane: CARRIED_LANE, readyTimeoutMs: READY_TIMEOUT_MS };
    const orders = await CarriedOrders.start(folder, options);
    const one: Contender = { orders, accepted: [], carried: [], p99Ms: [], worstP99Ms: [], cpuMicroseconds: [] };
    started.push(one);
    return one;
  };
  try {
    const contenders = { without: await start(done), beside: await start(many), empty: await start(folder.folder('empty')) };
    for (const { orders } of started) await orders.carry(WARM_UP_ORDERS);
    await carryInTurn(contenders);
    return contenders;
  } finally {
    await Promise.all(started.map(({ orders }) => orders.stop()));
  }
};

/** Measures whether a lane with a large backlog holds up others, and what carrying it costs. */
export const backlog = (): Promise<Findings> =>
  inWorkFolder(async (folder) => {
    const many = await backlogOf(folder, 'many', BACKLOG);
    const done = copyOf(folder, many, 'done');
    const few = [];
    for (const name of ['few-before', 'few-after']) few.push(await backlogOf(folder, name, FEW));

    const drained: Drained[] = [];
    for (const dataDir of [few[0], done, few[1]]) if (dataDir !== undefined) drained.push(await drain(folder, dataDir));
    const [before, all, after] = drained;
    if (before === undefined || all === undefined || after === undefined) throw new Error('nothing was drained');

    const { without, beside, empty } = await carried(folder, { done, many });

    const cost = ({ cpuMs }: Drained, orders: number): number => (cpuMs * MICROSECONDS_PER_MS) / orders;
    const alone = [cost(before, FEW), cost(after, FEW)];
    const ofMany = alone.map(() => cost(all, BACKLOG));

    const rate = (name: string, rounds: readonly number[]): Figure => ({ name, unit: '/s', rounds });
    const atLeast = { kind: 'at-least', asked: 0.9 } as const;
    const waiting = BACKLOG.toLocaleString('en');
    return {
      figures: [
        rate(`accepted, ${waiting} others are done`, without.accepted),
        rate(`accepted beside ${waiting} that are due`, beside.accepted),
        ratioOf('accepted beside them against without', beside.accepted, without.accepted, atLeast),
        rate(`carried to their end, ${waiting} others are done`, without.carried),
        rate(`carried to their end beside ${waiting} that are due`, beside.carried),
        ratioOf('carried beside them against without', beside.carried, without.carried, atLeast),
        { name: `p99 of an acceptance, ${waiting} others are done, the middle batch`, unit: 'ms', rounds: without.p99Ms },
        { name: `p99 of an acceptance beside ${waiting} that are due, the middle batch`, unit: 'ms', rounds: beside.p99Ms },
        ratioOf('p99 beside them against without', beside.p99Ms, without.p99Ms, { kind: 'at-most', asked: 1.5 }),
        { name: 'p99 of the worst batch, without', unit: 'ms', rounds: without.worstP99Ms },
        { name: 'p99 of the worst batch, beside them', unit: 'ms', rounds: beside.worstP99Ms },
        { name: `CPU of the service an order, ${waiting} others are done`, unit: 'µs', rounds: without.cpuMicroseconds },
        { name: `CPU of the service an order beside ${waiting} that are due`, unit: 'µs', rounds: beside.cpuMicroseconds },
        ratioOf('CPU beside them against without', beside.cpuMicroseconds, without.cpuMicroseconds),
        rate('accepted, an empty store', empty.accepted),
        ratioOf(`accepted, ${waiting} others are done, against an empty store`, without.accepted, empty.accepted),
        ratioOf('carried, the same', without.carried, empty.carried),
        ratioOf('CPU, the same', without.cpuMicroseconds, empty.cpuMicroseconds),
        rate(`carried of ${waiting} that are due, all at one gate`, [perSecond({ answered: BACKLOG, elapsedMs: all.elapsedMs })]),
        { name: `CPU of the service an order of ${FEW.toLocaleString('en')}, all threads`, unit: 'µs', rounds: alone },
        { name: `CPU of the service an order of ${waiting}`, unit: 'µs', rounds: [cost(all, BACKLOG)] },
        ratioOf('an order of many against one of few', ofMany, alone, { kind: 'at-most', asked: 1.2 }),
        {
          name: 'orders of many that one was overtaken by at most',
          unit: '',
          rounds: [all.overtakenBy],
          bound: { kind: 'at-most', asked: OVERTAKEN_MAX },
        },
      ],
      notes: [
        `${waiting} recurrent payments of one merchant at one gate, accepted by a service without workers (BENCH_BACKLOG asks for fewer). Then the gate never answers, so that its lane is full at all times: ${(TURNS * ORDERS).toLocaleString('en')} payments a round to a service with both roles that has them, and to one that has the same ones carried to their end (so that what is compared is the lane and not the size of the stores, and those with the ends of the orders are the larger ones), in ${TURNS} batches each (without, beside, beside, without, then beside, without, without, beside), at another gate, by 64 connections as fast as they are answered, and carried to the delivered callback. The CPU is that of all threads of the service over a batch, by the orders of the batch. Beside the two a third one, with an empty store, takes its turns: what the size alone comes to.`,
        `The same backlog at a gate that answers, carried by a service with both roles to its end, against ${FEW.toLocaleString('en')} orders, before it and after it: by the CPU of the service from the moment when all is projected, which others on the machine hardly move. In the order of age: where each order stands among the beginnings of attempts, against its place among the acceptances.`,
        'While such a backlog is worked off, the thread that writes the read models is behind the log by thousands of events. Orders that were done were listed still, and after a second they were read again from the log, each time; and each read of the lane gave those before others. Now what is done is looked at again only when the read models have folded what it stored, and while 512 wait for that only lanes in which none does begin more: of 60,000 an order took 1,124 to 1,179 µs of the processors in the place of 1,396 to 1,618, of 10,000 880 to 1,117 in the place of 957 to 1,261, in turn, two to three rounds each. What an order of many costs more now is written into larger indexes of the read models.',
        without.orders.note(),
      ],
    };
  });
