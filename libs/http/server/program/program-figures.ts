import { collectDefaultMetrics, Counter, Gauge, type Registry } from 'prom-client';
import type { BuildInfo } from './build-info';

/** In seconds, for operations that normally take milliseconds. */
export const ANSWER_SECONDS: number[] = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/**
 * A counter that is kept elsewhere.
 * @param read must never decrease
 */
const countedElsewhere = (registry: Registry, name: string, help: string, read: () => number): void => {
  new Counter({
    name,
    help,
    registers: [registry],
    collect() {
      this.reset();
      this.inc(read());
    },
  });
};

/** Metrics of every program: process, Node, build, and log failures. */
export const watchProgram = (
  registry: Registry,
  program: { readonly prefix: string; readonly build: BuildInfo; readonly log: { readonly linesLost: number } },
): void => {
  const { prefix, build, log } = program;
  collectDefaultMetrics({ register: registry });
  new Gauge({
    name: `${prefix}_build_info`,
    help: 'Version and revision of the program; always 1',
    labelNames: ['version', 'revision'],
    registers: [registry],
  }).set({ ...build }, 1);
  countedElsewhere(registry, `${prefix}_log_lines_lost_total`, 'Log lines that could not be written', () => log.linesLost);
};
