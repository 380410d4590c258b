import { Gauge, type Registry } from 'prom-client';
import { waitAtMost, type Scheduler } from '@app/kernel';
import { PARKED_CAUSES, parkedCause, type ParkedStream } from '@app/read-models';

/** A scrape must not wait for a database that is unavailable. */
const ANSWER_MS_MAX = 1_000;
/** Bounds the rows that a scrape reads. */
const ROWS_MAX = 1_000;

export interface ParkedFiguresPorts {
  readonly scheduler: Scheduler;
  /** From the table, since a process knows only of the streams that it parked itself. */
  readonly parked: (limit: number) => Promise<readonly ParkedStream[]>;
}

/** Streams that any projection has parked, the same in every process; left out of the page if the read models do not answer in time. */
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
    help: 'Streams that a read model has parked, by cause',
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
