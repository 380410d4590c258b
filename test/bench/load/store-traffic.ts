import type { NewEvent, StreamName } from '@app/event-store';
import { prepareAppends } from './event-rows';
import { timed, type Timed } from './appends';

/** The traffic of one client to a server, by `writers` at once: appends that each open a stream, then reads of longer streams. */
export interface Traffic {
  readonly url: string;
  readonly writers: number;
  readonly appends: number;
  readonly reads: number;
  /** The bare client's shared BatchAppend stream, which none of the service's stores may use. */
  readonly isBatched?: boolean;
}

export interface Measured extends Timed {
  readonly cpuMs: number;
}

export interface TrafficTimes {
  readonly appends: Measured;
  readonly reads: Measured;
}

/** A client under measure, as thin as possible. */
export interface TrafficClient<Batch> {
  /** Runs before the clock starts. */
  prepare(events: readonly NewEvent[]): Batch;
  append(stream: StreamName, batch: Batch): Promise<unknown>;
  /** Reads the stream to its end and returns the number of its events. */
  read(stream: StreamName): Promise<number>;
}

export const EVENTS_OF_A_READ = 10;
const STREAMS_TO_READ = 50;
/** Runs before the clock starts, so that no contender is measured while it is compiled. */
const WARM_UP = 400;
const US_PER_MS = 1_000;

const measured = async (count: number, writers: number, act: (index: number) => Promise<void>): Promise<Measured> => {
  const cpuBefore = process.cpuUsage();
  const times = await timed(count, writers, act);
  const { user, system } = process.cpuUsage(cpuBefore);
  return { ...times, cpuMs: (user + system) / US_PER_MS };
};

export const drive = async <Batch>(client: TrafficClient<Batch>, { writers, appends, reads }: Traffic): Promise<TrafficTimes> => {
  const run = `${process.pid}-${Date.now()}`;
  const prepared = prepareAppends(`traffic-${run}`, appends + WARM_UP).map(({ stream, event }) => ({
    stream,
    batch: client.prepare([event]),
  }));
  const append = async (index: number): Promise<void> => {
    const one = prepared[index];
    if (one !== undefined) await client.append(one.stream, one.batch);
  };
  const long = prepareAppends(`long-${run}`, STREAMS_TO_READ * EVENTS_OF_A_READ);
  const streams: StreamName[] = [];
  for (let from = 0; from < long.length; from += EVENTS_OF_A_READ) {
    const batch = long.slice(from, from + EVENTS_OF_A_READ);
    const stream = batch[0]?.stream;
    if (stream === undefined) continue;
    streams.push(stream);
    await client.append(stream, client.prepare(batch.map(({ event }) => event)));
  }
  const read = async (index: number): Promise<void> => {
    const stream = streams[index % streams.length];
    if (stream === undefined || (await client.read(stream)) !== EVENTS_OF_A_READ) throw new Error('a stream was not read to its end');
  };
  await timed(WARM_UP, writers, (index) => append(appends + index));
  await timed(WARM_UP, writers, read);
  return { appends: await measured(appends, writers, append), reads: await measured(reads, writers, read) };
};
