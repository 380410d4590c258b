import type { MerchantLogin } from '@app/kernel';
import type { Database } from '@app/databases/postgres';

/** Unlogged, because a row describes the last second only and is not worth a sync at commit. */
export const RATE_LIMIT_SCHEMA: readonly string[] = [
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

export interface GrantedSlots {
  /** At most as many as were requested. */
  readonly granted: number;
  /** When the next slot is free. */
  readonly retryAfterMs: number;
}

/** @throws Error of the database */
export const grantSlots = async (
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
