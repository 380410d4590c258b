import { ratioOf, type Figure, type Findings } from '../harness/figure';
import { askOnce } from '../harness/program';
import { ROUNDS } from '../harness/rounds';
import { inWorkFolder, type WorkFolder } from '../harness/work-folder';
import { CarriedOrders, type Carried } from '../load/carried-orders';
import type { Fill, Filled } from '../load/filled-log';
import { perSecond } from '../load/load';

const WAITING_OF_EACH_KIND = 5_000;
const WAITING = 2 * WAITING_OF_EACH_KIND;
/** Two such batches a round to either service, in the order without, beside, beside, without, so that other load falls on both alike. */
const ORDERS = 1_500;
const WARM_UP_ORDERS = 1_500;
const FILL_TIMEOUT_MS = 300_000;

interface Contender {
  readonly orders: CarriedOrders;
  readonly accepted: number[];
  readonly carried: number[];
  readonly p99Ms: number[];
}

const sumOf = (results: readonly Carried[], part: (result: Carried) => number): number =>
  results.reduce((sum, result) => sum + part(result), 0);

const contender = async (folder: WorkFolder, name: string, fill: Omit<Fill, 'dataDir' | 'sample'>): Promise<Contender> => {
  const dataDir = folder.folder(name);
  await askOnce<Fill, Filled>('fill-log', { dataDir, sample: 1, ...fill }, FILL_TIMEOUT_MS);
  const orders = await CarriedOrders.start(folder, { dataDir, waiting: fill.waiting === undefined ? 0 : WAITING });
  return { orders, accepted: [], carried: [], p99Ms: [] };
};

/** Measures whether orders that wait slow down new ones. */
export const waiting = (): Promise<Findings> =>
  inWorkFolder(async (folder) => {
    const contenders: Contender[] = [];
    try {
      const without = await contender(folder, 'without', { orders: WAITING });
      contenders.push(without);
      const beside = await contender(folder, 'beside', {
        orders: 0,
        waiting: { forPayer: WAITING_OF_EACH_KIND, forGate: WAITING_OF_EACH_KIND },
      });
      contenders.push(beside);
      for (const { orders } of contenders) {
        await orders.untilCalm();
        await orders.carry(WARM_UP_ORDERS);
      }
      for (let round = 0; round < ROUNDS; round++) {
        const batches = new Map<Contender, Carried[]>(contenders.map((one) => [one, []]));
        for (const one of [without, beside, beside, without]) batches.get(one)?.push(await one.orders.carry(ORDERS));
        for (const [{ accepted, carried, p99Ms }, results] of batches) {
          accepted.push(
            perSecond({
              answered: sumOf(results, (one) => one.accepted.answered),
              elapsedMs: sumOf(results, (one) => one.accepted.elapsedMs),
            }),
          );
          carried.push(perSecond({ answered: results.length * ORDERS, elapsedMs: sumOf(results, (one) => one.elapsedMs) }));
          p99Ms.push(Math.max(...results.map((one) => one.accepted.p99Ms)));
        }
      }
      const rate = (name: string, rounds: readonly number[]): Figure => ({ name, unit: '/s', rounds });
      const atLeast = { kind: 'at-least', asked: 0.9 } as const;
      const many = WAITING.toLocaleString('en');
      return {
        figures: [
          rate('accepted, none waits', without.accepted),
          rate(`accepted beside ${many} that wait`, beside.accepted),
          ratioOf('accepted beside them against without', beside.accepted, without.accepted, atLeast),
          rate('carried to their end, none waits', without.carried),
          rate(`carried to their end beside ${many} that wait`, beside.carried),
          ratioOf('carried beside them against without', beside.carried, without.carried, atLeast),
          { name: 'p99 of an acceptance, none waits, the worse batch', unit: 'ms', rounds: without.p99Ms },
          { name: `p99 of an acceptance beside ${many} that wait, the worse batch`, unit: 'ms', rounds: beside.p99Ms },
        ],
        notes: [
          `${(2 * ORDERS).toLocaleString('en')} recurrent payments a round to either of two services with both roles, in two batches (without, beside, beside, without): accepted by 64 connections as fast as they are answered, and carried to the delivered callback. One service holds ${many} initial payments of the same merchant at the same gate that came in over the last five minutes: half wait for their payer in 3-D Secure, and of half the gate has not said what came of it and is asked as the schedule wants. The other holds as many orders that are final.`,
          'The clock starts when all that was due at the start has been looked at once.',
          ...contenders.slice(0, 1).map(({ orders }) => orders.note()),
        ],
      };
    } finally {
      await Promise.all(contenders.map(({ orders }) => orders.stop()));
    }
  });
