import { ratioOf, type Figure, type Findings } from '../harness/figure';
import { given, ROUNDS } from '../harness/rounds';
import { inWorkFolder } from '../harness/work-folder';
import { BACKLOG_GATE, backlogOf, copyOf, drain, type Drained } from '../load/backlog';
import { CarriedOrders, type Carried } from '../load/carried-orders';
import { perSecond } from '../load/load';

const BACKLOG_DEFAULT = 100_000;
/** Orders that are due; BENCH_BACKLOG shortens a trial. */
const BACKLOG = given('BENCH_BACKLOG', BACKLOG_DEFAULT);
/** What carrying costs where hardly anything else waits. */
const FEW = Math.ceil(BACKLOG / 10);
const ORDERS = 1_500;
const WARM_UP_ORDERS = 1_500;
const READY_TIMEOUT_MS = 600_000;
const CARRIED_LANE = 'acme/sim-a';
const MICROSECONDS_PER_MS = 1_000;
/** Of the lane under way at once, and as many again that were read ahead. */
const OVERTAKEN_MAX = 256;

interface Contender {
  readonly orders: CarriedOrders;
  readonly accepted: number[];
  readonly carried: number[];
  readonly p99Ms: number[];
}

const sumOf = (results: readonly Carried[], part: (result: Carried) => number): number =>
  results.reduce((sum, result) => sum + part(result), 0);

const carryInTurn = async (without: Contender, beside: Contender): Promise<void> => {
  for (let round = 0; round < ROUNDS; round++) {
    const batches = new Map<Contender, Carried[]>([without, beside].map((one) => [one, []]));
    for (const one of [without, beside, beside, without]) batches.get(one)?.push(await one.orders.carry(ORDERS));
    for (const [{ accepted, carried, p99Ms }, results] of batches) {
      const elapsedMs = sumOf(results, (one) => one.accepted.elapsedMs);
      accepted.push(perSecond({ answered: sumOf(results, (one) => one.accepted.answered), elapsedMs }));
      carried.push(perSecond({ answered: results.length * ORDERS, elapsedMs: sumOf(results, (one) => one.elapsedMs) }));
      p99Ms.push(Math.max(...results.map((one) => one.accepted.p99Ms)));
    }
  }
};

/** Whether a lane in which very much is due holds up others, and what carrying it costs. */
export const backlog = (): Promise<Findings> =>
  inWorkFolder(async (folder) => {
    const many = await backlogOf(folder, 'many', BACKLOG);
    const manyToDrain = copyOf(folder, many, 'many-to-drain');
    const few = [];
    for (const name of ['few-before', 'few-after']) few.push(await backlogOf(folder, name, FEW));
    const contenders: Contender[] = [];
    const contender = async (options: Parameters<typeof CarriedOrders.start>[1]): Promise<Contender> => {
      const orders = await CarriedOrders.start(folder, { lane: CARRIED_LANE, readyTimeoutMs: READY_TIMEOUT_MS, ...options });
      const one: Contender = { orders, accepted: [], carried: [], p99Ms: [] };
      contenders.push(one);
      return one;
    };
    try {
      const without = await contender({ dataDir: folder.folder('without') });
      const beside = await contender({ dataDir: many, silentGate: BACKLOG_GATE });
      for (const { orders } of contenders) await orders.carry(WARM_UP_ORDERS);
      await carryInTurn(without, beside);
    } finally {
      await Promise.all(contenders.map(({ orders }) => orders.stop()));
    }
    const [without, beside] = contenders;
    if (without === undefined || beside === undefined) throw new Error('nothing was carried');

    const drained: Drained[] = [];
    for (const dataDir of [few[0], manyToDrain, few[1]]) if (dataDir !== undefined) drained.push(await drain(folder, dataDir));
    const [before, all, after] = drained;
    if (before === undefined || all === undefined || after === undefined) throw new Error('nothing was drained');
    const cost = ({ cpuMs }: Drained, orders: number): number => (cpuMs * MICROSECONDS_PER_MS) / orders;
    const alone = [cost(before, FEW), cost(after, FEW)];
    const ofMany = alone.map(() => cost(all, BACKLOG));

    const rate = (name: string, rounds: readonly number[]): Figure => ({ name, unit: '/s', rounds });
    const atLeast = { kind: 'at-least', asked: 0.9 } as const;
    const waiting = BACKLOG.toLocaleString('en');
    return {
      figures: [
        rate('accepted, nothing else is due', without.accepted),
        rate(`accepted beside ${waiting} that are due`, beside.accepted),
        ratioOf('accepted beside them against without', beside.accepted, without.accepted, atLeast),
        rate('carried to their end, nothing else is due', without.carried),
        rate(`carried to their end beside ${waiting} that are due`, beside.carried),
        ratioOf('carried beside them against without', beside.carried, without.carried, atLeast),
        { name: 'p99 of an acceptance, nothing else is due, the worse batch', unit: 'ms', rounds: without.p99Ms },
        { name: `p99 of an acceptance beside ${waiting} that are due, the worse batch`, unit: 'ms', rounds: beside.p99Ms },
        ratioOf('p99 beside them against without', beside.p99Ms, without.p99Ms, { kind: 'at-most', asked: 1.5 }),
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
        `${waiting} recurrent payments of one merchant at one gate, accepted by a service without workers (BENCH_BACKLOG asks for fewer). Then the gate never answers, so that its lane is full at all times: ${(2 * ORDERS).toLocaleString('en')} payments a round to a service with both roles that has them, and to one that has none, in two batches (without, beside, beside, without), at another gate, by 64 connections as fast as they are answered, and carried to the delivered callback.`,
        `The same backlog at a gate that answers, carried by a service with both roles to its end, against ${FEW.toLocaleString('en')} orders, before it and after it: by the CPU of the service from the moment when all is projected, which others on the machine hardly move. In the order of age: where each order stands among the beginnings of attempts, against its place among the acceptances.`,
        without.orders.note(),
      ],
    };
  });
