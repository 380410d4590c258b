import type { MerchantLogin, Secret } from '@app/kernel';
import { closeDatabase, migrate, openDatabase, type Database } from '@app/postgres';
import type { Admission, RateLimit } from './rate-limit';

/** Nothing of it is worth a commit's sync: it says who took what within the last second. */
const SCHEMA = [
  `create unlogged table rate_limits (
     merchant text primary key,
     times bigint[] not null,
     counts integer[] not null,
     granted integer not null,
     retry_after_ms integer not null)`,
];
const SCHEMA_NAME = 'rate_limit';

/** Grants of so many milliseconds are kept as one, dated at their end: a row stays below 110 entries. */
const GRAIN_MS = 10;
/** Two dates of this distance lie a second apart at least, wherever within their grains they were. */
const SECOND_MS = 1_000 + GRAIN_MS;
const CONNECTIONS_MAX = 2;
/** Somebody waits for the answer, and a payment must not wait for a database that is gone. */
const CONNECT_TIMEOUT_MS = 1_000;
const STATEMENT_TIMEOUT_MS = 1_000;
const ANSWER_GRACE_MS = 500;
/** Of requests that came while one question was under way, asked for together. */
const ASKED_TOGETHER_MAX = 100_000;
/** After a failure nobody asks for so long. */
const AWAY_MS = 1_000;

/**
 * One statement, atomic by the row's lock: what is older than a second falls out, as many places are granted as are left, at the database's own
 * time (of all processes the same). Where that goes back a little no place is freed early; where it was set back, the row begins anew, for it would
 * turn the merchant away until its dates have come (safety, F28).
 */
const GRANT = `
  insert into rate_limits as known (merchant, times, counts, granted, retry_after_ms)
  select $1, array[ceil(extract(epoch from clock_timestamp()) * 1000 / ${GRAIN_MS})::bigint * ${GRAIN_MS}], array[least($2::integer, $3::integer)],
    least($2::integer, $3::integer), ${SECOND_MS}
  on conflict (merchant) do update set (times, counts, granted, retry_after_ms) = (
    select
      case when grant_now > 0 and newest is distinct from now_ms then recent_times || now_ms else recent_times end,
      case
        when grant_now = 0 then recent_counts
        when newest is distinct from now_ms then recent_counts || grant_now
        else recent_counts[:cardinality(recent_counts) - 1] || (recent_counts[cardinality(recent_counts)] + grant_now)
      end,
      grant_now,
      greatest(coalesce(recent_times[1], now_ms) + ${SECOND_MS} - now_ms, 1)
    from (
      select *, greatest(least($2::integer, $3::integer - taken), 0)::integer as grant_now
      from (
        select now_ms, max(at) as newest, coalesce(sum(count), 0)::integer as taken,
          coalesce(array_agg(at order by at) filter (where at is not null), '{}') as recent_times,
          coalesce(array_agg(count order by at) filter (where at is not null), '{}') as recent_counts
        from (
          select case when last_ms > clock_ms + ${SECOND_MS} then clock_ms else greatest(clock_ms, last_ms) end as now_ms
          from (
            select ceil(extract(epoch from clock_timestamp()) * 1000 / ${GRAIN_MS})::bigint * ${GRAIN_MS} as clock_ms,
              known.times[cardinality(known.times)] as last_ms
          ) as told
        ) as clock
        left join lateral unnest(known.times, known.counts) as taken_places (at, count) on at > now_ms - ${SECOND_MS} and at <= now_ms
        group by now_ms
      ) as recent
    ) as decided
  )
  returning granted, retry_after_ms`;

interface Waiting {
  readonly resolve: (admission: Admission) => void;
}

/** What a merchant's requests in this process wait for; one question is under way at a time, for all that wait. */
interface Lane {
  waiting: Waiting[];
  isAsking: boolean;
}

export interface SharedRateLimitSettings {
  readonly url: Secret<string>;
  readonly requestsPerSecond: number;
  /** Goes by the same number while the database is away: each process for itself then. */
  readonly whileAway: RateLimit;
  /** Milliseconds that never go back. */
  readonly monotonicMs: () => number;
  readonly onAway: (error: unknown) => void;
}

/**
 * The limit over all processes that share the read model's database: an admission is granted by one row, wherever it is asked for. While the
 * database is away each process admits as many as the limit by itself, for acceptance needs no read model: a payment that could be accepted is not
 * turned away, and the sum is still bounded.
 */
export class SharedRateLimit implements RateLimit {
  readonly #db: Database;
  readonly #settings: SharedRateLimitSettings;
  readonly #lanes = new Map<MerchantLogin, Lane>();
  #awayUntilMs = Number.NEGATIVE_INFINITY;

  private constructor(db: Database, settings: SharedRateLimitSettings) {
    this.#db = db;
    this.#settings = settings;
  }

  /** @throws DatabaseUnusable with one line that says what is wrong */
  static async open(settings: SharedRateLimitSettings): Promise<SharedRateLimit> {
    const db = await openDatabase(settings.url.reveal(), {
      name: 'rate limit',
      connectionsMax: CONNECTIONS_MAX,
      durability: 'rebuildable',
      connectTimeoutMs: CONNECT_TIMEOUT_MS,
      statementTimeoutMs: STATEMENT_TIMEOUT_MS,
      answerGraceMs: ANSWER_GRACE_MS,
    });
    try {
      await migrate(db, SCHEMA_NAME, SCHEMA);
    } catch (error) {
      await closeDatabase(db);
      throw error;
    }
    return new SharedRateLimit(db, settings);
  }

  admit(merchant: MerchantLogin): Promise<Admission> {
    const { whileAway, monotonicMs } = this.#settings;
    if (monotonicMs() < this.#awayUntilMs) return whileAway.admit(merchant);
    let lane = this.#lanes.get(merchant);
    if (lane === undefined) {
      lane = { waiting: [], isAsking: false };
      this.#lanes.set(merchant, lane);
    }
    return new Promise((resolve) => {
      lane.waiting.push({ resolve });
      if (!lane.isAsking) void this.#ask(merchant, lane);
    });
  }

  async close(): Promise<void> {
    await closeDatabase(this.#db);
  }

  async #ask(merchant: MerchantLogin, lane: Lane): Promise<void> {
    const { requestsPerSecond, whileAway, monotonicMs, onAway } = this.#settings;
    lane.isAsking = true;
    while (lane.waiting.length > 0) {
      const asking = lane.waiting.splice(0, ASKED_TOGETHER_MAX);
      // Who came while the question failed waits for no second one.
      if (monotonicMs() < this.#awayUntilMs) {
        for (const { resolve } of asking) resolve(await whileAway.admit(merchant));
        continue;
      }
      try {
        const { rows } = await this.#db.pool.query<{ granted: number; retry_after_ms: number }>(GRANT, [
          merchant,
          asking.length,
          requestsPerSecond,
        ]);
        const [row] = rows;
        if (row === undefined) throw new Error('the rate limit gave no answer');
        for (const [index, { resolve }] of asking.entries()) {
          resolve(index < row.granted ? { kind: 'admitted' } : { kind: 'limited', retryAfterMs: row.retry_after_ms });
        }
      } catch (error) {
        this.#awayUntilMs = monotonicMs() + AWAY_MS;
        onAway(error);
        for (const { resolve } of asking) resolve(await whileAway.admit(merchant));
      }
    }
    lane.isAsking = false;
  }
}
