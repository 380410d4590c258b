import type { Position } from '@app/event-store';
import type { ReadModelDatabase } from './database/database';
import type { Projection } from './projection';
import type { EventLog } from './log-event';
import { lockFences } from './projecting/fence';
import { abandon, checkpoints, generationsIn, servingGenerations } from './projection-registry';
import type { Db } from './database/tables';

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
  // The head is read after the checkpoints, so that a growing log is never behind them.
  const head = await log.head();
  const ahead = reached.filter(({ position }) => isBeyond(log, position, head));
  return new Map(ahead.map(({ projection, generation }) => [projection, generation]));
};

/**
 * Drops projections of events that the log does not hold, because it lost its end (a restore, a failed disk) or is another log. Such a read model shows
 * orders that do not exist, and would skip new events at the positions of the lost ones.
 * @returns the projections to rebuild; ordinarily none, at the cost of one read of the checkpoints and one of the head
 * @throws StoreUnavailable; errors of the database
 */
export const abandonAheadOfLog = async (
  { database, log }: AheadContext,
  projections: readonly Projection[],
): Promise<readonly string[]> => {
  if ((await beyondLog(database.reads, log)).size === 0) return [];
  return database.registry.transaction().execute(async (transaction) => {
    await lockFences(transaction, 'note');
    const ahead = await beyondLog(transaction, log);
    const abandoned = projections.filter(({ name }) => ahead.has(name));
    const known = await checkpoints(transaction);
    for (const { name, table } of abandoned) {
      // What a rebuild is making was folded from the same lost end.
      for (const generation of generationsIn(known, name)) await abandon(transaction, name, generation, table(generation, false).tables);
    }
    return abandoned.map(({ name }) => name);
  });
};
