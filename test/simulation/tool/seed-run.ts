import { fork, type ChildProcess } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import type { Violation } from '../world/oracle/report';
import type { Size } from './marks';

/** What a worker is asked. */
export interface SeedAsked {
  readonly seed: number;
  /** Whether to run it again, and to compare the two to the last byte. */
  readonly isTwice: boolean;
}

/** What a worker tells of one seed. */
export interface SeedResult {
  readonly seed: number;
  readonly violations: readonly Violation[];
  readonly marks: readonly string[];
  /** Of its worlds. */
  readonly size: Size;
  /** Of a processor, by all of its worlds, of which there are two where it is run twice. */
  readonly cpuMs: number;
}

export interface SeedRun {
  readonly seedsDone: number;
  /** Of all seeds together. */
  readonly size: Size;
  readonly cpuMs: number;
  /** By mark, in how many worlds it was reached. */
  readonly marks: ReadonlyMap<string, number>;
  /** The first seed that violated an invariant. */
  readonly failed: SeedResult | undefined;
}

/** A world throws many errors and much away: without traces, and with room for what is new, it takes a tenth less time. A failing seed is run again outside. */
export const WORKER_FLAGS = ['--stack-trace-limit=0', '--max-semi-space-size=64'] as const;

interface SeedRunSettings extends Omit<SeedAsked, 'seed'> {
  readonly seeds: readonly number[];
  /** Ends the run with what was found so far. */
  readonly stop: AbortSignal;
  readonly onProgress: (run: SeedRun) => void;
}

/** Runs the seeds in a process for each core, until one fails. @throws Error where a worker ends by itself */
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
