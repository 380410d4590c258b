import { sql, type CompiledQuery, type RawBuilder } from 'kysely';
import type { DueLane, DueLanes, LaneFrom, OpenWork, StreamName, WorkItem, WorkListing, WorkPlace } from '@app/event-store';
import type { Instant, MerchantLogin } from '@app/kernel';
import { BulkLower, isPostgres } from '../engine/rebuild/bulk-statements';
import type { Connection, Db } from '../engine/database/tables';
import { ITEM_COLUMNS, lanesTable, openWorkTable, openWorkProjectionName, type LaneRow, type OpenWorkRow } from './open-work.table';
import type { ReadModelDatabase } from '../engine/database/database';
import type { Reader } from '../engine/reader';

/** Due time of an empty lane, whose row is kept because the lane will be used again. */
const NEVER = Number.MAX_SAFE_INTEGER;
const FIRST: WorkPlace = { dueAt: Number.MIN_SAFE_INTEGER as Instant, key: '' };
const START: DueLane = { lane: '', since: Number.MIN_SAFE_INTEGER as Instant };
/** Item counts of the claim statements; a claim is padded with its last item. */
const CLAIM_SIZES = [1, 8, 64, 256] as const;
const CLAIMED_MAX = 256;

const ITEM = sql.join(Object.keys(ITEM_COLUMNS).map((column) => sql.raw(`work.${column}`)));

type Parameters = readonly unknown[];

/** With a bare parameter as limit, SQLite plans the statement again at each binding: ten times the cost of an empty query. */
const MOST = sql`${0} + 0`;

export class OpenWorkStatements {
  readonly generation: number;
  readonly #table: RawBuilder<unknown>;
  readonly #lanes: RawBuilder<unknown>;
  readonly #lower: BulkLower;
  readonly #compiled = new Map<string, CompiledQuery>();

  constructor(name: string, generation: number) {
    this.generation = generation;
    const table = openWorkTable(name, generation);
    this.#table = sql.table(table);
    this.#lanes = sql.table(lanesTable(table));
    this.#lower = new BulkLower(lanesTable(table), 'lane', 'due_at');
  }

  dueLanes(db: Connection, now: Instant, limit: number, after = START): CompiledQuery<LaneRow> {
    // SQLite refuses an ordered part of a union, so each part is a subquery.
    return this.#feed(db, 'dueLanes', [after.since, after.lane, now, limit, now, NEVER], () => {
      const due = sql`select lane, due_at from ${this.#lanes} where (due_at, lane) > (${0}, ${''}) and due_at <= ${0} order by due_at, lane limit ${MOST}`;
      const next = sql`select lane, due_at from ${this.#lanes} where due_at > ${0} and due_at < ${0} order by due_at, lane limit 1`;
      return sql<LaneRow>`select * from (${due}) as due union all select * from (${next}) as next order by due_at, lane`;
    });
  }

  firstOf(db: Connection, from: readonly LaneFrom[], limit: number): CompiledQuery<OpenWorkRow> {
    const isServer = isPostgres(db);
    const [lanes, times, keys] = [
      from.map(({ lane }) => lane),
      from.map(({ after = FIRST }) => after.dueAt),
      from.map(({ after = FIRST }) => after.key),
    ];
    const asked = isServer ? [lanes, times, keys] : [JSON.stringify(lanes.map((lane, index) => [lane, times[index], keys[index]]))];
    return this.#feed(db, 'firstOf', [...asked, limit], () => {
      // Hides the limit from PostgreSQL. If it expects short lanes, it reads and sorts whole lanes.
      const most = isServer ? sql`(select ${0}::bigint)` : MOST;
      const of = (column: string, index: number): RawBuilder<unknown> => sql.raw(isServer ? `asked.${column}` : `asked.value ->> ${index}`);
      const first = sql`select ${sql.raw(isServer ? 'first.*' : 'first.key')} from ${this.#table} as first
        where first.lane = ${of('lane', 0)} and (first.due_at, first.key) > (${of('due_at', 1)}, ${of('key', 2)})
        order by first.due_at, first.key limit ${most}`;
      return isServer
        ? sql<OpenWorkRow>`select ${ITEM} from unnest(${''}::text[], ${''}::bigint[], ${''}::text[]) as asked (lane, due_at, key)
            cross join lateral (${first}) as work order by work.due_at, work.key`
        : sql<OpenWorkRow>`select ${ITEM} from json_each(${''}) as asked join ${this.#table} as work on work.key in (${first}) order by work.due_at, work.key`;
    });
  }

  list(db: Connection, { limit, after = '', tasks }: WorkListing): CompiledQuery<OpenWorkRow> {
    const of = tasks === undefined ? sql`` : sql`and work.task in (${sql.join(tasks.map((task) => sql`${task}`))})`;
    return sql<OpenWorkRow>`select ${ITEM} from ${this.#table} as work where work.key > ${after} ${of} order by work.key limit ${limit} + 0`.compile(
      db,
    );
  }

  async move(db: Db, { key, dueAt: readDueAt }: WorkPlace, dueAt: Instant): Promise<void> {
    const update = this.#feed<Pick<OpenWorkRow, 'lane'>>(
      db,
      'move',
      [dueAt, key, readDueAt],
      () => sql`update ${this.#table} set due_at = ${0} where key = ${''} and due_at = ${0} returning lane`,
    );
    if (dueAt >= readDueAt) {
      await db.executeQuery(update);
      return;
    }
    await db.transaction().execute(async (transaction) => {
      const { rows } = await transaction.executeQuery(update);
      await this.#lower.run(transaction, new Map(rows.map(({ lane }) => [lane, dueAt])));
    });
  }

  /**
   * Sets each lane's due time to its first item's. Skips lanes locked by a projector that is writing items. Reads the items only after
   * locking the lane, so that none is missed.
   */
  async rest(db: Db, lanes: readonly string[]): Promise<void> {
    if (!isPostgres(db)) {
      const asked = JSON.stringify(lanes);
      const isAsked = sql`in (select value from json_each(${''}))`;
      await db.executeQuery(this.#feed(db, 'rest', [NEVER, asked], () => this.#restIn(isAsked)));
      return;
    }
    await db.transaction().execute(async (transaction) => {
      const hold = this.#feed<Pick<LaneRow, 'lane'>>(
        db,
        'hold',
        [lanes],
        () => sql`select lane from ${this.#lanes} where lane = any(${''}::text[]) order by lane for update skip locked`,
      );
      const { rows } = await transaction.executeQuery(hold);
      if (rows.length === 0) return;
      const held = rows.map(({ lane }) => lane);
      await transaction.executeQuery(this.#feed(db, 'rest', [NEVER, held], () => this.#restIn(sql`= any(${''}::text[])`)));
    });
  }

  /**
   * Skips locked rows, so that no deadlock can occur. Looks up each row by key: PostgreSQL would answer a join of this size by a table
   * scan.
   * @param items 256 at most
   */
  claim(db: Connection, items: readonly WorkItem[], until: Instant): CompiledQuery<Pick<OpenWorkRow, 'key'>> {
    const size = CLAIM_SIZES.find((size) => size >= items.length) ?? CLAIMED_MAX;
    const asked: (string | number)[] = items.flatMap(({ key, dueAt }) => [key, dueAt]);
    while (asked.length < 2 * size) asked.push(...asked.slice(-2));
    return this.#feed(db, `claim ${size}`, [...asked, until], () => {
      const wanted = sql.join(Array.from({ length: size }, () => sql`(${''}::text, ${0}::bigint)`));
      return sql`
        with free as (
          select found.key from (values ${wanted}) as wanted (key, due_at) cross join lateral (
            select work.key from ${this.#table} as work where work.key = wanted.key and work.due_at = wanted.due_at
            limit 1 for update skip locked) as found)
        update ${this.#table} as work set due_at = ${0} where work.key = any(array(select free.key from free)) returning work.key`;
    });
  }

  #restIn(isAsked: RawBuilder<unknown>): RawBuilder<unknown> {
    const first = sql`select first.due_at from ${this.#table} as first where first.lane = ${sql.raw('held.lane')} order by first.due_at, first.key limit 1`;
    return sql`update ${this.#lanes} as held set due_at = coalesce((${first}), ${0}) where held.lane ${isAsked}`;
  }

  #feed<Row>(db: Connection, name: string, parameters: Parameters, build: () => RawBuilder<unknown>): CompiledQuery<Row> {
    let compiled = this.#compiled.get(name);
    if (compiled === undefined) {
      compiled = build().compile(db);
      this.#compiled.set(name, compiled);
    }
    return { ...(compiled as CompiledQuery<Row>), parameters };
  }
}

/** The projected open work of one reactor (architecture, rule 9). */
abstract class OpenWorkQueries implements OpenWork {
  readonly #name: string;
  readonly #projection: string;
  readonly #reader: Reader;
  #statements: OpenWorkStatements | undefined;
  #onRebuilt: () => void = () => undefined;

  constructor(name: string, reader: Reader) {
    this.#name = name;
    this.#projection = openWorkProjectionName(name);
    this.#reader = reader;
  }

  abstract rest(lanes: readonly string[]): Promise<void>;

  abstract postpone(asRead: WorkPlace, dueAt: Instant): Promise<void>;

  dueLanes(now: Instant, limit: number, after?: DueLane): Promise<DueLanes> {
    return this.#reader.read(this.#projection, { lanes: [], nextDueAt: undefined }, async (db, generation) => {
      const { rows } = await db.executeQuery<LaneRow>(this.#of(generation).dueLanes(db, now, limit, after));
      const lanes: DueLane[] = [];
      let nextDueAt: Instant | undefined;
      for (const { lane, due_at } of rows) {
        const since = Number(due_at) as Instant;
        if (since <= now) lanes.push({ lane, since });
        else nextDueAt = since;
      }
      return { lanes, nextDueAt };
    });
  }

  firstOf(from: readonly LaneFrom[], limit: number): Promise<readonly WorkItem[]> {
    if (from.length === 0) return Promise.resolve([]);
    return this.#reader.read(this.#projection, [], async (db, generation) => {
      const { rows } = await db.executeQuery<OpenWorkRow>(this.#of(generation).firstOf(db, from, limit));
      return rows.map(itemOf);
    });
  }

  list(listing: WorkListing): Promise<readonly WorkItem[]> {
    return this.#reader.read(this.#projection, [], async (db, generation) => {
      const { rows } = await db.executeQuery<OpenWorkRow>(this.#of(generation).list(db, listing));
      return rows.map(itemOf);
    });
  }

  onRebuilt(listener: () => void): void {
    this.#onRebuilt = listener;
  }

  protected written<Answer>(write: (statements: OpenWorkStatements) => Promise<Answer>): Promise<Answer | undefined> {
    return this.#reader.read<Answer | undefined>(this.#projection, undefined, (_db, generation) => write(this.#of(generation)));
  }

  #of(generation: number): OpenWorkStatements {
    const known = this.#statements;
    if (known?.generation === generation) return known;
    const statements = new OpenWorkStatements(this.#name, generation);
    this.#statements = statements;
    if (known !== undefined) this.#onRebuilt();
    return statements;
  }
}

class OpenWorkStore extends OpenWorkQueries {
  protected readonly writes: Db;

  constructor(name: string, reader: Reader, writes: Db) {
    super(name, reader);
    this.writes = writes;
  }

  async rest(lanes: readonly string[]): Promise<void> {
    await this.written((statements) => statements.rest(this.writes, lanes));
  }

  async postpone(asRead: WorkPlace, dueAt: Instant): Promise<void> {
    await this.written((statements) => statements.move(this.writes, asRead, dueAt));
  }
}

/** Open work that several processes share: a claim reserves an item for one of them for a limited time. */
class SharedOpenWorkStore extends OpenWorkStore {
  async claim(items: readonly WorkItem[], until: Instant): Promise<ReadonlySet<string>> {
    const claimed = new Set<string>();
    for (let from = 0; from < items.length; from += CLAIMED_MAX) {
      const part = items.slice(from, from + CLAIMED_MAX);
      const taken = await this.written((statements) => this.writes.executeQuery(statements.claim(this.writes, part, until)));
      for (const { key } of taken?.rows ?? []) claimed.add(key);
    }
    return claimed;
  }
}

export const openWorkStore = (name: string, reader: Reader, { writes, isShared }: ReadModelDatabase): OpenWork =>
  isShared ? new SharedOpenWorkStore(name, reader, writes) : new OpenWorkStore(name, reader, writes);

interface OpenWorkWriter {
  rest(work: string, lanes: readonly string[]): Promise<void>;
  postpone(work: string, asRead: WorkPlace, dueAt: Instant): Promise<void>;
}

class OpenWorkStoreWrittenBy extends OpenWorkQueries {
  readonly #writer: OpenWorkWriter;
  readonly #name: string;

  constructor(writer: OpenWorkWriter, name: string, reader: Reader) {
    super(name, reader);
    this.#writer = writer;
    this.#name = name;
  }

  rest(lanes: readonly string[]): Promise<void> {
    return this.#writer.rest(this.#name, lanes);
  }

  postpone({ key, dueAt: asRead }: WorkPlace, dueAt: Instant): Promise<void> {
    return this.#writer.postpone(this.#name, { key, dueAt: asRead }, dueAt);
  }
}

export const openWorkStoreWrittenBy = (writer: OpenWorkWriter, name: string, reader: Reader): OpenWork =>
  new OpenWorkStoreWrittenBy(writer, name, reader);

const itemOf = ({ key, stream, task, due_at, merchant, lane }: OpenWorkRow): WorkItem => ({
  key,
  stream: stream as StreamName,
  task,
  dueAt: Number(due_at) as Instant,
  merchant: merchant as MerchantLogin,
  lane,
});
