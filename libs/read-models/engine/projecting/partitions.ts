import { crc32 } from 'node:zlib';
import { type StoredEvent, StoreUnavailable, type Position } from '@app/event-store';
import { CompiledOnce } from '../compiled-once';
import type { Db, FenceRow } from '../database/tables';
import { isPostgres } from '../rebuild/bulk-statements';

/** A part of the log's streams, the `number`-th `of` so many, whose rows one process writes. */
export interface Partition {
  /** From 1. */
  readonly number: number;
  readonly of: number;
}

export const WHOLE: Partition = { number: 1, of: 1 };

/**
 * The stream by which an event's partition is chosen: its own, or the one whose rows it changes. What two streams write into one row has one key, so that it
 * is written in the order of the log. Undefined where the event does not tell; each partition takes it then.
 */
export type PartitionKey = (stored: Pick<StoredEvent, 'stream' | 'data'>) => string | undefined;

export const byOwnStream: PartitionKey = ({ stream }) => stream;

/** The number of a key's partition, which stays the same for the same count. */
export const partitionOf = (key: string, of: number): number => (crc32(key) % of) + 1;

/** Whether the events of this key are projected by whoever has the partition. */
export const isOfPartition = ({ number, of }: Partition, key: string | undefined): boolean =>
  of === 1 || key === undefined || partitionOf(key, of) === number;

const FENCE = 'read-model';
/** Before the number of a partition, in the name of its fence. */
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
 * Must be the first statement of every transaction that writes rows of a partition: it takes the write lock before any read, so that no read is outdated at
 * the commit. `claim` raises the epoch, `note` makes the projector reload the registry.
 * @throws FencedOut where there is no such partition any more
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

/** The fence of one of the parts into which the read models are projected. */
export interface PartitionFence extends Fence {
  readonly partition: number;
}

/** Where there are no partitions, the whole is one. */
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
 * As `lockFence`, for what changes generations, or rows of any partition: no partition writes until it ends. It must be the first statement too: whoever
 * holds one partition's fence and asks for all could wait for another that does the same.
 * @returns the fences of all partitions, one at least
 */
export const lockFences = async (transaction: Db, purpose: 'write' | 'note' = 'write'): Promise<readonly PartitionFence[]> => {
  // A server locks the rows of one statement in any order, so that two of these could wait for each other.
  if (isPostgres(transaction)) await lockFence(transaction);
  return partitionsIn((await LOCK_FENCES.run(transaction, purpose === 'note' ? 1 : 0)).rows);
};

const FENCES = new CompiledOnce((db) => db.selectFrom('fence').select(['name', 'epoch', 'changes']));

/** As `lockFences` returns them, without a lock. */
export const partitionFences = async (db: Db): Promise<readonly PartitionFence[]> => partitionsIn((await FENCES.run(db)).rows);

const STAMP_EPOCH = new CompiledOnce((db, epoch: number, partition: number) =>
  db.updateTable('checkpoints').set({ epoch }).where('partition', '=', partition),
);

/** Allows only the projector of this epoch to move the partition's checkpoints. */
export const stampEpoch = async (db: Db, epoch: number, { number }: Partition): Promise<void> => {
  await STAMP_EPOCH.run(db, epoch, number);
};

/** Another process has claimed these tables since; of two projectors the later one continues (safety, F22). */
export class FencedOut extends StoreUnavailable {}

/** @throws FencedOut */
export const assertEpoch = ({ epoch }: Fence, own: number): void => {
  if (epoch !== own) throw new FencedOut(`another process projects: its epoch is ${epoch}, this one's ${own}`);
};

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
