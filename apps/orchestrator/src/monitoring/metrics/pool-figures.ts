import { Gauge, type Registry } from 'prom-client';
import type { PoolFigures } from '@app/databases/postgres';

/** Connections to PostgreSQL, labelled by pool. @param pools read at each scrape */
export const watchPools = (registry: Registry, pools: () => readonly PoolFigures[]): void => {
  const gauge = (name: string, help: string, read: (pool: PoolFigures) => number): void => {
    new Gauge({
      name: `orchestrator_postgres_${name}`,
      help,
      labelNames: ['pool'],
      registers: [registry],
      collect() {
        this.reset();
        for (const pool of pools()) this.inc({ pool: pool.name }, read(pool));
      },
    });
  };
  gauge('connections', 'Connections to PostgreSQL', ({ connections }) => connections);
  gauge('connections_idle', 'Of these, the ones that nobody uses', ({ idle }) => idle);
  gauge('connections_max', 'Connections that a pool may have', ({ connectionsMax }) => connectionsMax);
  gauge('connections_awaited', 'Questions that wait for a connection', ({ waiting }) => waiting);
};
