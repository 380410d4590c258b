import { crc32 } from 'node:zlib';
import { type StoredEvent, StoreUnavailable, type Position } from '@app/event-store';
import { CompiledOnce } from '../compiled-once';
import type { Db, FenceRow } from '../database/tables';
import { isPostgres } from '../rebuild/bulk-statements';

/** A share of the log's streams. One process writes its rows. */
export interface Partition {
  readonly number: number;
  readonly of: number;
}

export const WHOLE: Partition = { number: 1, of: 1 };

/**
 * Returns the stream that selects an event's partition. Streams that write the same row must share a key, so that log
 * order is kept. If undefined, every partition processes the event.
 */
export type PartitionKey = (stored: Pick<StoredEvent, 'stream' | 'data'>) => string | undefined;

export const byOwnStream: PartitionKey = ({ stream }) => stream;

export const partitionOf = (key: string, of: number): number => (crc32(key) % of) + 1;

export const isOfPartition = ({ number, of }: Partition, key: string | undefined): boolean =>
  of === 1 || key === undefined || partitionOf(key, of) === number;

const FENCE = 'read-model';
const PARTITION_FENCE = 'partition:';

export interface Fence {
  readonly epoch: number;
  readonly changes: number;
}

const fenceOf = ({ number, of }: Partition): string => (of === 1 ? FENCE : `${PARTITION_FENCE}${number}`);

const LOCK_FENCE = new CompiledOnce((db, epochs: number, changes: number, name: string) =>
  db
    .updateTable('fence')
    .set(({ eb }) => ({ epoch: eb('epoch', '+', epochs), changes: eb('changes', '+', changes) }))
    .where('name', '=', name)
    .returning(['epoch', 'changes']),
);

/**
 * Must be the first statement of every transaction that writes a partition's rows. It takes the write lock before any
 * read, so no read is outdated at commit. `claim` raises the epoch; `note` makes the projector reload the registry.
 * @throws FencedOut if the partition no longer exists
 */
export const lockFence = async (
  transaction: Db,
  purpose: 'write' | 'claim' | 'note' = 'write',
  partition: Partition = WHOLE,
): Promise<Fence> => {
  const { rows } = await LOCK_FENCE.run(transaction, purpose === 'claim' ? 1 : 0, purpose === 'note' ? 1 : 0, fenceOf(partition));
  const [row] = rows;
  if (row !== undefined) return { epoch: Number(row.epoch), changes: Number(row.changes) };
  if (partition.of === 1) throw new Error('the registry has no fence');
  throw new FencedOut(`the read models have no partition ${partition.number} by now`);
};

export interface PartitionFence extends Fence {
  readonly partition: number;
}

/** Without partitions, the whole log is one. */
const partitionsIn = (fences: readonly FenceRow[]): readonly PartitionFence[] => {
  const parts = fences.filter(({ name }) => name.startsWith(PARTITION_FENCE));
  const own = parts.length > 0 ? parts : fences.filter(({ name }) => name === FENCE);
  return own.map(({ name, epoch, changes }) => ({
    partition: name === FENCE ? WHOLE.number : Number(name.slice(PARTITION_FENCE.length)),
    epoch: Number(epoch),
    changes: Number(changes),
  }));
};

const LOCK_FENCES = new CompiledOnce((db, changes: number) =>
  db
    .updateTable('fence')
    .set(({ eb }) => ({ changes: eb('changes', '+', changes) }))
    .where((where) => where.or([where('name', '=', FENCE), where('name', 'like', `${PARTITION_FENCE}%`)]))
    .returning(['name', 'epoch', 'changes']),
);

/**
 * Locks all partitions, for changes of generations or of rows in any partition. Must also be the first statement:
 * upgrading from one partition's lock could deadlock.
 * @returns the fences of all partitions, one at least
 */
export const lockFences = async (transaction: Db, purpose: 'write' | 'note' = 'write'): Promise<readonly PartitionFence[]> => {
  // PostgreSQL may lock the rows of one statement in any order, so two such statements could deadlock.
  if (isPostgres(transaction)) await lockFence(transaction);
  return partitionsIn((await LOCK_FENCES.run(transaction, purpose === 'note' ? 1 : 0)).rows);
};

const FENCES = new CompiledOnce((db) => db.selectFrom('fence').select(['name', 'epoch', 'changes']));

export const partitionFences = async (db: Db): Promise<readonly PartitionFence[]> => partitionsIn((await FENCES.run(db)).rows);

const STAMP_EPOCH = new CompiledOnce((db, epoch: number, partition: number) =>
  db.updateTable('checkpoints').set({ epoch }).where('partition', '=', partition),
);

export const stampEpoch = async (db: Db, epoch: number, { number }: Partition): Promise<void> => {
  await STAMP_EPOCH.run(db, epoch, number);
};

/** Another process has claimed these tables. Of two projectors the later one continues (safety, F22). */
export class FencedOut extends StoreUnavailable {}

/** @throws FencedOut */
export const assertEpoch = ({ epoch }: Fence, own: number): void => {
  if (epoch !== own) throw new FencedOut(`another process projects: its epoch is ${epoch}, this one's ${own}`);
};

/**
 * Changes the partition count if it differs, and fences out all current projectors. Each partition resumes at the
 * lowest checkpoint; events applied again do not change order rows. Finished work items may be opened again.
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
  // The change count continues from the whole log's, so that a count remembered from an earlier division differs.
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

export const leastOf = (
  positions: readonly (Position | undefined)[],
  compare: (a: Position, b: Position) => number,
): Position | undefined => {
  const [first, ...others] = positions;
  return others.reduce((a, b) => (a === undefined || b === undefined ? undefined : compare(a, b) <= 0 ? a : b), first);
};
