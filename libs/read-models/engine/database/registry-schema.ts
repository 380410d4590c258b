/**
 * Migrations of the projection registry, the same on SQLite and PostgreSQL. The tables of the projections themselves are created with each generation.
 * Files of the first release contain the first step without having counted it.
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
  // Made the table that the last step drops.
  `select 1`,
  // A column of a primary key cannot be added to a table of SQLite.
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
