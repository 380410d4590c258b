import { execFileSync } from 'node:child_process';
import type { Findings } from '../harness/figure';
import { inWorkFolder } from '../harness/work-folder';
import { CarriedOrders } from '../load/carried-orders';

const ORDERS = 100_000;
const BATCH_ORDERS = 10_000;
const KIB_PER_MIB = 1_024;

/** Resident memory of a process in MiB. */
const residentMib = (pid: number): number =>
  Number(execFileSync('ps', ['-o', 'rss=', '-p', String(pid)], { encoding: 'utf8' })) / KIB_PER_MIB;

/** Measures the memory that is still used after many orders. */
export const memory = (): Promise<Findings> =>
  inWorkFolder(async (folder) => {
    const orders = await CarriedOrders.start(folder);
    try {
      const atStart = residentMib(orders.servicePid);
      const after: number[] = [];
      for (let carried = 0; carried < ORDERS; carried += BATCH_ORDERS) {
        await orders.carry(BATCH_ORDERS);
        after.push(residentMib(orders.servicePid));
      }
      return {
        figures: [
          { name: 'resident memory of the service after its start', unit: 'MiB', rounds: [atStart] },
          {
            name: `resident memory after ${ORDERS.toLocaleString('en')} orders`,
            unit: 'MiB',
            rounds: [after.at(-1) ?? Number.NaN],
            bound: { kind: 'at-most', asked: 300, goal: 200 },
          },
          { name: `the most seen after a batch of ${BATCH_ORDERS.toLocaleString('en')}`, unit: 'MiB', rounds: [Math.max(...after)] },
        ],
        notes: [
          'Both roles in one process; every order carried to its end and its callback delivered, batch after batch as fast as the service takes them.',
          'Why it is missed: about two thirds of it are the heaps of the main thread (a quarter of it alive while orders come, and most of the rest garbage that the engine has not looked for yet) and of the one that writes the read models; a seventh is the program and the engine. Tried: a cache of the read models of 16 MiB in the place of 64 (kept: 90 MiB less, at the same cost an order), less room for what is new in the heap of their thread (kept: 20 MiB less), fewer arenas of the allocator (nothing), a heap that grows by 70 % of what is alive before it is looked through (`node --heap-growing-percent=70`: 383 MiB after as many orders, but the p99 of an acceptance while orders are carried goes up by a fifth to a third, so left to who has little memory).',
        ],
      };
    } finally {
      await orders.stop();
    }
  });
