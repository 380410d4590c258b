import type { MerchantLogin, Secret } from '@app/kernel';
import { closeDatabase, migrate, openDatabase, type Database } from '@app/databases/postgres';

export type Admission = { readonly kind: 'admitted' } | { readonly kind: 'limited'; readonly retryAfterMs: number };

/** The number of requests that a merchant may make (`rateLimit.requestsPerSecond`; protocol decisions, D3.9; safety, T35). */
export interface RateLimit {
  /** Takes a slot for one request where one is free. It never throws, because its failure must not turn payments away. */
  admit(merchant: MerchantLogin): Promise<Admission>;
  close(): Promise<void>;
}

/** For a setting of 0. */
export const noRateLimit: RateLimit = {
  admit: () => Promise.resolve({ kind: 'admitted' }),
  close: () => Promise.resolve(),
};

/** Unlogged, because a row describes the last second only and is not worth a sync at commit. */
const RATE_LIMIT_SCHEMA: readonly string[] = [
  `create unlogged table rate_limits (
     merchant text primary key,
     times bigint[] not null,
     counts integer[] not null,
     granted integer not null,
     retry_after_ms integer not null)`,
];

/** Places granted within one grain are stored as one entry, dated at the grain's end, so a row stays below 110 entries. */
const GRAIN_MS = 10;
/** Two dates so far apart are at least a second apart, wherever in their grains the slots were granted. */
const SECOND_MS = 1_000 + GRAIN_MS;

/**
 * One statement, which the row's lock makes atomic: it drops what is older than a second and grants as many slots as are left, by the database's clock,
 * which all processes share. Where that clock goes back a little, no slot is freed early. Where it was set back, the row begins anew, because it would
 * refuse the merchant until its old dates have passed (safety, F28).
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
          ) as clocks
        ) as clock
        left join lateral unnest(known.times, known.counts) as taken_slots (at, count) on at > now_ms - ${SECOND_MS} and at <= now_ms
        group by now_ms
      ) as recent
    ) as decided
  )
  returning granted, retry_after_ms`;

interface GrantedSlots {
  /** At most as many as were requested. */
  readonly granted: number;
  /** When the next slot is free. */
  readonly retryAfterMs: number;
}

/** @throws Error of the database */
const grantSlots = async (
  { pool }: Database,
  merchant: MerchantLogin,
  requested: number,
  requestsPerSecond: number,
): Promise<GrantedSlots> => {
  const { rows } = await pool.query<{ granted: number; retry_after_ms: number }>(GRANT, [merchant, requested, requestsPerSecond]);
  const [row] = rows;
  if (row === undefined) throw new Error('the rate limit gave no answer');
  return { granted: row.granted, retryAfterMs: row.retry_after_ms };
};

const SCHEMA_NAME = 'rate_limit';
const CONNECTIONS_MAX = 2;
/** Short limits, because a payment waits for the answer and must not wait for a database that is gone. */
const CONNECT_TIMEOUT_MS = 1_000;
const STATEMENT_TIMEOUT_MS = 1_000;
const ANSWER_GRACE_MS = 500;
/** Requests that one query asks a slot for. */
const BATCH_MAX = 100_000;
/** After a failure the database is not queried for so long. */
const AWAY_MS = 1_000;

interface Waiting {
  readonly resolve: (admission: Admission) => void;
}

/** The requests of one merchant in this process. One query at a time runs for all that wait. */
interface MerchantQueue {
  waiting: Waiting[];
  isQuerying: boolean;
}

interface SharedRateLimitSettings {
  readonly url: Secret<string>;
  readonly requestsPerSecond: number;
  /** Admits while the database is away, with the same number in each process by itself. */
  readonly fallback: RateLimit;
  /** Milliseconds that never go back. */
  readonly monotonicMs: () => number;
  readonly onAway: (error: unknown) => void;
}

/**
 * The limit over all processes that share the read model's database. While the database is away each process admits up to the limit by itself: accepting
 * a payment needs no read model, so it is not turned away, and the sum over all processes stays bounded.
 */
export class SharedRateLimit implements RateLimit {
  readonly #db: Database;
  readonly #settings: SharedRateLimitSettings;
  readonly #queues = new Map<MerchantLogin, MerchantQueue>();
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
      await migrate(db, SCHEMA_NAME, RATE_LIMIT_SCHEMA);
    } catch (error) {
      await closeDatabase(db);
      throw error;
    }
    return new SharedRateLimit(db, settings);
  }

  admit(merchant: MerchantLogin): Promise<Admission> {
    if (this.#isAway()) return this.#settings.fallback.admit(merchant);
    let queue = this.#queues.get(merchant);
    if (queue === undefined) {
      queue = { waiting: [], isQuerying: false };
      this.#queues.set(merchant, queue);
    }
    return new Promise((resolve) => {
      queue.waiting.push({ resolve });
      if (!queue.isQuerying) void this.#drain(merchant, queue);
    });
  }

  async close(): Promise<void> {
    await closeDatabase(this.#db);
  }

  async #drain(merchant: MerchantLogin, queue: MerchantQueue): Promise<void> {
    queue.isQuerying = true;
    while (queue.waiting.length > 0) await this.#admitBatch(merchant, queue.waiting.splice(0, BATCH_MAX));
    queue.isQuerying = false;
  }

  async #admitBatch(merchant: MerchantLogin, batch: readonly Waiting[]): Promise<void> {
    const { requestsPerSecond, fallback, monotonicMs, onAway } = this.#settings;
    if (!this.#isAway()) {
      try {
        const { granted, retryAfterMs } = await grantSlots(this.#db, merchant, batch.length, requestsPerSecond);
        for (const [index, { resolve }] of batch.entries())
          resolve(index < granted ? { kind: 'admitted' } : { kind: 'limited', retryAfterMs });
        return;
      } catch (error) {
        this.#awayUntilMs = monotonicMs() + AWAY_MS;
        onAway(error);
      }
    }
    for (const { resolve } of batch) resolve(await fallback.admit(merchant));
  }

  #isAway(): boolean {
    return this.#settings.monotonicMs() < this.#awayUntilMs;
  }
}
