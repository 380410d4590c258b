import type { Pool } from 'pg';

/** The current state of a pool of this process. */
export interface PoolFigures {
  /** As in `pg_stat_activity`. */
  readonly name: string;
  readonly connections: number;
  /** Count of idle connections among them. */
  readonly idle: number;
  /** Count of callers that wait for a connection. */
  readonly waiting: number;
  readonly connectionsMax: number;
}

const open = new Map<Pool, { readonly name: string; readonly connectionsMax: number }>();

/** Lists the pool until it ends. */
export const watchPool = (pool: Pool, name: string, connectionsMax: number): void => {
  open.set(pool, { name, connectionsMax });
};

/** Every pool that is open in this process. */
export const openPools = (): readonly PoolFigures[] => {
  for (const pool of open.keys()) if (pool.ending || pool.ended) open.delete(pool);
  return [...open].map(([pool, { name, connectionsMax }]) => ({
    name,
    connections: pool.totalCount,
    idle: pool.idleCount,
    waiting: pool.waitingCount,
    connectionsMax,
  }));
};
