import type { Position } from '@app/event-store';
import { sleep, type Scheduler } from '@app/kernel';
import { sql } from 'kysely';
import { isPostgres } from '../rebuild/bulk-statements';
import { keyOf, rowsOf } from '../../projection-contents';
import { openWorkProjectionName } from '../../read-models/open-work/open-work.table';
import type { Db } from '../database/tables';
import type { EventLog } from '../log-event';
import { lockFences } from '../partitions/fence';
import { servingGenerations } from '../projection-registry';
import type { Building, RebuildContext } from '../rebuild/rebuild-context';
import { servingPositions } from './replay-generations';

/** The rows of a new generation and of the one that serves, at one position of the log. */
export interface ReplayComparison {
  readonly projection: string;
  readonly rows: number;
  readonly servingRows: number;
  readonly isEqual: boolean;
}

/** When the serving ones moved between two looks, more is read and they are looked at again. */
const LOOKS_MAX = 200;
const LOOK_GAP_MS = 20;

/** Reactors postpone work by themselves, which no fold tells. */
const DUE_AT = 'due_at';

/** Whether no event of these categories lies behind the one position up to the other. */
const isSameContent = async (log: EventLog, categories: readonly string[], a: Position, b: Position): Promise<boolean> => {
  const order = log.comparePositions(a, b);
  if (order === 0) return true;
  const [first, last] = order < 0 ? [a, b] : [b, a];
  const subscription = log.subscribe(categories, first);
  try {
    for await (const item of subscription) {
      if (item.kind === 'caught-up') return true;
      if (item.kind === 'event') return log.comparePositions(item.event.position, last) > 0;
    }
    return true;
  } finally {
    await subscription.cancel();
  }
};

const beginSnapshot = async (db: Db): Promise<void> => {
  await (isPostgres(db) ? sql`begin transaction isolation level repeatable read read only` : sql`begin`).execute(db);
  // A snapshot begins with its first read.
  await servingGenerations(db);
};

/**
 * Compares the new generations with those that serve, in one snapshot in which both have folded the same events. The fence is held while the snapshot
 * begins and no longer, so that the service goes on projecting while every row is read.
 * @param catchUp reads what the log has by now, and returns where the new ones are
 * @returns undefined where the serving ones do not come level with the log, as without a service that projects
 */
export const compareGenerations = async (
  context: RebuildContext & { readonly scheduler: Scheduler },
  buildings: readonly Building[],
  catchUp: () => Promise<Position>,
): Promise<readonly ReplayComparison[] | undefined> => {
  const { database, log, scheduler } = context;
  const projections = buildings.map(({ projection }) => projection);
  const categories = [...new Set(projections.flatMap((projection) => projection.categories))];
  for (let look = 0; look < LOOKS_MAX; look++) {
    const reached = await catchUp();
    const isLevelIn = async (db: Db): Promise<boolean> => {
      await lockFences(db);
      for (const position of await servingPositions(db, projections))
        if (position === undefined || !(await isSameContent(log, categories, position, reached))) return false;
      return true;
    };
    if (database.areReadsHeldUp === true) {
      const held = await database.registry
        .transaction()
        .execute(async (db) => ((await isLevelIn(db)) ? comparedIn(db, buildings) : undefined));
      if (held !== undefined) return held;
      await sleep(scheduler, LOOK_GAP_MS);
      continue;
    }
    const compared = await database.reads.connection().execute(async (reads) => {
      const isLevel = await database.registry.transaction().execute(async (db) => {
        if (!(await isLevelIn(db))) return false;
        await beginSnapshot(reads);
        return true;
      });
      if (!isLevel) return undefined;
      try {
        return await comparedIn(reads, buildings);
      } finally {
        await sql`commit`.execute(reads);
      }
    });
    if (compared !== undefined) return compared;
    await sleep(scheduler, LOOK_GAP_MS);
  }
  return undefined;
};

const comparedIn = async (db: Db, buildings: readonly Building[]): Promise<readonly ReplayComparison[]> => {
  const serving = await servingGenerations(db);
  const compared: ReplayComparison[] = [];
  for (const { projection, table } of buildings) {
    const { name } = projection;
    const generation = serving.get(name)?.generation;
    if (generation === undefined) throw new Error(`${name} does not serve`);
    const without = name.startsWith(openWorkProjectionName('')) ? DUE_AT : undefined;
    const now = await rowsOf(db, table.name, keyOf(name), without);
    const then = await rowsOf(db, projection.table(generation, false).name, keyOf(name), without);
    compared.push({ projection: name, rows: now.rows, servingRows: then.rows, isEqual: now.digest === then.digest });
  }
  return compared;
};
