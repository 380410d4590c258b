import { type Position, StoreUnavailable } from '@app/event-store';
import type { ReadModelDatabase } from '../database/database';
import type { Projection } from '../projection';
import type { EventLog } from '../log-event';
import { lockFences } from '../projecting/partitions';
import { abandon, checkpoints, generationsIn, servingGenerations, projectionStates } from '../projection-registry';
import type { Db } from '../database/tables';
import { pagesOf } from '../../projection-contents';
import { isDataFault, isMissingTable } from '../faults';
import { GenerationWriter, LogReplay } from './log-replay';
import { beginGenerations, RebuildRefused, takeOver, type Replaced, type Building, type RebuildContext } from './new-generations';
import type { Reader } from '../reader';

interface AheadContext {
  readonly database: Pick<ReadModelDatabase, 'reads' | 'registry'>;
  readonly log: Pick<EventLog, 'head' | 'comparePositions'>;
}

/** A position that the log cannot compare belongs to another log, and counts as beyond it. */
const isBeyond = (log: Pick<EventLog, 'comparePositions'>, position: string | null, head: Position): boolean => {
  if (position === null) return false;
  try {
    return !(log.comparePositions(position as Position, head) <= 0);
  } catch {
    return true;
  }
};

const beyondLog = async (db: Db, log: AheadContext['log']): Promise<ReadonlyMap<string, number>> => {
  const serving = await servingGenerations(db);
  const reached = (await checkpoints(db)).filter((row) => row.generation === serving.get(row.projection)?.generation);
  // Read the head after the checkpoints, so that a growing log is never behind them.
  const head = await log.head();
  const ahead = reached.filter(({ position }) => isBeyond(log, position, head));
  return new Map(ahead.map(({ projection, generation }) => [projection, generation]));
};

/**
 * Drops projections of events that the log does not contain, because it lost its end or is another log. They show
 * orders that do not exist, and would skip new events at the lost positions.
 * @returns the projections to rebuild; ordinarily none
 * @throws StoreUnavailable; errors of the database
 */
const abandonAheadOfLog = async ({ database, log }: AheadContext, projections: readonly Projection[]): Promise<readonly string[]> => {
  if ((await beyondLog(database.reads, log)).size === 0) return [];
  return database.registry.transaction().execute(async (transaction) => {
    await lockFences(transaction, 'note');
    const ahead = await beyondLog(transaction, log);
    const abandoned = projections.filter(({ name }) => ahead.has(name));
    const known = await checkpoints(transaction);
    for (const { name, table } of abandoned) {
      // An unfinished rebuild contains the same lost events.
      for (const generation of generationsIn(known, name)) await abandon(transaction, name, generation, table(generation, false).tables);
    }
    return abandoned.map(({ name }) => name);
  });
};

export interface Rebuilt {
  readonly projections: readonly RebuiltProjection[];
  readonly events: number;
  readonly parkedStreams: number;
  readonly position: Position;
}

interface RebuiltProjection {
  readonly projection: string;
  readonly generation: number;
  readonly rows: number;
}

const CATCH_UPS_MAX = 50;

/**
 * Builds new generations while the old ones serve, then verifies and switches to them (architecture, rule 15; safety,
 * 2.2). If the process ends first, the old ones still serve and the next rebuild drops the remains.
 * @throws RebuildRefused if another rebuild began, or a shape may not be replaced
 */
const buildGenerations = async (context: RebuildContext, projections: readonly Projection[], replaced: Replaced): Promise<Rebuilt> => {
  try {
    return await buildLoaded(context, projections, replaced);
  } catch (error) {
    throw isMissingTable(error) ? new RebuildRefused('another rebuild began meanwhile', { cause: error }) : error;
  }
};

const buildLoaded = async (context: RebuildContext, projections: readonly Projection[], replaced: Replaced): Promise<Rebuilt> => {
  try {
    return await buildOnce(context, await beginGenerations(context, projections, replaced), 'loaded');
  } catch (error) {
    if (!isDataFault(error)) throw error;
    // Two rows violate a unique index. With indexes in place from the start, the later row's stream is parked.
    return buildOnce(context, await beginGenerations(context, projections, replaced), 'empty');
  }
};

const buildOnce = async (context: RebuildContext, buildings: readonly Building[], indexWhile: 'empty' | 'loaded'): Promise<Rebuilt> => {
  const writer = new GenerationWriter(context, buildings);
  const fold = new LogReplay(context, new Set(buildings.flatMap(({ projection }) => projection.categories)), writer);
  try {
    if (indexWhile === 'empty') await writer.createIndexes();
    // Use the second writer only while no index can refuse a row: an error there fails the whole rebuild.
    await fold.catchUp(indexWhile === 'loaded' ? 'beside' : 'here');
    if (indexWhile === 'loaded') await writer.createIndexes();
    await writer.analyze();
    const verified: RebuiltProjection[] = [];
    for (const building of buildings) verified.push(await verify(context, building));
    for (let round = 0; round < CATCH_UPS_MAX; round++) {
      await fold.catchUp('here');
      if (!(await takeOver(context, buildings, fold.reached))) continue;
      return {
        projections: verified,
        events: fold.events,
        parkedStreams: buildings.reduce((sum, { parked }) => sum + parked.size, 0),
        position: fold.reached,
      };
    }
  } finally {
    await writer.close();
  }
  throw new Error(`the new read models did not come level with the old ones in ${CATCH_UPS_MAX} rounds`);
};

/** @throws Error if a row read back differs from what was written */
const verify = async ({ database }: RebuildContext, { projection: { name }, generation, table }: Building): Promise<RebuiltProjection> => {
  let rows = 0;
  for await (const page of pagesOf(database.reads, table)) {
    const corrupt = page.find((row) => !table.isIntact(row));
    if (corrupt !== undefined)
      throw new Error(`${name}: the new row of ${String(corrupt[table.key])} does not fit its checksum; the old rows still serve`);
    rows += page.length;
  }
  return { projection: name, generation, rows };
};

interface RebuildsContext extends RebuildContext {
  readonly reader: Reader;
  readonly onAheadOfLog?: (projections: readonly string[]) => void;
}

export class Rebuilds {
  readonly #context: RebuildsContext;
  readonly #projections: readonly Projection[];
  #underWay: Promise<Rebuilt> | undefined;

  constructor(context: RebuildsContext, projections: readonly Projection[]) {
    this.#context = context;
    this.#projections = projections;
  }

  /** Builds only projections that were never built or that changed their shape; undefined if there are none. */
  async buildMissing(): Promise<Rebuilt | undefined> {
    if ((await this.#missing()).length > 0) await this.#underWay;
    const missing = await this.#missing();
    return missing.length === 0 ? undefined : this.#rebuild(missing, 'any-shape');
  }

  /** @throws StoreUnavailable while a projection is to be built */
  async assertBuilt(): Promise<void> {
    const missing = await this.#missing();
    if (missing.length > 0)
      throw new StoreUnavailable(`${missing.map(({ name }) => name).join(', ')}: not built yet by whoever projects the first partition`);
  }

  /** @throws Error for an unknown name, and while a rebuild runs; RebuildRefused */
  async rebuild(which: 'all' | readonly string[]): Promise<Rebuilt> {
    if (which === 'all') return this.#rebuild(this.#projections, 'same-shape');
    const known = new Map(this.#projections.map((projection) => [projection.name, projection]));
    const projections = which.map((name) => {
      const projection = known.get(name);
      if (projection === undefined) throw new Error(`no projection is named ${name}; there are ${[...known.keys()].join(', ')}`);
      return projection;
    });
    return this.#rebuild(projections, 'same-shape');
  }

  /**
   * Drops projections that are ahead of the log.
   * @throws StoreUnavailable
   */
  async abandonAheadOfLog(): Promise<readonly string[]> {
    const { database, log, reader, onAheadOfLog } = this.#context;
    const abandoned = await abandonAheadOfLog({ database, log }, this.#projections);
    if (abandoned.length === 0) return abandoned;
    await reader.refresh();
    onAheadOfLog?.(abandoned);
    return abandoned;
  }

  async #missing(): Promise<readonly Projection[]> {
    const states = await projectionStates(this.#context.database.reads);
    return this.#projections.filter(({ name, shape }) => states.get(name)?.shape !== shape);
  }

  async #rebuild(projections: readonly Projection[], replaced: Replaced): Promise<Rebuilt> {
    if (this.#underWay !== undefined) throw new Error('a rebuild is under way');
    this.#underWay = this.abandonAheadOfLog().then(() => buildGenerations(this.#context, projections, replaced));
    try {
      return await this.#underWay;
    } finally {
      this.#underWay = undefined;
      await this.#context.reader.refresh();
    }
  }
}
