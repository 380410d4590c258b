import type { Findings } from '../harness/figure';
import { ROUNDS } from '../harness/rounds';
import { inWorkFolder } from '../harness/work-folder';
import { CarriedOrders } from '../load/carried-orders';

const ORDERS = 8_000;
const WARM_UP_ORDERS = 2_000;
const MS_PER_SECOND = 1_000;

/** Measures orders from acceptance to delivered callback. */
export const carry = (): Promise<Findings> =>
  inWorkFolder(async (folder) => {
    const orders = await CarriedOrders.start(folder);
    try {
      await orders.carry(WARM_UP_ORDERS);
      const rounds: number[] = [];
      for (let round = 0; round < ROUNDS; round++) rounds.push((ORDERS * MS_PER_SECOND) / (await orders.carry(ORDERS)).elapsedMs);
      return {
        figures: [{ name: 'orders carried to their end', unit: '/s', rounds, bound: { kind: 'at-least', asked: 600 } }],
        notes: [
          `${ORDERS.toLocaleString('en')} recurrent payments a round with both roles in one process: from the first request until the last callback was answered by a receiver in another process, every order is approved in the read model, and no work is open.`,
          orders.note(),
        ],
      };
    } finally {
      await orders.stop();
    }
  });
