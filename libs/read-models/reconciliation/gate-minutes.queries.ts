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

type Row = Readonly<Record<'at' | 'gate' | 'outcome' | 'code' | 'calls' | 'latency', number | string>>;

/** One text, because reading a column of a row costs more than adding it up. */
const LATENCY: RawBuilder<unknown> = sql.join(
  LATENCY_COUNTERS.map((name) => sql`sum(${sql.ref(name)})`),
  sql` || ' ' || `,
);

type Asked = [merchants: unknown, since: number, until: number];

/** For one merchant the rows have the order of the key, so they are grouped without sorting. */
const statement =
  (whose: 'one' | 'several') =>
  (db: Db, generation: number, ...[merchants, since, until]: Asked): Compilable<Row> => {
    const table = sql.table(gateMinutes.tableOf(gateAttempts.tableOf(generation)));
    const several = isPostgres(db) ? sql`= any(${merchants}::text[])` : sql`in (select value from json_each(${merchants}))`;
    const rows = sql<Row>`select at, gate, outcome, code, sum(calls) as calls, ${LATENCY} as latency from ${table}
      where merchant ${whose === 'one' ? sql`= ${merchants}` : several} and at >= ${since} and at < ${until}
      group by at, gate, outcome, code order by at, gate, outcome, code`;
    return { compile: () => rows.compile(db) };
  };

/** Counts of all processes by minute, from the log. Only for operators. */
export class GateMinutesQueries {
  readonly #reader: Reader;
  readonly #ofOne = new CompiledOnceOf<Row, Asked>(statement('one'));
  readonly #ofSeveral = new CompiledOnceOf<Row, Asked>(statement('several'));

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
      const rows = await (logins.length === 1
        ? this.#ofOne.rows(db, generation, logins[0], since, until)
        : this.#ofSeveral.rows(db, generation, isPostgres(db) ? logins : JSON.stringify(logins), since, until));
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
                  latency: String(row.latency).split(' ').map(Number),
                },
              ],
        ),
      };
    });
  }
}
