import type { StreamName } from '@app/event-store';
import type { Deadline } from '@app/kernel';
import type { Db, FoldedRow } from './database/tables';
import type { ProjectFromLog } from './project-from-log';
import { foldedOf, type Folded, type FoldedProjection } from './folded-table';
import { placesIn, type IndexParts, type ListPlace } from './index-parts';
import type { Reader } from './reader';
import { isIntact } from './row-checksum';

export interface FoldedRecord<View> extends Folded<View> {
  readonly stream: StreamName;
}

export interface PageAsked {
  readonly limit: number;
  /** The `next` of the previous page. */
  readonly after?: ListPlace | undefined;
  readonly deadline?: Deadline | undefined;
}

export interface RecordPage<View> {
  readonly records: readonly FoldedRecord<View>[];
  readonly next: ListPlace | undefined;
}

type Ask<Row> = (db: Db, generation: number) => Promise<readonly Row[]>;

/** Checks the rebuilt view against the query, because the column that found a corrupt row may be the corrupt one. */
type IsAnswer<View> = (view: View) => boolean;

/** The rows of a folded projection, each checked before it is returned. */
export class VerifiedRows<View> {
  readonly #projection: FoldedProjection<View>;
  readonly #reader: Reader;
  readonly #projectFromLog: ProjectFromLog | undefined;

  /** @param projectFromLog absent without a log; a corrupt row then counts as missing */
  constructor(projection: FoldedProjection<View>, reader: Reader, projectFromLog: ProjectFromLog | undefined) {
    this.#projection = projection;
    this.#reader = reader;
    this.#projectFromLog = projectFromLog;
  }

  read<Row>(ask: Ask<Row>, deadline?: Deadline): Promise<readonly Row[]> {
    return this.#reader.read<readonly Row[]>(this.#projection.name, [], ask, deadline);
  }

  async first(ask: Ask<FoldedRow>, isAnswer: IsAnswer<View>, deadline?: Deadline): Promise<FoldedRecord<View> | undefined> {
    const [row] = await this.read(ask, deadline);
    return row === undefined ? undefined : this.record(row, isAnswer);
  }

  async all(ask: Ask<FoldedRow>, isAnswer: IsAnswer<View>, deadline?: Deadline): Promise<readonly FoldedRecord<View>[]> {
    return this.records(await this.read(ask, deadline), isAnswer);
  }

  /** A page in the order of an index. A row that changed since the index was read is checked again. */
  async page(
    partsOf: (generation: number) => IndexParts,
    isAnswer: IsAnswer<View>,
    { limit, after, deadline }: PageAsked,
  ): Promise<RecordPage<View>> {
    const places = await this.read((db, generation) => placesIn(db, { ...partsOf(generation), after }, limit + 1), deadline);
    const shown = places.slice(0, limit);
    const streams = shown.map(({ stream }) => stream);
    if (streams.length === 0) return { records: [], next: undefined };
    const found = await this.all(
      (db, generation) => this.#projection.rows(db, generation).where('stream', 'in', streams).execute(),
      isAnswer,
      deadline,
    );
    const byStream = new Map(found.filter(({ view }) => isAnswer(view)).map((record) => [record.stream, record]));
    const records = streams.flatMap((stream) => byStream.get(stream) ?? []);
    return { records, next: places.length > limit ? shown.at(-1) : undefined };
  }

  async record(row: FoldedRow, isAnswer: IsAnswer<View>): Promise<FoldedRecord<View> | undefined> {
    const stream = row.stream as StreamName;
    if (isIntact(row, this.#projection.columns)) return { stream, ...foldedOf<View>(row) };
    return this.#foldedAgain(stream, isAnswer);
  }

  async records(rows: readonly FoldedRow[], isAnswer: IsAnswer<View>): Promise<readonly FoldedRecord<View>[]> {
    const { columns } = this.#projection;
    const records: FoldedRecord<View>[] = [];
    for (const row of rows) {
      // Nearly all rows are intact, and awaiting each of a million would cost as much as reading it.
      const record = isIntact(row, columns)
        ? { stream: row.stream as StreamName, ...foldedOf<View>(row) }
        : await this.#foldedAgain(row.stream as StreamName, isAnswer);
      if (record !== undefined) records.push(record);
    }
    return records;
  }

  async #foldedAgain(stream: StreamName, isAnswer: IsAnswer<View>): Promise<FoldedRecord<View> | undefined> {
    const { name, fold } = this.#projection;
    const folded = await this.#projectFromLog?.(name, fold, stream);
    return folded === undefined || !isAnswer(folded.view) ? undefined : { stream, ...folded };
  }
}
