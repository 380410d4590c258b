import { ratioOf, ROUNDS, scaled, type Findings } from '../harness/figure';
import { processCpuMs } from '../harness/process-cpu';
import { Program } from '../harness/program';
import { inWorkFolder } from '../harness/work-folder';
import type { BareRoute } from '../programs/bare-route.program';
import { CarriedOrders, type Carried } from '../load/carried-orders';
import { acceptances, LoadGenerator, perSecond, WARM_UP_MS, type LoadResult } from '../load/load';

const ORDERS = scaled(8_000);
const WARM_UP_ORDERS = scaled(2_000);
const BARE_MS = scaled(4_000);
const START_TIMEOUT_MS = 30_000;

export const carry = (): Promise<Findings> =>
  inWorkFolder(async (folder) => {
    const orders = await CarriedOrders.start(folder);
    const bare = new Program<BareRoute, { readonly port: number }>('bare-route');
    const generator = new LoadGenerator();
    try {
      const { port } = await bare.ask({ parts: 'of the framework' }, START_TIMEOUT_MS);
      const bareRoute = { ports: [port], cardRefId: orders.cardRefId };
      await acceptances(generator, bareRoute, WARM_UP_MS);
      await orders.carry(WARM_UP_ORDERS);
      const rounds: { readonly alone: LoadResult; readonly carried: Carried; readonly cpuMs: number }[] = [];
      for (let round = 0; round < ROUNDS; round++) {
        const alone = await acceptances(generator, bareRoute, BARE_MS);
        const before = processCpuMs(orders.servicePid);
        const carried = await orders.carry(ORDERS);
        rounds.push({ alone, carried, cpuMs: (processCpuMs(orders.servicePid) - before) / ORDERS });
      }
      const accepted = rounds.map(({ carried }) => perSecond(carried.accepted));
      const p99Ms = rounds.map(({ carried }) => carried.accepted.p99Ms);
      const bareRates = rounds.map(({ alone }) => perSecond(alone));
      const bareP99Ms = rounds.map(({ alone }) => alone.p99Ms);
      const ended = rounds.map(({ carried: { accepted: load, endedMeanwhile } }) => (endedMeanwhile * perSecond(load)) / ORDERS);
      return {
        figures: [
          {
            name: 'orders carried to their end',
            unit: '/s',
            rounds: rounds.map(({ carried: { elapsedMs } }) => perSecond({ answered: ORDERS, elapsedMs })),
            bound: { kind: 'at-least', asked: 1_000, goal: 1_500 },
          },
          {
            name: 'CPU of the service an order carried, all threads',
            unit: 'ms',
            rounds: rounds.map(({ cpuMs }) => cpuMs),
            bound: { kind: 'at-most', asked: 1.2, goal: 0.8 },
          },
          { name: 'accepted while others are carried', unit: '/s', rounds: accepted },
          { name: 'ended while others are accepted as fast as they are answered', unit: '/s', rounds: ended },
          { name: "bare route, Express's form parser and Nest's validation pipe", unit: '/s', rounds: bareRates },
          ratioOf('accepted then against the bare route', accepted, bareRates, { kind: 'at-least', asked: 0.6, goal: 0.8 }),
          { name: 'p99 of an acceptance then', unit: 'ms', rounds: p99Ms },
          { name: 'p99 of the bare route', unit: 'ms', rounds: bareP99Ms },
          ratioOf('p99 against the bare route', p99Ms, bareP99Ms, { kind: 'at-most', asked: 1.5, goal: 1.2 }),
        ],
        notes: [orders.note()],
      };
    } finally {
      await Promise.all([generator.stop(), bare.stop(), orders.stop()]);
    }
  });
