import { join } from 'node:path';
import type { Findings } from '../harness/figure';
import { askOnce, Program } from '../harness/program';
import { given, ROUNDS } from '../harness/rounds';
import { inWorkFolder } from '../harness/work-folder';
import { EVENTS_PER_ORDER, type Fill, type Filled } from '../load/filled-log';
import type { AskReplay, AskServing, ReplayTimed, ServingReport } from '../load/history';
import type { Rebuild } from '../programs/rebuild.program';

/** BENCH_REPLAY_EVENTS shortens a trial. */
const EVENTS = given('BENCH_REPLAY_EVENTS', 1_000_000);
const CLIENTS = 50;
const SAMPLE = 1_000;
const TIMEOUT_MS = 1_800_000;
const MS_PER_SECOND = 1_000;

/** Measures read models replayed beside a process that serves, projects and is read by many clients. */
export const replay = (): Promise<Findings> =>
  inWorkFolder(async (folder) => {
    const dataDir = folder.folder('filled');
    const path = join(folder.path, 'read-model.sqlite');
    const filling: Fill = { dataDir, orders: EVENTS / EVENTS_PER_ORDER, sample: SAMPLE };
    const { sample } = await askOnce<Fill, Filled>('fill-log', filling, TIMEOUT_MS);
    const clientOrderIds = sample.map(({ clientOrderId }) => clientOrderId);
    await askOnce<Rebuild, unknown>('rebuild', { dataDir, path }, TIMEOUT_MS);
    const replays: ReplayTimed[] = [];
    const served: ServingReport[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      const serving = new Program<AskServing, ServingReport>('serving');
      try {
        await serving.ask({ kind: 'begin', dataDir, path, clients: CLIENTS, clientOrderIds }, TIMEOUT_MS);
        replays.push(await askOnce<AskReplay, ReplayTimed>('replay', { dataDir, path }, TIMEOUT_MS));
        served.push(await serving.ask({ kind: 'end' }, TIMEOUT_MS));
      } finally {
        await serving.stop();
      }
    }
    if (replays.some(({ isEqual }) => !isEqual)) throw new Error('the rows of a replay were not those that served');
    const seconds = (msOf: (one: ReplayTimed) => number): readonly number[] => replays.map((one) => msOf(one) / MS_PER_SECOND);
    const none = { kind: 'at-most', asked: 0 } as const;
    return {
      figures: [
        {
          name: 'events replayed beside the serving read models',
          unit: '/s',
          rounds: replays.map(({ events, buildMs }) => (events * MS_PER_SECOND) / buildMs),
          bound: { kind: 'at-least', asked: 50_000 },
        },
        { name: 'every row compared', unit: 's', rounds: seconds(({ compareMs }) => compareMs) },
        { name: 'switch', unit: 's', rounds: seconds(({ switchMs }) => switchMs) },
        { name: 'reads meanwhile', unit: '', rounds: served.map(({ reads }) => reads) },
        { name: 'failed reads', unit: '', rounds: served.map(({ failed }) => failed), bound: none },
        { name: 'reads that went back in time', unit: '', rounds: served.map(({ backwards }) => backwards), bound: none },
        { name: 'p99 of a read', unit: 'ms', rounds: served.map(({ p99Ms }) => p99Ms) },
      ],
      notes: [
        `${EVENTS.toLocaleString('en')} events in the embedded store, the read models in SQLite; \`orch replay --all\` as a process of its own, three times. Another process appends an order in two appends every 50 ms, projects it, and is asked by ${CLIENTS} clients, each for an order every 50 ms, half of them orders that change. A read goes back where its client has seen a later revision of the order.`,
        "Why it is missed: an event costs 62 µs of the processors (the thread that folds 30, the one that writes 16, the one that reads 8, the collector 8), the serving process has a sixth of a core, and two cores give no more than 30,000 events a second at that price; alone, without a serving process, it is 48 µs. Of the folding thread's time a sixth goes to the collector, a tenth each to decoding, to rows made text and to the chain of hashes; no other part has a twentieth. Tried without a gain beyond what two runs differ by: 16 to 128 MiB of room for what is new; 256 streams remembered for the chain in the place of 8,192. Measured apart: half of the writing thread's time goes to the keys of the search, which come in no order (13.7 s for 1,600,000, whose tree is larger than its cache). Sorted by 512,000 they take 7.4 s, all at the end 5.6 s: 6 to 8 µs an event. It is not built: at the end it holds the lock of the file for seconds, and by parts the keys that wait would be lost with a kill, of which a replay loses 50,000 events at most.",
      ],
    };
  });
