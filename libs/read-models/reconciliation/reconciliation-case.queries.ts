import { sql } from 'kysely';
import type { StreamName } from '@app/event-store';
import type { Deadline } from '@app/kernel';
import type { Fold } from '../engine/folded-table';
import { VerifiedRows, type FoldedRecord } from '../engine/verified-rows';
import type { ProjectFromLog } from '../engine/project-from-log';
import type { Reader } from '../engine/reader';
import type { Db, FoldedRow } from '../engine/database/tables';
import { foldReconciliationCase } from './reconciliation-case.fold';
import { RECONCILIATION_CASES, reconciliationCasesTable, SELECTED } from './reconciliation-case.table';
import type { ReconciliationCaseView } from './reconciliation-case.view';

export type ReconciliationCaseRecord = FoldedRecord<ReconciliationCaseView>;

export interface CaseFilter {
  readonly gate?: string | undefined;
  readonly isOpen: boolean;
  readonly limit: number;
}

export interface OpenCases {
  readonly gate: string;
  readonly kind: string;
  readonly count: number;
  readonly oldestAt: number;
}

/** Over all merchants, so only for operators. */
export class ReconciliationCaseQueries {
  readonly #reader: Reader;
  readonly #rows: VerifiedRows<ReconciliationCaseView>;

  constructor(reader: Reader, projectFromLog?: ProjectFromLog) {
    this.#reader = reader;
    this.#rows = new VerifiedRows(RECONCILIATION_CASES, foldReconciliationCase as Fold<ReconciliationCaseView>, SELECTED, projectFromLog);
  }

  async list({ gate, isOpen, limit }: CaseFilter, deadline?: Deadline): Promise<readonly ReconciliationCaseRecord[]> {
    const ask = (db: Db, generation: number): Promise<readonly FoldedRow[]> => {
      let query = db.selectFrom(reconciliationCasesTable(generation)).select(SELECTED);
      // Literally the condition of the index.
      if (isOpen) query = query.where(sql<boolean>`is_open = 1`);
      if (gate !== undefined) query = query.where('gate', '=', gate);
      return query.orderBy('opened_at').orderBy('stream').limit(limit).execute();
    };
    const rows = await this.#reader.read<readonly FoldedRow[]>(RECONCILIATION_CASES, [], ask, deadline);
    return this.#rows.records(rows, (view) => (gate === undefined || view.gate === gate) && (!isOpen || view.status === 'open'));
  }

  async byStream(stream: StreamName): Promise<ReconciliationCaseRecord | undefined> {
    const row = await this.#reader.read<FoldedRow | undefined>(RECONCILIATION_CASES, undefined, (db, generation) =>
      db.selectFrom(reconciliationCasesTable(generation)).select(SELECTED).where('stream', '=', stream).executeTakeFirst(),
    );
    return row === undefined ? undefined : this.#rows.record(row, () => true);
  }

  async open(): Promise<readonly OpenCases[]> {
    return this.#reader.read<readonly OpenCases[]>(RECONCILIATION_CASES, [], async (db, generation) => {
      const { rows } = await sql<{ gate: string; kind: string; count: number; oldest: number }>`
        select gate, kind, count(*) as count, min(opened_at) as oldest from ${sql.table(reconciliationCasesTable(generation))}
        where is_open = 1 group by gate, kind order by gate, kind`.execute(db);
      return rows.map(({ gate, kind, count, oldest }) => ({ gate, kind, count: Number(count), oldestAt: Number(oldest) }));
    });
  }
}
