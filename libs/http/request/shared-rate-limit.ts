import type { MerchantLogin, Secret } from '@app/kernel';
import { closeDatabase, migrate, openDatabase, type Database } from '@app/databases/postgres';

export type Admission = { readonly kind: 'admitted' } | { readonly kind: 'limited'; readonly retryAfterMs: number };

/** Limits the requests of a merchant (`rateLimit.requestsPerSecond`; protocol decisions, D3.9; safety, T35). */
export interface RateLimit {
  /** Never throws, because a failure must not refuse payments. */
  admit(merchant: MerchantLogin): Promise<Admission>;
  close(): Promise<void>;
}

export const noRateLimit: RateLimit = {
  admit: () => Promise.resolve({ kind: 'admitted' }),
  close: () => Promise.resolve(),
};

/** Unlogged, because a row covers only the last second and is not worth a sync at commit. */
const RATE_LIMIT_SCHEMA: readonly string[] = [
  `create unlogged table rate_limits (
     merchant text primary key,
     times bigint[] not null,
     counts integer[] not null,
     granted integer not null,
     retry_after_ms integer not null)`,
];

/** Slots are stored per grain, dated at its end, so a row stays below 110 entries. */
const GRAIN_MS = 10;
/** Two entries this far apart are at least a second apart, wherever in their grains the slots were granted. */
const SECOND_MS = 1_000 + GRAIN_MS;

/**
 * One atomic statement on the database clock, which all processes share. If the clock was set back, the row starts
 * again, because old dates would block the merchant (safety, F28).
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
  readonly granted: number;
  readonly retryAfterMs: number;
}

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
const CONNECT_TIMEOUT_MS = 1_000;
const STATEMENT_TIMEOUT_MS = 1_000;
const ANSWER_GRACE_MS = 500;
const BATCH_MAX = 100_000;
const AWAY_MS = 1_000;

interface Waiting {
  readonly resolve: (admission: Admission) => void;
}

interface MerchantQueue {
  waiting: Waiting[];
  isQuerying: boolean;
}

interface SharedRateLimitSettings {
  readonly url: Secret<string>;
  readonly requestsPerSecond: () => number;
  /** Used while the database is unavailable, with the same limit per process. */
  readonly fallback: RateLimit;
  readonly monotonicMs: () => number;
  readonly onAway: (error: unknown) => void;
}

/**
 * A limit over all processes that share the read model's database. While that is unavailable each process applies the
 * limit by itself, so payments are not refused.
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

  /** @throws DatabaseUnusable with a one-line reason */
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
        const { granted, retryAfterMs } = await grantSlots(this.#db, merchant, batch.length, requestsPerSecond());
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
