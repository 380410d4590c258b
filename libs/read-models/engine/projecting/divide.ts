import type { Position } from '@app/event-store';
import type { Db } from '../database/tables';
import { fenceOf, lockFence, lockFences, PARTITION_FENCE } from './fence';

/**
 * Divides the streams into so many partitions, where they are divided otherwise, and fences out all that project now. Each partition goes on where the one
 * stood that had come least far, and folds again what others had folded already, which changes no row of an order; work that was done since is looked at
 * once more.
 * @param compare the order of the log
 */
export const divideInto = async (db: Db, of: number, compare: (a: Position, b: Position) => number): Promise<void> => {
  const before = await lockFences(db, 'note');
  if (before.length === of) return;
  const { epoch: whole, changes } = await lockFence(db, 'claim');
  const epoch = Math.max(whole, ...before.map((one) => one.epoch)) + 1;
  const rows = await db.selectFrom('checkpoints').selectAll().execute();
  await db.deleteFrom('fence').where('name', 'like', `${PARTITION_FENCE}%`).execute();
  await db.deleteFrom('checkpoints').execute();
  const numbers = Array.from({ length: of }, (_, at) => at + 1);
  // The count goes on from that of the whole: who remembers a former division must not take its count for this one's.
  if (of > 1) await db.insertInto('fence').values(numbers.map((number) => ({ name: fenceOf({ number, of }), epoch, changes }))).execute(); // prettier-ignore
  for (const { projection, generation, position: _, ...row } of rows.filter(
    ({ partition }) => Number(partition) === before[0]?.partition,
  )) {
    const reached = rows
      .filter((one) => one.projection === projection && Number(one.generation) === Number(generation))
      .map(({ position }) => (position === null ? undefined : (position as Position)));
    const position = leastOf(reached, compare) ?? null;
    const own = of === 1 ? whole : epoch;
    await db.insertInto('checkpoints').values(numbers.map((partition) => ({ ...row, projection, generation, position, partition, epoch: own }))).execute(); // prettier-ignore
  }
};

/** The least of several positions; undefined where one is. */
export const leastOf = (
  positions: readonly (Position | undefined)[],
  compare: (a: Position, b: Position) => number,
): Position | undefined => {
  const [first, ...others] = positions;
  return others.reduce((a, b) => (a === undefined || b === undefined ? undefined : compare(a, b) <= 0 ? a : b), first);
};
