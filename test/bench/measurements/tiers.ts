import { ratioOf, type Figure, type Findings } from '../harness/figure';
import { processCpuMs } from '../harness/process-cpu';
import { given, ROUNDS } from '../harness/rounds';
import { RunningService } from '../harness/service';
import { inWorkFolder, UPSTREAM_POLL_SECONDS, type WorkFolder } from '../harness/work-folder';
import { CarriedOrders } from '../load/carried-orders';

const ORDERS_DEFAULT = 1_000;
/** Orders of each turn; BENCH_TIER_ORDERS shortens a trial. */
const ORDERS = given('BENCH_TIER_ORDERS', ORDERS_DEFAULT);
const MICROSECONDS_PER_MS = 1_000;
const MS_PER_SECOND = 1_000;

/** Services that carry orders together, the one that products talk to first. */
interface Contender {
  readonly orders: CarriedOrders;
  readonly pids: readonly number[];
  readonly carried: number[];
  /** CPU of each service an order, by round. */
  readonly cpuMicroseconds: readonly number[][];
}

interface Turn {
  readonly elapsedMs: number;
  readonly cpuMs: readonly number[];
}

const contender = (orders: CarriedOrders, ...others: readonly number[]): Contender => {
  const pids = [orders.servicePid, ...others];
  return { orders, pids, carried: [], cpuMicroseconds: pids.map(() => []) };
};

const cpuOf = ({ pids }: Contender): readonly number[] => pids.map((pid) => processCpuMs(pid) ?? Number.NaN);

const turnOf = async (one: Contender): Promise<Turn> => {
  const before = cpuOf(one);
  const { elapsedMs } = await one.orders.carry(ORDERS);
  return { elapsedMs, cpuMs: cpuOf(one).map((after, at) => after - (before[at] ?? Number.NaN)) };
};

const sumOf = (turns: readonly Turn[], part: (turn: Turn) => number): number => turns.reduce((sum, turn) => sum + part(turn), 0);

const measureInTurn = async (alone: Contender, both: Contender): Promise<void> => {
  for (let round = 0; round < ROUNDS; round++) {
    const turns = new Map<Contender, Turn[]>([alone, both].map((one) => [one, []]));
    for (const one of [alone, both, both, alone]) turns.get(one)?.push(await turnOf(one));
    for (const [{ carried, cpuMicroseconds }, taken] of turns) {
      const orders = taken.length * ORDERS;
      carried.push((orders * MS_PER_SECOND) / sumOf(taken, ({ elapsedMs }) => elapsedMs));
      cpuMicroseconds.forEach((rounds, at) =>
        rounds.push((sumOf(taken, ({ cpuMs }) => cpuMs[at] ?? Number.NaN) * MICROSECONDS_PER_MS) / orders),
      );
    }
  }
};

const upstreamGateway = (folder: WorkFolder): Promise<RunningService> =>
  RunningService.start({ dataDir: folder.folder('upstream'), configurationPath: folder.configuration(), roles: 'api,worker' });

/** Measures orders carried through two tiers, and what each takes of it. */
export const tiers = (): Promise<Findings> =>
  inWorkFolder(async (folder) => {
    const upstream = await upstreamGateway(folder);
    const started: CarriedOrders[] = [];
    const start = async (name: string, options: { readonly upstreamPort?: number }): Promise<CarriedOrders> => {
      const orders = await CarriedOrders.start(folder, { dataDir: folder.folder(name), isOfSales: true, ...options });
      started.push(orders);
      return orders;
    };
    try {
      const alone = contender(await start('alone', {}));
      const both = contender(await start('service', { upstreamPort: upstream.port }), upstream.pid);
      for (const { orders } of [alone, both]) await orders.carry(ORDERS);
      await measureInTurn(alone, both);
      const cpu = (name: string, rounds: readonly number[] = []): Figure => ({ name, unit: 'µs', rounds });
      const [ofAlone = []] = alone.cpuMicroseconds;
      const [ofService = [], ofUpstream = []] = both.cpuMicroseconds;
      return {
        figures: [
          { name: 'orders carried through one tier', unit: '/s', rounds: alone.carried },
          { name: 'orders carried through two tiers', unit: '/s', rounds: both.carried },
          ratioOf('two tiers against one', both.carried, alone.carried),
          cpu('CPU of one tier alone an order', ofAlone),
          cpu('CPU of the first of two tiers an order', ofService),
          cpu('CPU of the second, the upstream gateway', ofUpstream),
          ratioOf('CPU of the first against one alone', ofService, ofAlone),
          ratioOf('CPU of the second against one alone', ofUpstream, ofAlone),
        ],
        notes: [
          `${(2 * ORDERS).toLocaleString('en')} sales a round through either, in two turns each (one, two, two, one): accepted by 64 connections as fast as they are answered, and carried to the delivered callback of the first tier. One tier is a service whose gate is the simulator; two are a service whose gate is another service whose gate is the simulator. All are on files and have both roles; all share the machine with the load generator, those that have no turn idle.`,
          `The first tier asks for an order that is under way every ${UPSTREAM_POLL_SECONDS} s, not every 3 to 5 s as in production: at 3 s a lane of 64 orders carries 64 a second at most, and what is measured is the cadence. The CPU of the second tier has the questions in it.`,
          ...started.slice(0, 1).map((orders) => orders.note()),
        ],
      };
    } finally {
      await Promise.all(started.map((orders) => orders.stop()));
      await upstream.stop();
    }
  });
