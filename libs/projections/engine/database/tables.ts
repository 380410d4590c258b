import type { Kysely } from 'kysely';

/** Instants are ms since the epoch. */
export interface FenceRow {
  readonly name: string;
  /** The projector with the highest one may write. */
  readonly epoch: number;
  /** Goes up when somebody else than the projector changes what serves: a switch, a stream taken up again. */
  readonly changes: number;
}

export interface GenerationRow {
  readonly projection: string;
  /** The generation that serves. */
  readonly generation: number;
  /** Version of the view's and table's shape; another than the code's asks for a rebuild. */
  readonly shape: number;
}

export interface CheckpointRow {
  readonly projection: string;
  readonly generation: number;
  /** All up to here is in the table; null before the first event. */
  readonly position: string | null;
  readonly applied_at: number;
  /** Of the projector that may move it. */
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

/** One row a stream, folded from it. */
export interface FoldedRow {
  readonly stream: string;
  readonly revision: number;
  /** JSON. */
  readonly view: string;
  /** Over all the other columns. */
  readonly checksum: number;
}

export interface OrderStatusRow extends FoldedRow {
  readonly merchant: string;
  readonly kind: string;
  readonly client_order_id: string;
  readonly order_id: string;
  readonly status: string;
  readonly created_at: number;
  readonly updated_at: number;
  readonly final_at: number | null;
  /** How many; above 0 it is in the operator's list. */
  readonly unknown_outcomes: number;
}

/** An identifier and a stream in one key (`order-search`). */
export interface OrderSearchRow {
  readonly key: string;
}

export interface CardReferenceRow extends FoldedRow {
  readonly merchant: string;
  readonly card_ref_id: string;
  readonly card_uid: string;
  readonly card_use: string;
  readonly issued_at: number;
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
  [orderSearch: `order_search_g${number}`]: OrderSearchRow;
  [cardReference: `card_reference_g${number}`]: CardReferenceRow;
  [openWork: `open_work_${string}_g${number}`]: OpenWorkRow;
  [lanes: `open_work_${string}_g${number}_lanes`]: LaneRow;
}

/** Of a transaction too. */
export type Db = Kysely<ReadModelTables>;

/** Runs a compiled statement. */
export type Connection = Pick<Db, 'executeQuery' | 'getExecutor'>;
