import type { StreamName } from '@app/event-store';
import { foldedOf, type Fold, type Folded } from '../folded-table';
import type { Mend } from './mending';
import { isSound } from '../row-checksum';
import type { FoldedRow } from '../database/tables';

/** A row that was believed, or what its stream says in its place. */
export interface FoldedRecord<View> extends Folded<View> {
  readonly stream: StreamName;
}

/** Rows of a folded table as they are answered from: each is held against its checksum, and where it fails the stream is folded. */
export class MendedRows<View> {
  readonly #projection: string;
  readonly #fold: Fold<View>;
  readonly #columns: readonly string[];
  readonly #mend: Mend | undefined;

  /** @param columns all of a row, the checksum last and the others in its order. @param mend absent where there is no log: a rotten row is no row then */
  constructor(projection: string, fold: Fold<View>, columns: readonly string[], mend: Mend | undefined) {
    this.#projection = projection;
    this.#fold = fold;
    this.#columns = columns.slice(0, -1);
    this.#mend = mend;
  }

  /** @param isAnswer whether an order or card is what was asked for: what a rotten row was found by may be what rotted */
  async record(row: FoldedRow, isAnswer: (view: View) => boolean): Promise<FoldedRecord<View> | undefined> {
    const stream = row.stream as StreamName;
    if (isSound(row, this.#columns)) return { stream, ...foldedOf<View>(row) };
    const folded = await this.#mend?.(this.#projection, this.#fold, stream);
    return folded === undefined || !isAnswer(folded.view) ? undefined : { stream, ...folded };
  }

  async records(rows: readonly FoldedRow[], isAnswer: (view: View) => boolean): Promise<readonly FoldedRecord<View>[]> {
    const records: FoldedRecord<View>[] = [];
    for (const row of rows) {
      const record = await this.record(row, isAnswer);
      if (record !== undefined) records.push(record);
    }
    return records;
  }
}
