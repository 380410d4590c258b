import { fork, type ChildProcess } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import type { Violation } from '../world/oracle/report';
import type { Size } from './marks';

export interface SeedAsked {
  readonly seed: number;
  readonly isTwice: boolean;
}

export interface SeedResult {
  readonly seed: number;
  readonly violations: readonly Violation[];
  readonly marks: readonly string[];
  readonly size: Size;
  /** Processor time of all runs of this seed, in milliseconds. */
  readonly cpuMs: number;
}

export interface SeedRun {
  readonly seedsDone: number;
  readonly size: Size;
  readonly cpuMs: number;
  readonly marks: ReadonlyMap<string, number>;
  readonly failed: SeedResult | undefined;
}

/**
 * Without stack traces and with a larger young generation, a run takes a tenth less time. A failing seed is repeated without these flags.
 */
export const WORKER_FLAGS = ['--stack-trace-limit=0', '--max-semi-space-size=64'] as const;

interface SeedRunSettings extends Omit<SeedAsked, 'seed'> {
  readonly seeds: readonly number[];
  readonly stop: AbortSignal;
  readonly onProgress: (run: SeedRun) => void;
}

/**
 * Runs the seeds in one process per core, until one fails.
 * @throws Error if a worker ends by itself
 */
export const runSeeds = ({ seeds, isTwice, stop, onProgress }: SeedRunSettings): Promise<SeedRun> =>
  new Promise((resolve, reject) => {
    const marks = new Map<string, number>();
    const workers: ChildProcess[] = [];
    const left = seeds.values();
    let seedsDone = 0;
    let size: Size = { orders: 0, faults: 0 };
    let cpuMs = 0;
    let failed: SeedResult | undefined;
    const run = (): SeedRun => ({ seedsDone, size, cpuMs, marks, failed });
    const end = (): void => {
      for (const worker of workers) worker.removeAllListeners().kill('SIGKILL');
      resolve(run());
    };
    const give = (worker: ChildProcess): void => {
      const next = left.next();
      if (next.done !== true) worker.send({ seed: next.value, isTwice } satisfies SeedAsked);
    };
    const take = (worker: ChildProcess, result: SeedResult): void => {
      seedsDone++;
      size = { orders: size.orders + result.size.orders, faults: size.faults + result.size.faults };
      cpuMs += result.cpuMs;
      for (const mark of result.marks) marks.set(mark, (marks.get(mark) ?? 0) + 1);
      if (result.violations.length > 0) failed = result;
      onProgress(run());
      if (failed !== undefined || seedsDone === seeds.length) end();
      else give(worker);
    };
    stop.addEventListener('abort', end, { once: true });
    for (let at = 0; at < Math.min(seeds.length, availableParallelism()); at++) {
      const worker = fork(join(__dirname, 'seed-worker.cjs'), { execArgv: [...WORKER_FLAGS] });
      workers.push(worker);
      worker.on('message', (result: SeedResult) => take(worker, result));
      worker.on('exit', (code, signal) => {
        reject(new Error(`a worker ended by itself: ${signal ?? code}`));
        end();
      });
      give(worker);
    }
  });
