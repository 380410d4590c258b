import type { OpenWork, StreamName, WorkItem } from '@app/event-store';
import type { Instant, MerchantLogin } from '@app/kernel';
import { sql, type CompiledQuery, type RawBuilder } from 'kysely';
import type { Reader } from '../reader';
import type { Db, OpenWorkRow } from '../tables';
import { openWorkProjectionName, openWorkTable } from './open-work.table';

/** Lanes left out of one question; what is beyond is asked for, and the asker passes it over. */
const LANES_SIZES = [0, 1, 8, 64, 512] as const;
const LANES_MAX = 512;

/** The statements of one generation. */
class Statements {
  readonly generation: number;
  readonly #table: RawBuilder<unknown>;
  readonly #due = new Map<number, CompiledQuery>();
  #next: CompiledQuery | undefined;

  constructor(name: string, generation: number) {
    this.generation = generation;
    this.#table = sql.table(openWorkTable(name, generation));
  }

  due(db: Db, now: Instant, limit: number, exceptLanes: readonly string[]): CompiledQuery {
    const lanes = exceptLanes.slice(0, LANES_MAX);
    const size = LANES_SIZES.find((size) => size >= lanes.length) ?? LANES_MAX;
    while (lanes.length < size) lanes.push(lanes.at(-1) ?? '');
    let compiled = this.#due.get(size);
    if (compiled === undefined) {
      const isOpen = size === 0 ? sql`` : sql`and lane not in (${sql.join(lanes.map((lane) => sql`${lane}`))})`;
      compiled = sql`select * from ${this.#table} where due_at <= ${now} ${isOpen} order by due_at, key limit ${limit}`.compile(db);
      this.#due.set(size, compiled);
    }
    return { ...compiled, parameters: [now, ...lanes, limit] };
  }

  next(db: Db, after: Instant): CompiledQuery {
    this.#next ??= sql`select due_at from ${this.#table} where due_at > ${after} order by due_at limit ${1}`.compile(db);
    return { ...this.#next, parameters: [after, 1] };
  }
}

/** The work of one reactor that is open, as far as the log is projected (architecture, rule 9). Asked often: its statements are compiled once. */
export class OpenWorkStore implements OpenWork {
  readonly #name: string;
  readonly #projection: string;
  readonly #reader: Reader;
  readonly #writes: Db;
  #statements: Statements | undefined;

  constructor(name: string, reader: Reader, writes: Db) {
    this.#name = name;
    this.#projection = openWorkProjectionName(name);
    this.#reader = reader;
    this.#writes = writes;
  }

  due(now: Instant, limit: number, exceptLanes: readonly string[] = []): Promise<readonly WorkItem[]> {
    return this.#reader.read(this.#projection, [], async (db, generation) => {
      const { rows } = await db.executeQuery<OpenWorkRow>(this.#of(generation).due(db, now, limit, exceptLanes));
      return rows.map(itemOf);
    });
  }

  nextDueAt(after: Instant): Promise<Instant | undefined> {
    return this.#reader.read(this.#projection, undefined, async (db, generation) => {
      const { rows } = await db.executeQuery<Pick<OpenWorkRow, 'due_at'>>(this.#of(generation).next(db, after));
      const [first] = rows;
      return first === undefined ? undefined : (Number(first.due_at) as Instant);
    });
  }

  async postpone({ key, dueAt: readDueAt }: Pick<WorkItem, 'key' | 'dueAt'>, dueAt: Instant): Promise<void> {
    await this.#reader.read(this.#projection, undefined, async (_db, generation) => {
      const update = this.#writes.updateTable(openWorkTable(this.#name, generation)).set({ due_at: dueAt });
      await update.where('key', '=', key).where('due_at', '=', readDueAt).execute();
    });
  }

  #of(generation: number): Statements {
    if (this.#statements?.generation !== generation) this.#statements = new Statements(this.#name, generation);
    return this.#statements;
  }
}

const itemOf = ({ key, stream, task, due_at, merchant, lane }: OpenWorkRow): WorkItem => ({
  key,
  stream: stream as StreamName,
  task,
  dueAt: Number(due_at) as Instant,
  merchant: merchant as MerchantLogin,
  lane,
});
