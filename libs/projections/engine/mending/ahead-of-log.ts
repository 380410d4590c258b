import type { Position } from '@app/event-store';
import type { ReadModelDatabase } from '../database/database';
import type { Projection } from '../projection';
import type { EventLog } from '../rebuild/rebuild';
import { abandon, checkpoints, enter, servingGenerations } from '../register';
import type { Db } from '../database/tables';

interface AheadContext {
  readonly database: Pick<ReadModelDatabase, 'reads' | 'register'>;
  readonly log: Pick<EventLog, 'head' | 'comparePositions'>;
}

/** A position that is not of this kind of log at all was kept for another one. */
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
  const reached = (await checkpoints(db)).filter((row) => Number(row.generation) === serving.get(row.projection)?.generation);
  // After the checkpoints: a log that is whole only grows.
  const head = await log.head();
  const ahead = reached.filter(({ position }) => isBeyond(log, position, head));
  return new Map(ahead.map(({ projection, generation }) => [projection, Number(generation)]));
};

/**
 * Takes away what was folded from events that the log does not hold: it lost its end (a restore, a disk that failed), or it is another log. Such a
 * read model tells of orders that do not exist, and would pass over the events that come to stand where the lost ones were.
 * @returns the projections that are to be built anew; ordinarily none, by one look at the checkpoints and one at the head
 * @throws StoreUnavailable; what the database throws
 */
export const abandonAheadOfLog = async (
  { database, log }: AheadContext,
  projections: readonly Projection[],
): Promise<readonly string[]> => {
  if ((await beyondLog(database.reads, log)).size === 0) return [];
  return database.register.transaction().execute(async (transaction) => {
    await enter(transaction, 'note');
    const ahead = await beyondLog(transaction, log);
    const abandoned = projections.filter(({ name }) => ahead.has(name));
    for (const { name, table } of abandoned) {
      const generation = ahead.get(name) ?? 0;
      await abandon(transaction, name, generation, table(generation, false).tables);
    }
    return abandoned.map(({ name }) => name);
  });
};
