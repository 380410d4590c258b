import { ratioOf, type Findings } from '../harness/figure';
import { processCpuMs } from '../harness/process-cpu';
import { Program } from '../harness/program';
import { ROUNDS } from '../harness/rounds';
import { inWorkFolder } from '../harness/work-folder';
import type { BareRoute } from '../programs/bare-route.program';
import { acceptances, CONNECTIONS, WARM_UP_MS } from '../load/acceptances';
import { CarriedOrders } from '../load/carried-orders';
import { LoadGenerator, perSecond } from '../load/load';

const ORDERS = 8_000;
const WARM_UP_ORDERS = 2_000;
const BARE_MS = 4_000;
const START_TIMEOUT_MS = 30_000;
const MS_PER_SECOND = 1_000;

/** Measures orders from acceptance to delivered callback, and what of it a merchant who orders meanwhile notices. */
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
      const found: Record<'carried' | 'meanwhile' | 'cpuMs' | 'accepted' | 'p99Ms' | 'bare' | 'bareP99Ms', number[]> = {
        carried: [],
        meanwhile: [],
        cpuMs: [],
        accepted: [],
        p99Ms: [],
        bare: [],
        bareP99Ms: [],
      };
      for (let round = 0; round < ROUNDS; round++) {
        const alone = await acceptances(generator, bareRoute, BARE_MS);
        found.bare.push(perSecond(alone));
        found.bareP99Ms.push(alone.p99Ms);
        const before = processCpuMs(orders.servicePid) ?? Number.NaN;
        const { elapsedMs, accepted, endedMeanwhile } = await orders.carry(ORDERS);
        found.cpuMs.push(((processCpuMs(orders.servicePid) ?? Number.NaN) - before) / ORDERS);
        found.carried.push((ORDERS * MS_PER_SECOND) / elapsedMs);
        found.accepted.push(perSecond(accepted));
        found.meanwhile.push((endedMeanwhile * perSecond(accepted)) / ORDERS);
        found.p99Ms.push(accepted.p99Ms);
      }
      return {
        figures: [
          {
            name: 'orders carried to their end',
            unit: '/s',
            rounds: found.carried,
            bound: { kind: 'at-least', asked: 1_000, goal: 1_500 },
          },
          {
            name: 'CPU of the service an order carried, all threads',
            unit: 'ms',
            rounds: found.cpuMs,
            bound: { kind: 'at-most', asked: 1.2, goal: 0.8 },
          },
          { name: 'accepted while others are carried', unit: '/s', rounds: found.accepted },
          { name: 'ended while others are accepted as fast as they are answered', unit: '/s', rounds: found.meanwhile },
          { name: "bare route, Express's form parser and Nest's validation pipe", unit: '/s', rounds: found.bare },
          ratioOf('accepted then against the bare route', found.accepted, found.bare, { kind: 'at-least', asked: 0.6, goal: 0.8 }),
          { name: 'p99 of an acceptance then', unit: 'ms', rounds: found.p99Ms },
          { name: 'p99 of the bare route', unit: 'ms', rounds: found.bareP99Ms },
          ratioOf('p99 against the bare route', found.p99Ms, found.bareP99Ms, { kind: 'at-most', asked: 1.5, goal: 1.2 }),
        ],
        notes: [
          `${ORDERS.toLocaleString('en')} recurrent payments a round with both roles in one process: accepted by ${CONNECTIONS} connections as fast as they are answered, and carried from the first request until the last callback was answered by a receiver in another process, every order is approved in the read model, and no work is open.`,
          `The bare route is that of the acceptance alone, asked for ${BARE_MS / MS_PER_SECOND} s before each round by as many connections, with the service at rest.`,
          'Why the first two are missed: of what an order costs the main thread has two thirds, and nothing in it is large. By a profile of it a tenth goes to the collector, 7 % to messages to the other threads, 6 % to hashes, 5 % to reads of the log, 4 % to ciphers; no other file has a 25th. By what it is about, a delivery has 12 %, the decision to accept 11 %, the submit 10 %, the tree of the log 4 %. The thread that writes the read models has most of the last third: half of that are SQLite statements, of these two fifths the commits and a fifth the keys of the search. Two cores at this cost give 600 orders a second, with nothing left for who orders and who is called back.',
          'Tried for it: a thread that writes the read models (kept; a seventh more is carried), the statements alone on a thread (a fifth dearer, for each row is copied twice), what this process appended handed to its subscriptions from memory (kept; a tenth more, 7 % cheaper), recent streams kept by their size and not by their count, so that a backlog of 6,000 orders is read from memory (no gain: the collector takes what the reads save), more room for what is new in the heap (within the noise), a write-ahead log of 16 MiB before it is carried into the file (kept; 8 % cheaper in the median of nine rounds in turn), pages of 4 KiB and 128 MiB of memory for pages of the read models (nothing, either), one thread for the collector and not four (nothing). By threads, the main one has 1.7 ms of an order, that of the read models 0.65, that of the log 0.28, the four that help the collector 0.26. For the p99: 1 to 64 items of due work begun in a turn of the event loop while requests come (2 kept), the thread of the read models (kept), more room for what is new in the heap and one thread for the collector (nothing, either). Each of 64 connections asks again as soon as it is answered, so that the mean wait is 64 by the rate: where 0.6 of what the bare route answers is accepted, it is 1.67 of its own, and a p99 of 1.5 needs a tail shorter than that of the bare route.',
          orders.note(),
        ],
      };
    } finally {
      await Promise.all([generator.stop(), bare.stop(), orders.stop()]);
    }
  });
