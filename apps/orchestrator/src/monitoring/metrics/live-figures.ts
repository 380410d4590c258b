import { Counter, Gauge, type Registry } from 'prom-client';
import { statfs } from 'node:fs/promises';
import { waitAtMost, type Clock, type Scheduler } from '@app/kernel';
import { type OpenCount, type OpenCases, PARKED_CAUSES, parkedCause, type ParkedStream } from '@app/read-models';
import type { PoolFigures } from '@app/databases/postgres';

/** A scrape must not wait for a database that is unavailable. */
const ANSWER_MS_MAX = 1_000;
/** Limits the database load, because anyone who reaches the port may scrape it. */
const COUNT_AGE_MS_MAX = 1_000;

export interface OpenCountSource {
  /** Must cost no more than an index lookup. */
  readonly count: () => Promise<OpenCount>;
  readonly name: string;
  readonly help: string;
}

interface ReadCount {
  readonly at: number;
  readonly count: Promise<OpenCount | undefined>;
}

/** Open work of all processes, from the read models. A count that cannot be read is left out, and that is counted. */
export class OpenCountFigures {
  readonly #clock: Clock;
  readonly #scheduler: Scheduler;
  readonly #unread: Counter;

  constructor(registry: Registry, clock: Clock, scheduler: Scheduler) {
    this.#clock = clock;
    this.#scheduler = scheduler;
    this.#unread = new Counter({
      name: 'orchestrator_open_counts_unread_total',
      help: 'Queries for open counts that the read models did not answer in time',
      registers: [registry],
    });
  }

  watch(registry: Registry, source: OpenCountSource): void {
    let last: ReadCount | undefined;
    const read = (): Promise<OpenCount | undefined> => {
      const now = this.#clock.now();
      if (last === undefined || Math.abs(now - last.at) >= COUNT_AGE_MS_MAX) last = { at: now, count: this.#read(source) };
      return last.count;
    };
    const gauge = (name: string, help: string, figure: (count: OpenCount) => number): void => {
      new Gauge({
        name,
        help,
        registers: [registry],
        async collect() {
          const count = await read();
          if (count === undefined) this.remove();
          else this.set(figure(count));
        },
      });
    };
    const clock = this.#clock;
    gauge(`orchestrator_${source.name}`, source.help, ({ count }) => count);
    gauge(`orchestrator_${source.name}_oldest_seconds`, `${source.help}: age of the oldest, 0 if there is none`, ({ oldestAt }) =>
      oldestAt === undefined ? 0 : Math.max(0, (clock.now() - oldestAt) / 1_000),
    );
  }

  async #read({ count }: OpenCountSource): Promise<OpenCount | undefined> {
    const answer = await waitAtMost(
      this.#scheduler,
      ANSWER_MS_MAX,
      count().catch(() => undefined),
      () => undefined,
    );
    if (answer === undefined) this.#unread.inc();
    return answer;
  }
}

interface CaseFiguresPorts {
  readonly clock: Clock;
  readonly scheduler: Scheduler;
  /** By gate and kind; must cost no more than an index lookup. */
  readonly open: () => Promise<readonly OpenCases[]>;
}

/** Open reconciliation cases of all processes. Left out if the read models do not answer in time. */
export const watchCases = (registry: Registry, { clock, scheduler, open }: CaseFiguresPorts): void => {
  const read = (): Promise<readonly OpenCases[]> =>
    waitAtMost(
      scheduler,
      ANSWER_MS_MAX,
      open().catch(() => []),
      () => [],
    );
  const gauge = (name: string, help: string, figure: (cases: OpenCases) => number): void => {
    new Gauge({
      name,
      help,
      labelNames: ['gate', 'kind'],
      registers: [registry],
      async collect() {
        const cases = await read();
        // A gate whose last case was closed must not keep its value.
        this.reset();
        for (const one of cases) this.set({ gate: one.gate, kind: one.kind }, figure(one));
      },
    });
  };
  gauge('orchestrator_reconciliation_cases', 'Open reconciliation cases', ({ count }) => count);
  gauge('orchestrator_reconciliation_cases_oldest_seconds', 'Age of the oldest open reconciliation case', ({ oldestAt }) =>
    Math.max(0, (clock.now() - oldestAt) / 1_000),
  );
};

interface DiskSpace {
  readonly freeBytes: number;
  readonly sizeBytes: number;
}

export const diskSpaceOf = async (folder: string): Promise<DiskSpace | undefined> => {
  try {
    const { bavail, blocks, bsize } = await statfs(folder);
    return { freeBytes: bavail * bsize, sizeBytes: blocks * bsize };
  } catch {
    return undefined;
  }
};

export const watchDisk = (registry: Registry, read: () => Promise<DiskSpace | undefined>): void => {
  const gauge = (name: string, help: string, figure: (space: DiskSpace) => number): void => {
    new Gauge({
      name: `orchestrator_data_dir_${name}`,
      help,
      registers: [registry],
      async collect() {
        const space = await read();
        if (space === undefined) this.remove();
        else this.set(figure(space));
      },
    });
  };
  gauge('free_bytes', 'Free space on the volume of DATA_DIR', ({ freeBytes }) => freeBytes);
  gauge('size_bytes', 'Size of the volume of DATA_DIR', ({ sizeBytes }) => sizeBytes);
};

/** Bounds the rows that a scrape reads. */
const ROWS_MAX = 1_000;

interface ParkedFiguresPorts {
  readonly scheduler: Scheduler;
  /** From the table, because a process knows only the streams that it parked itself. */
  readonly parked: (limit: number) => Promise<readonly ParkedStream[]>;
}

/** Parked streams of all projections. Left out if the read models do not answer in time. */
export const watchParked = (registry: Registry, { scheduler, parked }: ParkedFiguresPorts): void => {
  const read = (): Promise<readonly ParkedStream[] | undefined> =>
    waitAtMost(
      scheduler,
      ANSWER_MS_MAX,
      parked(ROWS_MAX).catch(() => undefined),
      () => undefined,
    );
  new Gauge({
    name: 'orchestrator_projection_parked_streams',
    help: 'Streams that a read model has parked (no longer projects), by cause',
    labelNames: ['cause'],
    registers: [registry],
    async collect() {
      const rows = await read();
      this.reset();
      if (rows === undefined) return;
      for (const cause of PARKED_CAUSES)
        this.set({ cause }, new Set(rows.filter((row) => parkedCause(row) === cause).map(({ stream }) => stream)).size);
    },
  });
};

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
  gauge('connections_idle', 'Idle connections to PostgreSQL', ({ idle }) => idle);
  gauge('connections_max', 'Maximum number of connections to PostgreSQL', ({ connectionsMax }) => connectionsMax);
  gauge('connections_awaited', 'Queries that wait for a connection', ({ waiting }) => waiting);
};

/** The digest in force, so that a query shows whether processes differ. */
export const watchConfiguration = (registry: Registry, source: { readonly digest: string; readonly differs: boolean }): void => {
  new Gauge({
    name: 'orchestrator_configuration_info',
    help: '1 for the digest of the configuration in force in this process',
    labelNames: ['digest'],
    registers: [registry],
    collect() {
      this.reset();
      this.set({ digest: source.digest }, 1);
    },
  });
  new Gauge({
    name: 'orchestrator_configuration_differs',
    help: '1 while this process has another configuration than the one that was last applied',
    registers: [registry],
    collect() {
      this.set(Number(source.differs));
    },
  });
};
