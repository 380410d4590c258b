import type { Kysely } from 'kysely';

/** Instants are ms since the epoch. */
export interface FenceRow {
  readonly name: string;
  readonly epoch: number;
  /** Incremented when serving generations or parked streams change, except by the projector's batches. */
  readonly changes: number;
}

interface GenerationRow {
  readonly projection: string;
  readonly generation: number;
  /** Version of view and table. If it differs from the code's version, a rebuild is required. */
  readonly shape: number;
}

export interface CheckpointRow {
  readonly projection: string;
  readonly generation: number;
  readonly partition: number;
  readonly position: string | null;
  readonly applied_at: number;
  readonly epoch: number;
}

export interface ParkedRow {
  readonly projection: string;
  readonly generation: number;
  readonly stream: string;
  readonly revision: number;
  readonly event_id: string;
  readonly error: string;
  readonly parked_at: number;
}

export interface FoldedRow {
  readonly stream: string;
  readonly revision: number;
  readonly view: string;
  readonly checksum: number;
}

/** The registry. The projections' tables are described where they are made; their names contain the generation (architecture, rule 15). */
export interface ReadModelTables {
  fence: FenceRow;
  generations: GenerationRow;
  checkpoints: CheckpointRow;
  parked: ParkedRow;
}

export type Db = Kysely<ReadModelTables>;

export type Connection = Pick<Db, 'executeQuery' | 'getExecutor'>;

/**
 * Migrations of the projection registry for SQLite and PostgreSQL. Each generation creates its own projection tables.
 * First-release files contain the first step without a migration count.
 */
export const REGISTRY_SCHEMA: readonly string[] = [
  `create table if not exists fence (name text primary key, epoch bigint not null, changes bigint not null);
   create table if not exists generations (projection text primary key, generation bigint not null, shape bigint not null);
   create table if not exists checkpoints (
     projection text not null, generation bigint not null, position text, applied_at bigint not null,
     constraint checkpoints_key primary key (projection, generation));
   create table if not exists parked (
     projection text not null, generation bigint not null, stream text not null, revision bigint not null, event_id text not null,
     error text not null, parked_at bigint not null,
     constraint parked_key primary key (projection, generation, stream));
   insert into fence (name, epoch, changes) values ('read-model', 0, 0) on conflict (name) do nothing`,
  `alter table checkpoints add column epoch bigint not null default 0;
   update checkpoints set epoch = (select epoch from fence where name = 'read-model')`,
  // Created the table that the last step drops.
  `select 1`,
  // SQLite cannot add a primary-key column to an existing table.
  `create table checkpoints_by_partition (
     projection text not null, generation bigint not null, partition bigint not null default 1, position text, applied_at bigint not null,
     epoch bigint not null default 0,
     constraint checkpoints_by_partition_key primary key (projection, generation, partition));
   insert into checkpoints_by_partition (projection, generation, position, applied_at, epoch)
     select projection, generation, position, applied_at, epoch from checkpoints;
   drop table checkpoints;
   alter table checkpoints_by_partition rename to checkpoints`,
  `drop table if exists replays;
   delete from fence where name = 'follows-kept'`,
];
