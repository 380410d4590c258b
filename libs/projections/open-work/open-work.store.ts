import type { OpenWork, StreamName, WorkItem } from '@app/event-store';
import type { Instant, MerchantLogin } from '@app/kernel';
import { sql, type CompiledQuery, type RawBuilder } from 'kysely';
import type { ReadModelDatabase } from '../database';
import type { Reader } from '../reader';
import type { Db, OpenWorkRow } from '../tables';
import { openWorkProjectionName, openWorkTable } from './open-work.table';

/** Lanes left out of one question; what is beyond is asked for, and the asker passes it over. */
const LANES_SIZES = [0, 1, 8, 64, 512] as const;
const LANES_MAX = 512;
/** Items of one claim; what is left over is filled up with the last one. */
const CLAIM_SIZES = [1, 8, 64, 256] as const;
const CLAIMED_MAX = 256;

/** The statements of one generation. */
class Statements {
  readonly generation: number;
  readonly #table: RawBuilder<unknown>;
  readonly #due = new Map<number, CompiledQuery>();
  #next: CompiledQuery | undefined;
  readonly #claims = new Map<number, CompiledQuery<Pick<OpenWorkRow, 'key'>>>();

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

  /** Never waits for a row that another one is about to move, and so never in a circle. @param items `CLAIMED_MAX` at most */
  claim(db: Db, items: readonly WorkItem[], until: Instant): CompiledQuery<Pick<OpenWorkRow, 'key'>> {
    const size = CLAIM_SIZES.find((size) => size >= items.length) ?? CLAIMED_MAX;
    let compiled = this.#claims.get(size);
    if (compiled === undefined) {
      const wanted = sql.join(Array.from({ length: size }, () => sql`(${''}::text, ${0}::bigint)`));
      compiled = sql<Pick<OpenWorkRow, 'key'>>`
        with free as (
          select work.key from ${this.#table} as work join (values ${wanted}) as wanted (key, due_at) on work.key = wanted.key
          where work.due_at = wanted.due_at for update of work skip locked)
        update ${this.#table} as work set due_at = ${until} from free where work.key = free.key returning work.key`.compile(db);
      this.#claims.set(size, compiled);
    }
    const asked = items.flatMap(({ key, dueAt }) => [key, dueAt]);
    while (asked.length < 2 * size) asked.push(...asked.slice(-2));
    return { ...compiled, parameters: [...asked, until] };
  }
}

/** The work of one reactor that is open, as far as the log is projected (architecture, rule 9). Asked often: its statements are compiled once. */
class OpenWorkStore implements OpenWork {
  readonly #name: string;
  readonly #projection: string;
  readonly #reader: Reader;
  protected readonly writes: Db;
  #statements: Statements | undefined;

  constructor(name: string, reader: Reader, writes: Db) {
    this.#name = name;
    this.#projection = openWorkProjectionName(name);
    this.#reader = reader;
    this.writes = writes;
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
      const update = this.writes.updateTable(openWorkTable(this.#name, generation)).set({ due_at: dueAt });
      await update.where('key', '=', key).where('due_at', '=', readDueAt).execute();
    });
  }

  /** Of the items named, those that nobody else has taken or moved since they were read; they are due again at `until`. */
  protected claimed(items: readonly WorkItem[], until: Instant): Promise<readonly string[]> {
    return this.#reader.read(this.#projection, [], async (_db, generation) => {
      const { rows } = await this.writes.executeQuery(this.#of(generation).claim(this.writes, items, until));
      return rows.map(({ key }) => key);
    });
  }

  #of(generation: number): Statements {
    if (this.#statements?.generation !== generation) this.#statements = new Statements(this.#name, generation);
    return this.#statements;
  }
}

/** Several processes take work out of it: each item goes to one of them, for a while. */
class SharedOpenWorkStore extends OpenWorkStore {
  async claim(items: readonly WorkItem[], until: Instant): Promise<ReadonlySet<string>> {
    const claimed = new Set<string>();
    for (let from = 0; from < items.length; from += CLAIMED_MAX) {
      for (const key of await this.claimed(items.slice(from, from + CLAIMED_MAX), until)) claimed.add(key);
    }
    return claimed;
  }
}

export const openWorkStore = (name: string, reader: Reader, { writes, isShared }: ReadModelDatabase): OpenWork =>
  isShared ? new SharedOpenWorkStore(name, reader, writes) : new OpenWorkStore(name, reader, writes);

const itemOf = ({ key, stream, task, due_at, merchant, lane }: OpenWorkRow): WorkItem => ({
  key,
  stream: stream as StreamName,
  task,
  dueAt: Number(due_at) as Instant,
  merchant: merchant as MerchantLogin,
  lane,
});
