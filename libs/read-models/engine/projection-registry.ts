import type { UpdateResult } from 'kysely';
import { BrokenChain, StoreUnavailable, type Position, type StreamName } from '@app/event-store';
import type { Instant } from '@app/kernel';
import { CompiledOnce } from './compiled-once';
import { errorText, type Failure } from './faults';
import type { PartitionFence } from './projecting/partitions';
import type { Projection, ProjectionTable } from './projection';
import type { CheckpointRow, Db, ParkedRow } from './database/tables';

export interface Serving {
  readonly generation: number;
  readonly shape: number;
}

const SERVING_GENERATIONS = new CompiledOnce((db) => db.selectFrom('generations').select(['projection', 'generation', 'shape']));

export const servingGenerations = async (db: Db): Promise<ReadonlyMap<string, Serving>> => {
  const { rows } = await SERVING_GENERATIONS.run(db);
  return new Map(rows.map((row) => [row.projection, { generation: Number(row.generation), shape: Number(row.shape) }]));
};

const CHECKPOINTS = new CompiledOnce((db) => db.selectFrom('checkpoints').select(['projection', 'generation', 'partition', 'position']));

export const checkpoints = async (
  db: Db,
): Promise<readonly Pick<CheckpointRow, 'projection' | 'generation' | 'partition' | 'position'>[]> =>
  (await CHECKPOINTS.run(db)).rows.map((row) => ({ ...row, generation: Number(row.generation), partition: Number(row.partition) }));

export const generationsIn = (rows: readonly Pick<CheckpointRow, 'projection' | 'generation'>[], projection: string): readonly number[] => [
  ...new Set(rows.filter((row) => row.projection === projection).map(({ generation }) => generation)),
];

export const beginGeneration = async (
  db: Db,
  projection: string,
  generation: number,
  partitions: readonly PartitionFence[],
  now: Instant,
): Promise<void> => {
  await db
    .insertInto('checkpoints')
    .values(partitions.map(({ partition, epoch }) => ({ projection, generation, partition, position: null, applied_at: now, epoch })))
    .execute();
};

export interface Checkpoint {
  readonly projection: string;
  readonly generation: number;
  readonly from: Position | undefined;
}

type MovedValues = readonly [projection: string, generation: number, from: Position | null];

const moveCheckpointsOf = (
  count: number,
): CompiledOnce<UpdateResult, [to: Position, appliedAt: Instant, epoch: number, partition: number, ...unknown[]]> =>
  new CompiledOnce((db, to, appliedAt, epoch, partition, ...moved) =>
    db
      .updateTable('checkpoints')
      .set({ position: to, applied_at: appliedAt })
      .where('epoch', '=', epoch)
      .where('partition', '=', partition)
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

const MOVE_CHECKPOINTS = new Map<number, ReturnType<typeof moveCheckpointsOf>>();

/**
 * Each checkpoint moves only from its expected position, even if a server lost its latest commits. Otherwise rows could be stored on top of
 * missing ones.
 * @throws StoreUnavailable
 */
export const moveCheckpoints = async (
  db: Db,
  moved: readonly Checkpoint[],
  { to, partition, epoch }: Pick<PartitionFence, 'partition' | 'epoch'> & { readonly to: Position },
  now: Instant,
): Promise<void> => {
  if (moved.length === 0) return;
  const statement = MOVE_CHECKPOINTS.get(moved.length) ?? moveCheckpointsOf(moved.length);
  MOVE_CHECKPOINTS.set(moved.length, statement);
  const values = moved.flatMap(({ projection, generation, from }): MovedValues => [projection, generation, from ?? null]);
  const { numAffectedRows } = await statement.run(db, to, now, epoch, partition, ...values);
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
  for (const table of ['checkpoints', 'parked'] as const) {
    await db.deleteFrom(table).where('projection', '=', projection).where('generation', '=', generation).execute();
  }
};

/** Removes a generation with its tables. The projection then counts as never built. */
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
  readonly positions: readonly (Position | undefined)[];
  /** The oldest time of the last checkpoint move among the partitions. */
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

export const projectionStates = async (db: Db): Promise<ReadonlyMap<string, ProjectionState>> => {
  const states = new Map<string, ProjectionState>();
  for (const row of (await PROJECTION_STATES.run(db)).rows) {
    const position = row.position === null ? undefined : (row.position as Position);
    const before = states.get(row.projection);
    states.set(row.projection, {
      generation: Number(row.generation),
      shape: Number(row.shape),
      positions: [...(before?.positions ?? []), position],
      appliedAt: Math.min(Number(row.applied_at), before?.appliedAt ?? Infinity) as Instant,
      parkedStreams: Number(row.parked_streams),
    });
  }
  return states;
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

/** Of the serving generations. Broken chains come first, so that other parked streams cannot hide one; then oldest first. */
export const parkedRows = (db: Db, limit: number): Promise<ParkedRow[]> =>
  db
    .selectFrom('parked')
    .innerJoin('generations', (join) =>
      join.onRef('generations.projection', '=', 'parked.projection').onRef('generations.generation', '=', 'parked.generation'),
    )
    .select(PARKED_COLUMNS)
    .orderBy((eb) => eb('parked.error', 'like', `${BrokenChain.name}:%`), 'desc')
    .orderBy('parked.parked_at')
    .orderBy('parked.stream')
    .limit(limit)
    .execute();
