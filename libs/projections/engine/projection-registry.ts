import { StoreUnavailable, type Position, type StreamName } from '@app/event-store';
import type { Instant } from '@app/kernel';
import { errorText, type Failure } from './faults';
import type { Projection, ProjectionTable } from './projection';
import type { CheckpointRow, Db, ParkedRow } from './database/tables';

const FENCE = 'read-model';

export interface Fence {
  readonly epoch: number;
  readonly changes: number;
}

/**
 * Must be the first statement of every writing transaction: it takes the write lock before any read, so that no read is outdated at the commit.
 * `claim` raises the epoch, `note` makes the projector reload the registry.
 */
export const lockFence = async (transaction: Db, purpose: 'write' | 'claim' | 'note' = 'write'): Promise<Fence> => {
  const row = await transaction
    .updateTable('fence')
    .set(({ eb }) => ({
      epoch: eb('epoch', '+', purpose === 'claim' ? 1 : 0),
      changes: eb('changes', '+', purpose === 'note' ? 1 : 0),
    }))
    .where('name', '=', FENCE)
    .returning(['epoch', 'changes'])
    .executeTakeFirstOrThrow();
  return { epoch: Number(row.epoch), changes: Number(row.changes) };
};

/** Allows only the projector of this epoch to move the checkpoints. */
export const stampEpoch = async (db: Db, epoch: number): Promise<void> => {
  await db.updateTable('checkpoints').set({ epoch }).execute();
};

/** Another process has claimed these tables since; of two projectors the later one continues (safety, F22). */
export class FencedOut extends StoreUnavailable {}

/** @throws FencedOut */
export const assertEpoch = ({ epoch }: Fence, own: number): void => {
  if (epoch !== own) throw new FencedOut(`another process projects: its epoch is ${epoch}, this one's ${own}`);
};

export interface Serving {
  readonly generation: number;
  readonly shape: number;
}

export const servingGenerations = async (db: Db): Promise<ReadonlyMap<string, Serving>> => {
  const rows = await db.selectFrom('generations').select(['projection', 'generation', 'shape']).execute();
  return new Map(rows.map((row) => [row.projection, { generation: Number(row.generation), shape: Number(row.shape) }]));
};

/** Checkpoints of every generation with tables: the serving one, and remains of an interrupted rebuild. */
export const checkpoints = (db: Db): Promise<Pick<CheckpointRow, 'projection' | 'generation' | 'position'>[]> =>
  db.selectFrom('checkpoints').select(['projection', 'generation', 'position']).execute();

/** Records a new, empty generation that does not serve yet. */
export const beginGeneration = async (db: Db, projection: string, generation: number, { epoch }: Fence, now: Instant): Promise<void> => {
  await db.insertInto('checkpoints').values({ projection, generation, position: null, applied_at: now, epoch }).execute();
};

/** A checkpoint and the position that the caller expects it to have. */
export interface Checkpoint {
  readonly projection: string;
  readonly generation: number;
  readonly from: Position | undefined;
}

/**
 * Moves checkpoints in the transaction of the rows, each only from its expected position, so that rows which were folded onto other rows than the
 * table holds are never stored, also after a server lost its newest commits.
 * @throws StoreUnavailable
 */
export const moveCheckpoints = async (
  db: Db,
  moved: readonly Checkpoint[],
  { to, epoch }: { readonly to: Position; readonly epoch: number },
  now: Instant,
): Promise<void> => {
  if (moved.length === 0) return;
  const { numUpdatedRows } = await db
    .updateTable('checkpoints')
    .set({ position: to, applied_at: now })
    .where('epoch', '=', epoch)
    .where((where) =>
      where.or(
        moved.map(({ projection, generation, from }) =>
          where.and([
            where('projection', '=', projection),
            where('generation', '=', generation),
            where('position', 'is not distinct from', from ?? null),
          ]),
        ),
      ),
    )
    .executeTakeFirstOrThrow();
  if (numUpdatedRows === BigInt(moved.length)) return;
  const names = moved.map(({ projection, generation }) => `${projection} (generation ${generation})`).join(', ');
  throw new StoreUnavailable(`another process moved a checkpoint of ${names}`);
};

export const switchTo = async (db: Db, { name, shape }: Projection, generation: number): Promise<void> => {
  await db
    .insertInto('generations')
    .values({ projection: name, generation, shape })
    .onConflict((conflict) => conflict.column('projection').doUpdateSet({ generation, shape }))
    .execute();
};

export const dropGeneration = async (db: Db, projection: string, generation: number, tables: ProjectionTable['tables']): Promise<void> => {
  for (const table of tables) await db.schema.dropTable(table).ifExists().execute();
  for (const table of ['checkpoints', 'parked'] as const) {
    await db.deleteFrom(table).where('projection', '=', projection).where('generation', '=', generation).execute();
  }
};

/** Removes a generation with its tables, so that it answers nothing and is built as if it had never existed. */
export const abandon = async (db: Db, projection: string, generation: number, tables: ProjectionTable['tables']): Promise<void> => {
  await db.deleteFrom('generations').where('projection', '=', projection).where('generation', '=', generation).execute();
  await dropGeneration(db, projection, generation, tables);
};

export const park = async (db: Db, projection: string, generation: number, failures: readonly Failure[], now: Instant): Promise<void> => {
  for (const { event, error } of failures) {
    const text = errorText(error);
    const row: ParkedRow = {
      projection,
      generation,
      stream: event.stream,
      revision: Number(event.revision),
      event_id: event.id,
      error: text,
      parked_at: now,
    };
    await db
      .insertInto('parked')
      .values(row)
      .onConflict((conflict) =>
        conflict
          .columns(['projection', 'generation', 'stream'])
          .doUpdateSet({ revision: row.revision, event_id: row.event_id, error: text, parked_at: now }),
      )
      .execute();
  }
};

export const parkedStreams = async (db: Db, projection: string, generation: number): Promise<Map<StreamName, bigint>> => {
  const rows = await db
    .selectFrom('parked')
    .select(['stream', 'revision'])
    .where('projection', '=', projection)
    .where('generation', '=', generation)
    .execute();
  return new Map(rows.map(({ stream, revision }) => [stream as StreamName, BigInt(revision)]));
};

export const unpark = async (db: Db, projection: string, generation: number, stream: StreamName): Promise<void> => {
  await db
    .deleteFrom('parked')
    .where('projection', '=', projection)
    .where('generation', '=', generation)
    .where('stream', '=', stream)
    .execute();
};

export interface ProjectionState extends Serving {
  readonly position: Position | undefined;
  readonly appliedAt: Instant;
  readonly parkedStreams: number;
}

/** States of the serving generations, by projection. */
export const projectionStates = async (db: Db): Promise<ReadonlyMap<string, ProjectionState>> => {
  const rows = await db
    .selectFrom('generations')
    .innerJoin('checkpoints', (join) =>
      join.onRef('checkpoints.projection', '=', 'generations.projection').onRef('checkpoints.generation', '=', 'generations.generation'),
    )
    .select((query) => [
      'generations.projection',
      'generations.generation',
      'generations.shape',
      'checkpoints.position',
      'checkpoints.applied_at',
      query
        .selectFrom('parked')
        .select(query.fn.countAll<number>().as('count'))
        .whereRef('parked.projection', '=', 'generations.projection')
        .whereRef('parked.generation', '=', 'generations.generation')
        .as('parked_streams'),
    ])
    .execute();
  return new Map(
    rows.map((row) => [
      row.projection,
      {
        generation: Number(row.generation),
        shape: Number(row.shape),
        position: row.position === null ? undefined : (row.position as Position),
        appliedAt: Number(row.applied_at) as Instant,
        parkedStreams: Number(row.parked_streams),
      },
    ]),
  );
};

const PARKED_COLUMNS = [
  'parked.projection',
  'parked.generation',
  'parked.stream',
  'parked.revision',
  'parked.event_id',
  'parked.error',
  'parked.parked_at',
] as const;

/** Parked streams of the serving generations, oldest first. */
export const parkedRows = (db: Db, limit: number): Promise<ParkedRow[]> =>
  db
    .selectFrom('parked')
    .innerJoin('generations', (join) =>
      join.onRef('generations.projection', '=', 'parked.projection').onRef('generations.generation', '=', 'parked.generation'),
    )
    .select(PARKED_COLUMNS)
    .orderBy('parked.parked_at')
    .orderBy('parked.stream')
    .limit(limit)
    .execute();
