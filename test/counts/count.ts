import { spawn } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type { CountedRow, PortionCommand } from './row';

/** How far a count has come, as it is kept in its file. */
export interface CountState {
  readonly row: string;
  readonly count: number;
  readonly seed: number;
  readonly done: number;
  /** Portions that failed, by where they begin. */
  readonly failed: readonly number[];
  readonly seconds: number;
}

export interface CountSettings {
  readonly row: CountedRow;
  readonly count: number;
  readonly seed: number;
  /** Where the state is kept; goes on from there where it is asked to and row, count and seed are the same. */
  readonly statePath: string;
  readonly resume: boolean;
  readonly say: (line: string) => void;
}

const MS = 1_000;

const run = ({ program, parameters, environment }: PortionCommand): Promise<boolean> =>
  new Promise((resolve, reject) => {
    const child = spawn(program, parameters, { env: { ...process.env, ...environment }, stdio: ['ignore', 'inherit', 'inherit'] });
    child.once('error', reject);
    child.once('close', (code) => resolve(code === 0));
  });

const kept = (path: string): CountState | undefined => {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as CountState;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
};

/** @throws Error where there is nothing that could be resumed */
const begun = ({ row, count, seed, statePath, resume }: CountSettings): CountState => {
  const fresh: CountState = { row: row.name, count, seed, done: 0, failed: [], seconds: 0 };
  if (!resume) return fresh;
  const state = kept(statePath);
  if (state === undefined) throw new Error(`nothing to resume: there is no ${statePath}`);
  if (state.row !== row.name || state.count !== count || state.seed !== seed)
    throw new Error(`${statePath} is of ${state.count} ${state.row} under seed ${state.seed}: resume with the same`);
  return state;
};

/**
 * Runs a row's count portion by portion, each in a program of its own, and keeps what is done after each, so that a run that was ended goes on with the
 * portion in which it was. A portion that fails counts as failed, and the next ones are run.
 * @throws Error where a program cannot be started, or nothing can be resumed
 */
export const runCount = async (settings: CountSettings): Promise<CountState> => {
  const { row, count, statePath, say } = settings;
  let state = begun(settings);
  while (state.done < count) {
    const { done, failed, seconds } = state;
    const size = Math.min(row.portionSize, count - done);
    const startedAt = performance.now();
    const isSound = await run(row.command({ first: done, size, seed: state.seed }));
    const tookS = seconds + (performance.now() - startedAt) / MS;
    state = { ...state, done: done + size, failed: isSound ? failed : [...failed, done], seconds: Math.round(tookS) };
    mkdirSync(dirname(statePath), { recursive: true });
    writeFileSync(statePath, `${JSON.stringify(state)}\n`);
    const rate = state.done / Math.max(tookS, 1);
    const left = Math.ceil((count - state.done) / rate);
    say(`${state.done} of ${count} ${row.unit}, ${rate.toPrecision(3)} a second, ${state.failed.length} portions failed, ${left} s left`);
  }
  return state;
};
