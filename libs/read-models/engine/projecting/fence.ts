import { StoreUnavailable } from '@app/event-store';
import { CompiledOnce } from '../compiled-once';
import type { Db, FenceRow } from '../database/tables';
import { isPostgres } from '../rebuild/bulk-statements';
import { WHOLE, type Partition } from './partition';

const FENCE = 'read-model';
/** Before the number of a partition, in the name of its fence. */
export const PARTITION_FENCE = 'partition:';

export interface Fence {
  readonly epoch: number;
  readonly changes: number;
}

export const fenceOf = ({ number, of }: Partition): string => (of === 1 ? FENCE : `${PARTITION_FENCE}${number}`);

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
