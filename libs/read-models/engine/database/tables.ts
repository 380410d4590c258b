import type { Kysely } from 'kysely';

/** Instants are ms since the epoch. */
export interface FenceRow {
  readonly name: string;
  /** Only the projector with the highest epoch may write. */
  readonly epoch: number;
  /** Incremented when the serving generations or parked streams change other than by the projector's own batches. */
  readonly changes: number;
}

interface GenerationRow {
  readonly projection: string;
  /** The generation that serves. */
  readonly generation: number;
  /** Version of view and table; a difference from the code's version requires a rebuild. */
  readonly shape: number;
}

export interface CheckpointRow {
  readonly projection: string;
  readonly generation: number;
  /** Each partition of the streams has a checkpoint of its own. */
  readonly partition: number;
  /** All events of the partition up to here are in the table; null before the first event. */
  readonly position: string | null;
  readonly applied_at: number;
  /** Epoch of the projector that may move it. */
  readonly epoch: number;
}

export interface ParkedRow {
  readonly projection: string;
  readonly generation: number;
  readonly stream: string;
  /** The first event that was not applied. */
  readonly revision: number;
  readonly event_id: string;
  readonly error: string;
  readonly parked_at: number;
}

/** The fold of one stream. */
export interface FoldedRow {
  readonly stream: string;
  readonly revision: number;
  /** JSON. */
  readonly view: string;
  /** Checksum over all other columns. */
  readonly checksum: number;
}

interface OrderStatusRow extends FoldedRow {
  readonly merchant: string;
  readonly kind: string;
  readonly client_order_id: string;
  readonly order_id: string;
  readonly status: string;
  readonly created_at: number;
  readonly updated_at: number;
  readonly final_at: number | null;
  /** Count of unknown outcomes; an order with any is in the operator's list. */
  readonly unknown_outcomes: number;
}

/** What lists of orders are found by, beside each row of `order-status`. */
interface OrderListRow {
  readonly created_at: number;
  readonly stream: string;
  readonly updated_at: number;
  readonly merchant: string;
  readonly endpoint_id: string;
  readonly kind: string;
  readonly operation: string;
  readonly status: string;
  readonly stage: string;
  readonly currency: string;
  readonly amount_minor: number;
  readonly gate: string | null;
  readonly code: number | null;
  /** 1 or 0. */
  readonly is_usual: number;
}

/** The key combines an identifier and a stream (`order-search`), or a place in one (`mentions`). */
interface EntryRow {
  readonly key: string;
}

interface CardReferenceRow extends FoldedRow {
  readonly merchant: string;
  readonly card_ref_id: string;
  readonly card_uid: string;
  readonly card_use: string;
  readonly issued_at: number;
}

export interface GateAttemptsRow extends FoldedRow {
  readonly accepted_at: number;
  /** The time of the order's newest event. */
  readonly touched_at: number;
}

interface ReconciliationCaseRow extends FoldedRow {
  readonly gate: string;
  readonly kind: string;
  readonly opened_at: number;
  /** 1 or 0. */
  readonly is_open: number;
}

export interface OpenWorkRow {
  readonly key: string;
  readonly stream: string;
  readonly task: string;
  readonly due_at: number;
  readonly merchant: string;
  readonly lane: string;
}

export interface LaneRow {
  readonly lane: string;
  readonly due_at: number;
}

/** A table of a read model carries its generation in its name (architecture, rule 15). */
export interface ReadModelTables {
  fence: FenceRow;
  generations: GenerationRow;
  checkpoints: CheckpointRow;
  parked: ParkedRow;
  [orderStatus: `order_status_g${number}`]: OrderStatusRow;
  [orderList: `order_status_g${number}_list`]: OrderListRow;
  [orderSearch: `order_search_g${number}`]: EntryRow;
  [mentions: `mentions_g${number}`]: EntryRow;
  [cardReference: `card_reference_g${number}`]: CardReferenceRow;
  [gateAttempts: `gate_attempts_g${number}`]: GateAttemptsRow;
  [reconciliationCases: `reconciliation_cases_g${number}`]: ReconciliationCaseRow;
  [openWork: `open_work_${string}_g${number}`]: OpenWorkRow;
  [lanes: `open_work_${string}_g${number}_lanes`]: LaneRow;
}

/** A connection pool or a transaction. */
export type Db = Kysely<ReadModelTables>;

/** Runs a compiled statement. */
export type Connection = Pick<Db, 'executeQuery' | 'getExecutor'>;

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
