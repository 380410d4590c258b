import type { StreamName } from '@app/event-store';
import type { CorruptRow, LogTruth } from '../project-from-log';
import { isDataFault } from '../faults';
import type { BatchEvent } from '../log-event';
import type { Mutex, LiveGenerations } from './live-generations';
import { lockFences, type PartitionKey } from './partitions';
import { unpark } from '../projection-registry';
import { streamEvents } from '../stream-events';

export interface StreamRebuilt {
  readonly applied: readonly string[];
  readonly stillParked: readonly string[];
}

export interface StreamRepairContext extends LogTruth {
  readonly mutex: Mutex;
  readonly partitionKey: PartitionKey;
}

export class StreamRepair {
  readonly #context: StreamRepairContext;
  readonly #live: LiveGenerations;

  constructor(context: StreamRepairContext, live: LiveGenerations) {
    this.#context = context;
    this.#live = live;
  }

  resume(stream: StreamName): Promise<StreamRebuilt> {
    return this.#context.mutex.take(async () => {
      const key = await this.#keyOf(stream);
      const applied: string[] = [];
      const stillParked: string[] = [];
      for (const { name } of this.#live.projections) {
        const outcome = await this.#resumeIn(name, stream, key);
        if (outcome === 'applied') applied.push(name);
        if (outcome === 'failed') stillParked.push(name);
      }
      return { applied, stillParked };
    });
  }

  /** Rebuilds a corrupt row up to its projection's checkpoint, or deletes it if the log has no such stream. */
  rewrite({ projection, stream }: CorruptRow): Promise<void> {
    return this.#context.mutex.take(async () => {
      await this.#live.transactAlone(await this.#keyOf(stream), async (db) => {
        const live = this.#live.all.find(({ projection: { name } }) => name === projection);
        if (live === undefined) return;
        const events = await this.#eventsOf(stream);
        const parkedFrom = live.parked.get(stream);
        const reached = events.filter(
          ({ position, revision }) => !this.#live.isBeyond(live, position) && (parkedFrom === undefined || revision < parkedFrom),
        );
        await live.table.resume(db, stream, reached, undefined);
        await lockFences(db, 'note');
      });
    });
  }

  /** Must run while no process projects. Otherwise events projected after this read would be missing from the row unnoticed. */
  #eventsOf(stream: StreamName): Promise<readonly BatchEvent[]> {
    return streamEvents(this.#context, this.#live.categories, stream);
  }

  async #keyOf(stream: StreamName): Promise<string> {
    for await (const first of this.#context.log.read(stream)) return this.#context.partitionKey(first) ?? stream;
    return stream;
  }

  async #resumeIn(name: string, stream: StreamName, key: string): Promise<'applied' | 'failed' | 'not-parked'> {
    try {
      return await this.#live.transactAlone(key, async (db) => {
        const live = this.#live.all.find(({ projection }) => projection.name === name);
        const from = live?.parked.get(stream);
        if (live === undefined || from === undefined) return 'not-parked';
        const events = await this.#eventsOf(stream);
        const reached = events.filter(({ position }) => !this.#live.isBeyond(live, position));
        const resumed = await live.table.resume(db, stream, reached, from);
        if (resumed.kind === 'failed') await this.#live.park(db, live, [resumed.failure]);
        else await unpark(db, name, live.generation, stream);
        await lockFences(db, 'note');
        return resumed.kind;
      });
    } catch (error) {
      if (!isDataFault(error)) throw error;
      return 'failed';
    }
  }
}
