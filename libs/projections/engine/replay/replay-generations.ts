import type { Position } from '@app/event-store';
import { rowSource } from '../corruption/fold-from-log';
import type { Db } from '../database/tables';
import { isMissingTable } from '../faults';
import type { Projection } from '../projection';
import { isKeptFollowed, lockFences } from '../partitions/fence';
import {
  beginGeneration,
  checkpoints,
  dropGeneration,
  forgetReplay,
  generationsIn,
  noteReplay,
  parkedStreams,
  replayed,
  servingGenerations,
  switchTo,
} from '../projection-registry';
import type { Building, RebuildContext } from '../rebuild/rebuild-context';
import { ReplayRefused } from './replay-refused';

/** New generations beside the serving ones, from the start of the log or from where an interrupted replay had come. */
export interface Begun {
  readonly buildings: readonly Building[];
  readonly from: Position | 'start';
  /** Projections of which the indexes exist, so that a row may be refused. */
  readonly indexed: ReadonlySet<string>;
}

/**
 * A replay makes the same tables as those that serve, by the same projections: a release that has other ones builds them when it starts.
 * @throws ReplayRefused
 */
const assertSameShapes = async (db: Db, projections: readonly Projection[]): Promise<void> => {
  const serving = await servingGenerations(db);
  if (serving.size === 0) throw new ReplayRefused('the read models were never built: start the service first');
  const own = new Map(projections.map(({ name, shape }) => [name, shape]));
  const differing = [...new Set([...serving.keys(), ...own.keys()])].filter((name) => serving.get(name)?.shape !== own.get(name));
  if (differing.length > 0)
    throw new ReplayRefused(
      `${differing.join(', ')}: this release projects other tables than those that serve; they are built when it starts, or by orch rebuild`,
    );
};

/** Whether these read models are of a release that can be replayed beside its service; opening them for writing would bring older ones up. */
export const isReplayable = async (db: Db): Promise<boolean> => {
  try {
    await replayed(db);
    return true;
  } catch (error) {
    if (isMissingTable(error)) return false;
    throw error;
  }
};

/** @throws ReplayRefused where the service is of a release that would let a kept generation grow old */
const assertFollowed = async (db: Db): Promise<void> => {
  if (!(await isKeptFollowed(db)))
    throw new ReplayRefused(
      'the service that projects is of an older release, which follows one generation alone: orch rebuild, with it stopped',
    );
};

const dropOf = async (db: Db, projections: readonly Projection[], state: 'building' | 'kept'): Promise<number> => {
  let dropped = 0;
  for (const row of await replayed(db)) {
    const projection = projections.find(({ name }) => name === row.projection);
    if (projection === undefined || (row.state === 'kept') !== (state === 'kept')) continue;
    await dropGeneration(db, row.projection, row.generation, projection.table(row.generation, false).tables);
    dropped += 1;
  }
  return dropped;
};

/** What an interrupted replay left, where all of it stands at one position of which this release can go on. */
const unfinished = async (
  db: Db,
  projections: readonly Projection[],
): Promise<{ readonly generations: readonly number[]; readonly at: Position; readonly indexed: ReadonlySet<string> } | undefined> => {
  const rows = (await replayed(db)).filter(({ state }) => state !== 'kept');
  const reached = await checkpoints(db);
  const found = projections.map(({ name, shape }) => {
    const row = rows.find((one) => one.projection === name && one.shape === shape);
    const at = reached.find((one) => one.projection === name && one.generation === row?.generation)?.position;
    return row === undefined || at === undefined || at === null ? undefined : { ...row, at };
  });
  const [first] = found;
  if (first === undefined || found.some((one) => one?.at !== first.at)) return undefined;
  const whole = found.filter((one) => one !== undefined);
  return {
    generations: whole.map(({ generation }) => generation),
    at: first.at as Position,
    indexed: new Set(whole.filter(({ state }) => state === 'indexed').map(({ projection }) => projection)),
  };
};

/** @param isAnew whether what an interrupted replay left is dropped. @throws ReplayRefused */
export const beginReplay = (context: RebuildContext, projections: readonly Projection[], isAnew: boolean): Promise<Begun> =>
  context.database.registry.transaction().execute(async (db) => {
    const partitions = await lockFences(db);
    await assertSameShapes(db, projections);
    await assertFollowed(db);
    const left = isAnew ? undefined : await unfinished(db, projections);
    if (left === undefined) await dropOf(db, projections, 'building');
    const known = await checkpoints(db);
    const buildings: Building[] = [];
    for (const [index, projection] of projections.entries()) {
      const { name, shape, categories } = projection;
      const newest = Math.max(0, ...generationsIn(known, name));
      const generation = left?.generations[index] ?? newest + 1;
      // Rows of an interrupted replay are there, and a table that is thought empty would not look for them.
      const table = projection.table(generation, left === undefined, rowSource(context, projection));
      if (left === undefined) {
        await table.create(db);
        await beginGeneration(db, name, generation, partitions, context.clock.now());
        await noteReplay(db, { projection: name, generation, shape, state: 'loading' });
      }
      const parked = new Set((await parkedStreams(db, name, generation)).keys());
      buildings.push({ projection, generation, table, categories: new Set(categories), parked, failures: [] });
    }
    return { buildings, from: left?.at ?? 'start', indexed: left?.indexed ?? new Set() };
  });

/** Where a new generation has come, in the transaction of its rows. @throws ReplayRefused where another rebuild took it for remains */
export const saveReached = async (db: Db, buildings: readonly Building[], position: Position, now: number): Promise<void> => {
  for (const { projection, generation } of buildings) {
    const { numUpdatedRows } = await db
      .updateTable('checkpoints')
      .set({ position, applied_at: now })
      .where('projection', '=', projection.name)
      .where('generation', '=', generation)
      .executeTakeFirst();
    if (numUpdatedRows === 0n) throw new ReplayRefused('another rebuild began meanwhile, and dropped what was built');
  }
};

export const noteIndexed = (db: Db, { projection: { name, shape }, generation }: Building): Promise<void> =>
  noteReplay(db, { projection: name, generation, shape, state: 'indexed' });

/** Positions of the serving generations, of each partition. */
export const servingPositions = async (db: Db, projections: readonly Projection[]): Promise<readonly (Position | undefined)[]> => {
  const serving = await servingGenerations(db);
  const reached = await checkpoints(db);
  return projections.flatMap(({ name }) => {
    const rows = reached.filter((one) => one.projection === name && one.generation === serving.get(name)?.generation);
    return rows.length === 0 ? [undefined] : rows.map(({ position }) => (position === null ? undefined : (position as Position)));
  });
};

/**
 * The new generations serve, and those that they replace are kept, in one transaction. What an earlier replay kept is dropped. False where the serving
 * ones have come further, so that more must be read first.
 */
export const switchReplay = (
  { database, log, clock }: RebuildContext,
  buildings: readonly Building[],
  reached: Position,
): Promise<boolean> =>
  database.registry.transaction().execute(async (db) => {
    const partitions = await lockFences(db);
    const projections = buildings.map(({ projection }) => projection);
    const positions = await servingPositions(db, projections);
    if (positions.some((position) => position !== undefined && log.comparePositions(position, reached) > 0)) return false;
    await dropOf(db, projections, 'kept');
    const serving = await servingGenerations(db);
    await saveReached(db, buildings, reached, clock.now());
    for (const { projection, generation } of buildings) {
      const replaced = serving.get(projection.name);
      if (replaced !== undefined)
        await noteReplay(db, { projection: projection.name, generation: replaced.generation, shape: replaced.shape, state: 'kept' });
      await forgetReplay(db, projection.name, generation);
      await switchTo(db, projection, generation);
      for (const { partition, epoch } of partitions)
        await db
          .updateTable('checkpoints')
          .set({ epoch })
          .where('projection', '=', projection.name)
          .where('generation', '=', generation)
          .where('partition', '=', partition)
          .execute();
    }
    await lockFences(db, 'note');
    return true;
  });

/** The kept generations serve again, and those that served are kept in their place. @throws ReplayRefused where nothing is kept, or it has grown old */
export const goBack = ({ database }: Pick<RebuildContext, 'database'>, projections: readonly Projection[]): Promise<readonly string[]> =>
  database.registry.transaction().execute(async (db) => {
    await lockFences(db);
    await assertSameShapes(db, projections);
    const kept = (await replayed(db)).filter(({ state }) => state === 'kept');
    if (kept.length === 0) throw new ReplayRefused('no older generation is kept');
    const serving = await servingGenerations(db);
    const reached = await checkpoints(db);
    const positionsOf = (name: string, generation: number): string =>
      JSON.stringify(
        reached
          .filter((row) => row.projection === name && row.generation === generation)
          .sort((a, b) => a.partition - b.partition)
          .map(({ position }) => position),
      );
    const moved: string[] = [];
    for (const projection of projections) {
      const { name } = projection;
      const older = kept.find((row) => row.projection === name);
      const newer = serving.get(name);
      if (older === undefined || newer === undefined) continue;
      if (positionsOf(name, older.generation) !== positionsOf(name, newer.generation))
        throw new ReplayRefused(`${name}: the older generation is not level with the newer one; the service brings it there`);
      await forgetReplay(db, name, older.generation);
      await noteReplay(db, { projection: name, generation: newer.generation, shape: newer.shape, state: 'kept' });
      await switchTo(db, projection, older.generation);
      moved.push(name);
    }
    await lockFences(db, 'note');
    return moved;
  });

/** Drops what is kept and what an interrupted replay left. @returns how many generations */
export const dropReplays = ({ database }: Pick<RebuildContext, 'database'>, projections: readonly Projection[]): Promise<number> =>
  database.registry.transaction().execute(async (db) => {
    await lockFences(db);
    const dropped = (await dropOf(db, projections, 'kept')) + (await dropOf(db, projections, 'building'));
    await lockFences(db, 'note');
    return dropped;
  });
