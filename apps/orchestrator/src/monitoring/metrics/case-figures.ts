import { Gauge, type Registry } from 'prom-client';
import { waitAtMost, type Clock, type Scheduler } from '@app/kernel';
import type { OpenCases } from '@app/read-models';

/** A scrape must not wait for a database that is unavailable. */
const ANSWER_MS_MAX = 1_000;

export interface CaseFiguresPorts {
  readonly clock: Clock;
  readonly scheduler: Scheduler;
  /** By gate and kind; must cost no more than a read of an index. */
  readonly open: () => Promise<readonly OpenCases[]>;
}

/** Open reconciliation cases over all processes; where the read models do not answer in time they are left out of the page. */
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
        // A gate whose last case was closed must not keep its figure.
        this.reset();
        for (const one of cases) this.set({ gate: one.gate, kind: one.kind }, figure(one));
      },
    });
  };
  gauge('orchestrator_reconciliation_cases', 'Open reconciliation cases', ({ count }) => count);
  gauge('orchestrator_reconciliation_cases_oldest_seconds', 'The age of the oldest of them', ({ oldestAt }) =>
    Math.max(0, (clock.now() - oldestAt) / 1_000),
  );
};
