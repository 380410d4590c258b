import type { Findings } from '../harness/figure';
import { quantile } from '../harness/median';
import { askOnce } from '../harness/program';
import { ROUNDS } from '../harness/rounds';
import { inWorkFolder } from '../harness/work-folder';
import { EVENTS_PER_ORDER, type Fill, type Filled } from '../load/filled-log';
import type { AskAsOf, AskWhatIf, AsOfTimes, WhatIfTimed } from '../load/history';

const ORDERS = 100_000;
const SAMPLE = 1_000;
const FILL_TIMEOUT_MS = 900_000;
const TIMEOUT_MS = 300_000;
const MS_PER_SECOND = 1_000;

/** Measures states as of a moment, and history decided again. */
export const history = (): Promise<Findings> =>
  inWorkFolder(async (folder) => {
    const dataDir = folder.folder('filled');
    const filling: Fill = { dataDir, orders: ORDERS, sample: SAMPLE };
    const { sample } = await askOnce<Fill, Filled>('fill-log', filling, FILL_TIMEOUT_MS);
    const clientOrderIds = sample.map(({ clientOrderId }) => clientOrderId);
    const asOf: number[] = [];
    const asOfCpu: number[] = [];
    const decided: WhatIfTimed[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      const { timesMs, cpuMs } = await askOnce<AskAsOf, AsOfTimes>('as-of', { dataDir, clientOrderIds }, TIMEOUT_MS);
      asOf.push(quantile(timesMs, 0.99));
      asOfCpu.push(cpuMs);
      const one = await askOnce<AskWhatIf, WhatIfTimed>('what-if', { dataDir }, TIMEOUT_MS);
      if (one.orders !== ORDERS || one.classes['same'] === ORDERS) throw new Error('the rules of the what-if changed nothing');
      decided.push(one);
    }
    return {
      figures: [
        { name: 'state of one order as of a moment, p99', unit: 'ms', rounds: asOf, bound: { kind: 'at-most', asked: 5 } },
        { name: 'processor time of it, all threads, in the mean', unit: 'ms', rounds: asOfCpu },
        {
          name: 'orders decided again under other rules',
          unit: '/s',
          rounds: decided.map(({ orders, elapsedMs }) => (orders * MS_PER_SECOND) / elapsedMs),
          bound: { kind: 'at-least', asked: 20_000 },
        },
        { name: 'memory resident after that', unit: 'MiB', rounds: decided.map(({ residentMib }) => residentMib) },
      ],
      notes: [
        `${(ORDERS * EVENTS_PER_ORDER).toLocaleString('en')} events of ${ORDERS.toLocaleString('en')} approved orders in the embedded store. As of: ${SAMPLE.toLocaleString('en')} orders spread over the log, each read, its chain verified, dated, folded to the moment of its second event, and shown. The what-if reads the whole log and decides the screening (with a count for each card, all orders being of one) and the route of every order again.`,
      ],
    };
  });
