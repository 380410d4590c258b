import { sql } from 'kysely';
import type { StreamName } from '@app/event-store';
import type { Deadline, MerchantLogin } from '@app/kernel';
import type { ProjectFromLog } from '../engine/project-from-log';
import type { Reader } from '../engine/reader';
import { VerifiedRows, type FoldedRecord } from '../engine/verified-rows';
import { IS_OPEN, reconciliationCases } from './reconciliation-case.table';
import type { ReconciliationCaseView } from './reconciliation-case.view';

export type ReconciliationCaseRecord = FoldedRecord<ReconciliationCaseView>;

export interface CaseFilter {
  readonly gate?: string | undefined;
  readonly isOpen: boolean;
  /** Only cases about an order of these; absent: all. */
  readonly merchants?: readonly MerchantLogin[] | undefined;
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
  readonly #rows: VerifiedRows<ReconciliationCaseView>;

  constructor(reader: Reader, projectFromLog?: ProjectFromLog) {
    this.#rows = new VerifiedRows(reconciliationCases, reader, projectFromLog);
  }

  list({ gate, isOpen, merchants, limit }: CaseFilter, deadline?: Deadline): Promise<readonly ReconciliationCaseRecord[]> {
    return this.#rows.all(
      (db, generation) =>
        reconciliationCases
          .rows(db, generation)
          .$if(isOpen, (query) => query.where(IS_OPEN))
          .$if(gate !== undefined, (query) => query.where('gate', '=', String(gate)))
          .$if(merchants !== undefined, (query) => query.where('merchant', 'in', merchants ?? []))
          .orderBy('opened_at')
          .orderBy('stream')
          .limit(limit)
          .execute(),
      (view) =>
        (gate === undefined || view.gate === gate) &&
        (!isOpen || view.status === 'open') &&
        (merchants === undefined || merchants.some((login) => login === view.order?.merchant)),
      deadline,
    );
  }

  byStream(stream: StreamName): Promise<ReconciliationCaseRecord | undefined> {
    return this.#rows.first(
      (db, generation) => reconciliationCases.rows(db, generation).where('stream', '=', stream).execute(),
      () => true,
    );
  }

  open(): Promise<readonly OpenCases[]> {
    return this.#rows.read(async (db, generation) => {
      const { rows } = await sql<{ gate: string; kind: string; count: number; oldest: number }>`
        select gate, kind, count(*) as count, min(opened_at) as oldest from ${sql.table(reconciliationCases.tableOf(generation))}
        where ${IS_OPEN} group by gate, kind order by gate, kind`.execute(db);
      return rows.map(({ gate, kind, count, oldest }) => ({ gate, kind, count: Number(count), oldestAt: Number(oldest) }));
    });
  }
}
