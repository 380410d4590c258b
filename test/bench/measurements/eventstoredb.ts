import { ratioOf, type Figure, type Findings } from '../harness/figure';
import { askOnce, Program } from '../harness/program';
import { ROUNDS } from '../harness/rounds';
import { rateOf } from '../load/appends';
import { EVENTS_OF_A_READ, type Measured, type Traffic, type TrafficTimes } from '../load/store-traffic';

const TIMEOUT_MS = 120_000;
const US_PER_MS = 1_000;
/** Writers at once, and their work in one round. */
const LOADS = [
  { writers: 1, appends: 1_200, reads: 800 },
  { writers: 16, appends: 4_000, reads: 1_500 },
  { writers: 64, appends: 4_000, reads: 1_500 },
] as const;
const ASKED = { kind: 'at-least', asked: 0.85 } as const;

class Series {
  readonly appends: number[] = [];
  readonly reads: number[] = [];
  readonly appendCpuUs: number[] = [];

  add({ appends, reads }: TrafficTimes): void {
    this.appends.push(rateOf(appends));
    this.reads.push(rateOf(reads));
    this.appendCpuUs.push(cpuUsOf(appends));
  }
}

const cpuUsOf = ({ cpuMs, count }: Measured): number => (cpuMs * US_PER_MS) / count;

interface Server {
  readonly url: string;
  /** The note under its figures. */
  readonly note: string;
  stop(): Promise<void>;
}

const WIRE_NOTE =
  'The wire-level test server answers what EventStoreDB answers and keeps its log in memory: these are figures of the two clients, not of a server. Both share the machine with it. Where `ESDB_URL` is set, the chapter runs against that server instead.';

/** The server of `ESDB_URL`; where none is named, the wire-level test server in a process of its own. */
const serverOf = async (named: string | undefined): Promise<Server> => {
  if (named) return { url: named, note: 'Measured against the server of `ESDB_URL`.', stop: () => Promise.resolve() };
  const wire = new Program<object, string>('wire-server');
  return { url: await wire.ask({}, TIMEOUT_MS), note: WIRE_NOTE, stop: () => wire.stop() };
};

/** Compares the EventStoreDB adapter with the bare client, both on one server. */
export const eventstoredb = async (): Promise<Findings> => {
  const server = await serverOf(process.env['ESDB_URL']);
  try {
    const { url } = server;
    const figures: Figure[] = [];
    for (const load of LOADS) {
      const [adapter, bare, batched] = [new Series(), new Series(), new Series()];
      const run = (program: string, more: Partial<Traffic> = {}): Promise<TrafficTimes> =>
        askOnce<Traffic, TrafficTimes>(program, { url, ...load, ...more }, TIMEOUT_MS);
      for (let round = 0; round < ROUNDS; round++) {
        adapter.add(await run('eventstoredb-traffic'));
        bare.add(await run('bare-client-traffic'));
        batched.add(await run('bare-client-traffic', { isBatched: true }));
      }
      const by = load.writers === 1 ? 'one writer' : `${load.writers} writers`;
      const figure = (name: string, unit: string, rounds: readonly number[]): Figure => ({ name: `${name}, ${by}`, unit, rounds });
      figures.push(
        figure('appends of the EventStoreDB adapter', '/s', adapter.appends),
        figure('appends of the bare client', '/s', bare.appends),
        ratioOf(`appends against the bare client, ${by}`, adapter.appends, bare.appends, ASKED),
        figure('client CPU an append of the adapter', 'us', adapter.appendCpuUs),
        figure('client CPU an append of the bare client', 'us', bare.appendCpuUs),
        figure('appends of the bare client by its BatchAppend', '/s', batched.appends),
        figure('reads of the EventStoreDB adapter', '/s', adapter.reads),
        figure('reads of the bare client', '/s', bare.reads),
        ratioOf(`reads against the bare client, ${by}`, adapter.reads, bare.reads, ASKED),
      );
    }
    return {
      figures,
      notes: [
        server.note,
        `One event an append, each the first of its stream, about 1.3 kB; a read is a stream of ${EVENTS_OF_A_READ} such events. Both append by the Append call and ask the leader.`,
        "The client's BatchAppend is stated for comparison: a service may not use it (one shared stream whose failure rejects its neighbours, and no deadline).",
      ],
    };
  } finally {
    await server.stop();
  }
};
