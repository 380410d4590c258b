import type { StreamName } from '@app/event-store';
import { foldedOf, type Fold, type Folded } from './folded-table';
import type { ProjectFromLog } from './project-from-log';
import { isIntact } from './row-checksum';
import type { FoldedRow } from './database/tables';

export interface FoldedRecord<View> extends Folded<View> {
  readonly stream: StreamName;
}

export class VerifiedRows<View> {
  readonly #projection: string;
  readonly #fold: Fold<View>;
  readonly #columns: readonly string[];
  readonly #projectFromLog: ProjectFromLog | undefined;

  /**
   * @param columns all of a row with the checksum last
   * @param foldFromLog absent without a log; a corrupt row then counts as missing
   */
  constructor(projection: string, fold: Fold<View>, columns: readonly string[], projectFromLog: ProjectFromLog | undefined) {
    this.#projection = projection;
    this.#fold = fold;
    this.#columns = columns.slice(0, -1);
    this.#projectFromLog = projectFromLog;
  }

  /** @param isAnswer checks the rebuilt view against the query, because the column that found a corrupt row may be the corrupt one */
  async record(row: FoldedRow, isAnswer: (view: View) => boolean): Promise<FoldedRecord<View> | undefined> {
    const stream = row.stream as StreamName;
    if (isIntact(row, this.#columns)) return { stream, ...foldedOf<View>(row) };
    return this.#foldedAnew(stream, isAnswer);
  }

  async records(rows: readonly FoldedRow[], isAnswer: (view: View) => boolean): Promise<readonly FoldedRecord<View>[]> {
    const records: FoldedRecord<View>[] = [];
    for (const row of rows) {
      // Nearly all rows are intact, and awaiting each of a million would cost as much as reading it.
      const record = isIntact(row, this.#columns)
        ? { stream: row.stream as StreamName, ...foldedOf<View>(row) }
        : await this.#foldedAnew(row.stream as StreamName, isAnswer);
      if (record !== undefined) records.push(record);
    }
    return records;
  }

  async #foldedAnew(stream: StreamName, isAnswer: (view: View) => boolean): Promise<FoldedRecord<View> | undefined> {
    const folded = await this.#projectFromLog?.(this.#projection, this.#fold, stream);
    return folded === undefined || !isAnswer(folded.view) ? undefined : { stream, ...folded };
  }
}
