import { sql, type Compilable, type RawBuilder } from 'kysely';
import type { Instant, MerchantLogin } from '@app/kernel';
import { CompiledOnceOf } from '../engine/compiled-once';
import type { Db } from '../engine/database/tables';
import type { Reader } from '../engine/reader';
import { isPostgres } from '../engine/rebuild/bulk-statements';
import { gateAttempts } from './gate-attempts.table';
import { ALL_MERCHANTS, gateMinutes, LATENCY_COUNTERS, NO_GATE, type CallOutcome, type OrderOutcome } from './gate-minutes';

interface Minute {
  /** Its start. */
  readonly at: Instant;
  readonly count: number;
}

interface OrdersInMinute extends Minute {
  readonly outcome: OrderOutcome;
}

export interface CallsInMinute extends Minute {
  readonly gate: string;
  readonly outcome: CallOutcome;
  /** Of declines. */
  readonly code: number | undefined;
  /** Answered calls by `LATENCY_BOUNDS_MS`; the last number is of longer ones. */
  readonly latency: readonly number[];
}

export interface CountedMinutes {
  readonly orders: readonly OrdersInMinute[];
  readonly calls: readonly CallsInMinute[];
}

type Row = Readonly<Record<string, number | string>>;

const SUMS: RawBuilder<unknown> = sql.join(gateMinutes.counters.map((name) => sql`sum(${sql.ref(name)}) as ${sql.ref(name)}`));

const statement = (db: Db, generation: number, merchants: unknown, since: number, until: number): Compilable<Row> => {
  const table = sql.table(gateMinutes.tableOf(gateAttempts.tableOf(generation)));
  const isAsked = isPostgres(db) ? sql`= any(${merchants}::text[])` : sql`in (select value from json_each(${merchants}))`;
  const rows = sql<Row>`select at, gate, outcome, code, ${SUMS} from ${table}
    where merchant ${isAsked} and at >= ${since} and at < ${until} group by at, gate, outcome, code order by at, gate, outcome, code`;
  return { compile: () => rows.compile(db) };
};

/** Counts of all processes by minute, from the log. Only for operators. */
export class GateMinutesQueries {
  readonly #reader: Reader;
  readonly #rows = new CompiledOnceOf<Row, [merchants: unknown, since: number, until: number]>(statement);

  constructor(reader: Reader) {
    this.#reader = reader;
  }

  /**
   * @param merchants absent: all
   * @param until exclusive
   * @throws StoreUnavailable
   */
  between(since: Instant, until: Instant, merchants?: readonly MerchantLogin[]): Promise<CountedMinutes> {
    const nothing: CountedMinutes = { orders: [], calls: [] };
    return this.#reader.read(gateAttempts.name, nothing, async (db, generation) => {
      const logins = merchants ?? [ALL_MERCHANTS];
      const rows = await this.#rows.rows(db, generation, isPostgres(db) ? logins : JSON.stringify(logins), since, until);
      const minuteOf = ({ at, calls }: Row): Minute => ({ at: Number(at) as Instant, count: Number(calls) });
      return {
        orders: rows.flatMap((row) => (row.gate === NO_GATE ? [{ ...minuteOf(row), outcome: row.outcome as OrderOutcome }] : [])),
        calls: rows.flatMap((row) =>
          row.gate === NO_GATE
            ? []
            : [
                {
                  ...minuteOf(row),
                  gate: String(row.gate),
                  outcome: row.outcome as CallOutcome,
                  code: row.outcome === 'declined' ? Number(row.code) : undefined,
                  latency: LATENCY_COUNTERS.map((name) => Number(row[name])),
                },
              ],
        ),
      };
    });
  }
}
