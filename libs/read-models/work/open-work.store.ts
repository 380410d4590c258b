import type { DueLane, DueLanes, OpenWork, StreamName, WorkItem, WorkListing } from '@app/event-store';
import type { Instant, MerchantLogin } from '@app/kernel';
import type { ReadModelDatabase } from '../engine/database/database';
import type { Reader } from '../engine/reader';
import type { Db, LaneRow, OpenWorkRow } from '../engine/database/tables';
import { openWorkProjectionName } from './open-work.table';
import { CLAIMED_MAX, OpenWorkStatements } from './open-work.statements';

/** The projected open work of one reactor (architecture, rule 9). It is queried often, so its statements are compiled once. */
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

  abstract postpone(asRead: Pick<WorkItem, 'key' | 'dueAt'>, dueAt: Instant): Promise<void>;

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

  firstOf(lanes: readonly string[], limit: number): Promise<readonly WorkItem[]> {
    if (lanes.length === 0) return Promise.resolve([]);
    return this.#reader.read(this.#projection, [], async (db, generation) => {
      const { rows } = await db.executeQuery<OpenWorkRow>(this.#of(generation).firstOf(db, lanes, limit));
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

  async postpone(asRead: Pick<WorkItem, 'key' | 'dueAt'>, dueAt: Instant): Promise<void> {
    await this.written((statements) => statements.move(this.writes, asRead, dueAt));
  }
}

/** Open work that several processes share: a claim gives each item to one of them for a while. */
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

/** Who writes open work in the place of the one that asks for it. */
export interface OpenWorkWriter {
  rest(work: string, lanes: readonly string[]): Promise<void>;
  postpone(work: string, asRead: Pick<WorkItem, 'key' | 'dueAt'>, dueAt: Instant): Promise<void>;
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

  postpone({ key, dueAt: asRead }: Pick<WorkItem, 'key' | 'dueAt'>, dueAt: Instant): Promise<void> {
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
