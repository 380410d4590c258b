import { sql } from 'kysely';
import type { StreamName } from '@app/event-store';
import type { Instant, MerchantLogin } from '@app/kernel';
import { countIn, type Counted, type IndexParts } from '../engine/index-parts';
import { isPostgres } from '../engine/rebuild/bulk-statements';
import type { ProjectFromLog } from '../engine/project-from-log';
import type { Reader } from '../engine/reader';
import { VerifiedRows, type FoldedRecord, type PageAsked, type RecordPage } from '../engine/verified-rows';
import { IS_OPEN, reconciliationCases } from './reconciliation-case.table';
import type { ReconciliationCaseView } from './reconciliation-case.view';

export type ReconciliationCaseRecord = FoldedRecord<ReconciliationCaseView>;

type CaseKind = ReconciliationCaseView['kind'];
const KINDS: { readonly [Kind in CaseKind]: Kind } = {
  different: 'different',
  'missing-here': 'missing-here',
  'missing-there': 'missing-there',
  duplicate: 'duplicate',
};

/** Conditions are combined with "and". */
export interface CaseFilter {
  readonly gate?: string | undefined;
  readonly kind?: CaseKind | undefined;
  /** An orderid. */
  readonly order?: string | undefined;
  readonly isOpen: boolean;
  /** Only cases about an order of these; absent: all. */
  readonly merchants?: readonly MerchantLogin[] | undefined;
  /** Time of opening: from `since`, before `until`. */
  readonly since?: Instant | undefined;
  readonly until?: Instant | undefined;
}

export interface OpenCases {
  readonly gate: string;
  readonly kind: string;
  readonly count: number;
  readonly oldestAt: number;
}

const partsOf = (generation: number, { gate, kind, order, isOpen, merchants, since, until }: CaseFilter): IndexParts => {
  const table = reconciliationCases.tableOf(generation);
  const values = { is_open: isOpen ? [1] : [0, 1], kind: kind === undefined ? Object.values(KINDS) : [kind] };
  const times = { time: 'opened_at', since, until };
  const ofGate = gate === undefined ? undefined : sql<boolean>`gate = ${gate}`;
  if (order !== undefined) {
    // An order has few cases, so the other conditions are checked on each.
    const ofMerchants = merchants === undefined ? undefined : sql<boolean>`merchant in (${sql.join([...merchants, ''])})`;
    const others = [ofGate, ofMerchants].filter((condition) => condition !== undefined);
    const where = others.length === 0 ? {} : { where: sql<boolean>`${sql.join(others, sql` and `)}` };
    return { table, values: { order_id: [order], ...values }, ...times, ...where };
  }
  if (merchants !== undefined) return { table, values: { merchant: merchants, ...values }, ...times, ...(ofGate && { where: ofGate }) };
  return { table, values: gate === undefined ? values : { gate: [gate], ...values }, ...times };
};

const matches =
  ({ gate, kind, order, isOpen, merchants, since, until }: CaseFilter) =>
  (view: ReconciliationCaseView): boolean =>
    (gate === undefined || view.gate === gate) &&
    (kind === undefined || view.kind === kind) &&
    (order === undefined || view.order?.orderId === order) &&
    (!isOpen || view.status === 'open') &&
    (merchants === undefined || merchants.some((login) => login === view.order?.merchant)) &&
    (since === undefined || view.openedAt >= since) &&
    (until === undefined || view.openedAt < until);

/** Over all merchants, so only for operators. */
export class ReconciliationCaseQueries {
  readonly #reader: Reader;
  readonly #rows: VerifiedRows<ReconciliationCaseView>;

  constructor(reader: Reader, projectFromLog?: ProjectFromLog) {
    this.#reader = reader;
    this.#rows = new VerifiedRows(reconciliationCases, reader, projectFromLog);
  }

  /** The oldest first. @throws StoreUnavailable, also after the deadline */
  page(filter: CaseFilter, asked: PageAsked): Promise<RecordPage<ReconciliationCaseView>> {
    return this.#rows.page((generation) => partsOf(generation, filter), matches(filter), asked);
  }

  /** At most `COUNTED_MAX`. */
  count(filter: CaseFilter): Promise<Counted> {
    const nothing: Counted = { count: 0, oldestAt: undefined };
    return this.#reader.read(reconciliationCases.name, nothing, (db, generation) => countIn(db, partsOf(generation, filter)));
  }

  async list({ limit, ...filter }: CaseFilter & { readonly limit: number }): Promise<readonly ReconciliationCaseRecord[]> {
    return (await this.page(filter, { limit })).records;
  }

  byStream(stream: StreamName): Promise<ReconciliationCaseRecord | undefined> {
    return this.#rows.first(
      (db, generation) => reconciliationCases.rows(db, generation).where('stream', '=', stream).execute(),
      () => true,
    );
  }

  open(): Promise<readonly OpenCases[]> {
    return this.#rows.read(async (db, generation) => {
      const table = reconciliationCases.tableOf(generation);
      // SQLite prefers an index that has a column for the condition, and then reads and sorts all rows.
      const index = isPostgres(db) ? sql`` : sql`indexed by ${sql.id(`${table}_open`)}`;
      const { rows } = await sql<{ gate: string; kind: string; count: number; oldest: number }>`
        select gate, kind, count(*) as count, min(opened_at) as oldest from ${sql.table(table)} ${index}
        where ${IS_OPEN} group by gate, kind order by gate, kind`.execute(db);
      return rows.map(({ gate, kind, count, oldest }) => ({ gate, kind, count: Number(count), oldestAt: Number(oldest) }));
    });
  }
}
