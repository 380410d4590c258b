import { StoreUnavailable, type Position, type StreamName } from '@app/event-store';
import type { Instant } from '@app/kernel';
import type { UpdateResult } from 'kysely';
import { CompiledOnce } from './compiled-once';
import { errorText, type Failure } from './faults';
import type { Projection, ProjectionTable } from './projection';
import type { CheckpointRow, Db, ParkedRow, ReplayRow } from './database/tables';

const FENCE = 'read-model';

export interface Fence {
  readonly epoch: number;
  readonly changes: number;
}

const LOCK_FENCE = new CompiledOnce((db, epochs: number, changes: number) =>
  db
    .updateTable('fence')
    .set(({ eb }) => ({ epoch: eb('epoch', '+', epochs), changes: eb('changes', '+', changes) }))
    .where('name', '=', FENCE)
    .returning(['epoch', 'changes']),
);

/**
 * Must be the first statement of every writing transaction: it takes the write lock before any read, so that no read is outdated at the commit.
 * `claim` raises the epoch, `note` makes the projector reload the registry.
 */
export const lockFence = async (transaction: Db, purpose: 'write' | 'claim' | 'note' = 'write'): Promise<Fence> => {
  const { rows } = await LOCK_FENCE.run(transaction, purpose === 'claim' ? 1 : 0, purpose === 'note' ? 1 : 0);
  const [row] = rows;
  if (row === undefined) throw new Error('the registry has no fence');
  return { epoch: Number(row.epoch), changes: Number(row.changes) };
};

const STAMP_EPOCH = new CompiledOnce((db, epoch: number) => db.updateTable('checkpoints').set({ epoch }));

/** Allows only the projector of this epoch to move the checkpoints. */
export const stampEpoch = async (db: Db, epoch: number): Promise<void> => {
  await STAMP_EPOCH.run(db, epoch);
};

const FOLLOWS_KEPT = 'follows-kept';

const STAMP_FOLLOWER = new CompiledOnce((db, epoch: number) => db.updateTable('fence').set({ epoch }).where('name', '=', FOLLOWS_KEPT));

/** Says that the projector of this epoch follows the log in generations that are kept, too. */
export const stampFollower = async (db: Db, epoch: number): Promise<void> => {
  await STAMP_FOLLOWER.run(db, epoch);
};

/** Whether the projector that claimed last follows kept generations; true where there was none yet. */
export const isKeptFollowed = async (db: Db): Promise<boolean> => {
  const rows = await db.selectFrom('fence').select(['name', 'epoch']).execute();
  const epochOf = (name: string): number => Number(rows.find((row) => row.name === name)?.epoch ?? 0);
  return epochOf(FENCE) === 0 || epochOf(FOLLOWS_KEPT) === epochOf(FENCE);
};

const REPLAYS = new CompiledOnce((db) => db.selectFrom('replays').select(['projection', 'generation', 'shape', 'state']));

/** Generations that a replay builds, or keeps. */
export const replayed = async (db: Db): Promise<readonly ReplayRow[]> =>
  (await REPLAYS.run(db)).rows.map((row) => ({ ...row, generation: Number(row.generation), shape: Number(row.shape) }));

export const noteReplay = async (db: Db, row: ReplayRow): Promise<void> => {
  await db
    .insertInto('replays')
    .values(row)
    .onConflict((conflict) => conflict.columns(['projection', 'generation']).doUpdateSet({ state: row.state, shape: row.shape }))
    .execute();
};

export const forgetReplay = async (db: Db, projection: string, generation: number): Promise<void> => {
  await db.deleteFrom('replays').where('projection', '=', projection).where('generation', '=', generation).execute();
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

const SERVING_GENERATIONS = new CompiledOnce((db) => db.selectFrom('generations').select(['projection', 'generation', 'shape']));

export const servingGenerations = async (db: Db): Promise<ReadonlyMap<string, Serving>> => {
  const { rows } = await SERVING_GENERATIONS.run(db);
  return new Map(rows.map((row) => [row.projection, { generation: Number(row.generation), shape: Number(row.shape) }]));
};

const CHECKPOINTS = new CompiledOnce((db) => db.selectFrom('checkpoints').select(['projection', 'generation', 'position']));

/** Checkpoints of every generation with tables: the serving one, and remains of an interrupted rebuild. */
export const checkpoints = async (db: Db): Promise<readonly Pick<CheckpointRow, 'projection' | 'generation' | 'position'>[]> =>
  (await CHECKPOINTS.run(db)).rows;

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

/** The values of one checkpoint in the statement that moves several. */
type MovedValues = readonly [projection: string, generation: number, from: Position | null];

const moveCheckpointsOf = (count: number): CompiledOnce<UpdateResult, [to: Position, appliedAt: Instant, epoch: number, ...unknown[]]> =>
  new CompiledOnce((db, to, appliedAt, epoch, ...moved) =>
    db
      .updateTable('checkpoints')
      .set({ position: to, applied_at: appliedAt })
      .where('epoch', '=', epoch)
      .where((where) =>
        where.or(
          Array.from({ length: count }, (_, at) => {
            const [projection, generation, from] = moved.slice(at * 3, at * 3 + 3) as unknown as MovedValues;
            return where.and([
              where('projection', '=', projection),
              where('generation', '=', generation),
              where('position', 'is not distinct from', from),
            ]);
          }),
        ),
      ),
  );

/** By the count of checkpoints, of which there are as many as projections. */
const MOVE_CHECKPOINTS = new Map<number, ReturnType<typeof moveCheckpointsOf>>();

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
  const statement = MOVE_CHECKPOINTS.get(moved.length) ?? moveCheckpointsOf(moved.length);
  MOVE_CHECKPOINTS.set(moved.length, statement);
  const values = moved.flatMap(({ projection, generation, from }): MovedValues => [projection, generation, from ?? null]);
  const { numAffectedRows } = await statement.run(db, to, now, epoch, ...values);
  if (numAffectedRows === BigInt(moved.length)) return;
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
  for (const table of ['checkpoints', 'parked', 'replays'] as const) {
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

const PARKED_STREAMS = new CompiledOnce((db, projection: string, generation: number) =>
  db.selectFrom('parked').select(['stream', 'revision']).where('projection', '=', projection).where('generation', '=', generation),
);

export const parkedStreams = async (db: Db, projection: string, generation: number): Promise<Map<StreamName, bigint>> => {
  const { rows } = await PARKED_STREAMS.run(db, projection, generation);
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

const PROJECTION_STATES = new CompiledOnce((db) =>
  db
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
    ]),
);

/** States of the serving generations, by projection. */
export const projectionStates = async (db: Db): Promise<ReadonlyMap<string, ProjectionState>> => {
  const { rows } = await PROJECTION_STATES.run(db);
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
