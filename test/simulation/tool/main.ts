import 'reflect-metadata';
import { parseArgs } from 'node:util';
import type { Violation } from '../world/oracle/report';
import { eventsOf } from '../world/stores';
import type { World } from '../world/world';
import { describeFailure } from './failure';
import { MARKS, marksMissing, WORLDS_FOR_ALL_MARKS } from './marks';
import { inWorld } from './one-world';
import { runSeeds, type SeedResult, type SeedRun } from './seed-run';

const PROGRESS_EVERY_MS = 5_000;
const say = (line: string): void => void process.stdout.write(`${line}\n`);

const wholeNumber = (text: string, name: string): number => {
  if (!/^\d{1,9}$/.test(text)) throw new Error(`--${name} is a whole number`);
  return Number(text);
};

const violatedIn = (seed: number): Promise<readonly string[]> =>
  inWorld({ seed }, (_world, violations) => Promise.resolve([...new Set(violations.map(({ invariant }) => invariant))]));

const listViolated = async (seeds: readonly number[]): Promise<boolean> => {
  let isSound = true;
  for (const seed of seeds) {
    const violated = await violatedIn(seed);
    say(JSON.stringify({ seed, violated }));
    if (violated.length > 0) isSound = false;
  }
  return isSound;
};

const traceOf = async (world: World, violations: readonly Violation[]): Promise<readonly string[]> => {
  const told = [
    ...(await eventsOf(world)).map(({ createdMs, stream, type }) => ({ atMs: createdMs, text: `${stream} ${type}` })),
    ...world.instances.lines.map(({ atMs, instance, event, error }) => ({ atMs, text: `${instance} ${event} ${String(error)}` })),
  ];
  const inTime = told.toSorted((a, b) => a.atMs - b.atMs).map(({ atMs, text }) => `${atMs} ${text}`);
  return [...inTime, ...violations.map(({ invariant, about, seen }) => `violated: ${invariant}: ${about}: ${seen}`)];
};

const replay = async (seed: number, isTraced: boolean): Promise<boolean> => {
  const [first] = await inWorld({ seed }, async (world, violations) => {
    if (isTraced) for (const line of await traceOf(world, violations)) say(line);
    return violations;
  });
  for (const line of first === undefined ? [`seed ${seed}: no violation`] : await describeFailure(seed, first.invariant)) say(line);
  return first === undefined;
};

interface ManySettings {
  readonly seeds: readonly number[];
  readonly isTwice: boolean;
  readonly isJson: boolean;
  readonly isPlanted: boolean;
}

/** Only invariants are shrunk. A difference between two runs of a seed shows in its trace, and a planted bug is known. */
const linesOf = async (
  failed: SeedResult | undefined,
  { isTwice, isPlanted }: Pick<ManySettings, 'isTwice' | 'isPlanted'>,
): Promise<readonly string[]> => {
  const [violation] = failed?.violations ?? [];
  if (failed === undefined || violation === undefined) return [];
  return isTwice || isPlanted
    ? [`seed ${failed.seed}: ${violation.invariant}: ${violation.seen}`]
    : describeFailure(failed.seed, violation.invariant);
};

const costOf = ({ seedsDone, size, cpuMs }: SeedRun, elapsedMs: number, isTwice: boolean) => {
  const done = Math.max(seedsDone, 1);
  const worlds = seedsDone * (isTwice ? 2 : 1);
  return {
    worldsPerSecond: Number((worlds / (elapsedMs / 1_000)).toFixed(2)),
    cpuMsPerWorld: Math.round(cpuMs / Math.max(worlds, 1)),
    ordersPerWorld: Math.round(size.orders / done),
    faultsPerWorld: Math.round(size.faults / done),
  };
};

const runMany = async ({ seeds, isTwice, isJson, isPlanted }: ManySettings): Promise<boolean> => {
  const stop = new AbortController();
  process.once('SIGINT', () => stop.abort());
  const startedAt = performance.now();
  let shownAt = startedAt;
  const run = await runSeeds({
    seeds,
    isTwice,
    stop: stop.signal,
    onProgress: ({ seedsDone, marks }) => {
      const now = performance.now();
      if (now - shownAt < PROGRESS_EVERY_MS) return;
      shownAt = now;
      const rate = seedsDone / ((now - startedAt) / 1_000);
      const reached = MARKS.filter((mark) => marks.has(mark)).length;
      process.stderr.write(`${seedsDone} of ${seeds.length}, ${rate.toFixed(1)} a second, ${reached} of ${MARKS.length} marks, ${Math.ceil((seeds.length - seedsDone) / rate)} s left\n`); // prettier-ignore
    },
  });
  const { seedsDone, marks, failed } = run;
  const cost = costOf(run, performance.now() - startedAt, isTwice);
  const { never, isFailure } = isTwice ? { never: [], isFailure: false } : marksMissing(run);
  say(
    `${seedsDone} of ${seeds.length} seeds from ${seeds[0]}${isTwice ? ', each twice' : `, ${MARKS.length - never.length} of ${MARKS.length} marks reached`}`,
  );
  say(`${cost.worldsPerSecond} worlds a second, ${cost.cpuMsPerWorld} ms of a processor each; a world had ${cost.ordersPerWorld} orders and ${cost.faultsPerWorld} faults`); // prettier-ignore
  for (const mark of never) say(`never reached: ${mark}`);
  if (isFailure) say(`a run of ${WORLDS_FOR_ALL_MARKS} worlds or more must reach every mark`);
  for (const line of await linesOf(failed, { isTwice, isPlanted })) say(line);
  if (isJson) say(JSON.stringify({ from: seeds[0], asked: seeds.length, done: seedsDone, failedSeed: failed?.seed ?? null, ...cost, marks: Object.fromEntries(marks), never })); // prettier-ignore
  return failed === undefined && !isFailure;
};

const main = async (): Promise<boolean> => {
  const { values } = parseArgs({
    options: {
      seed: { type: 'string', multiple: true },
      seeds: { type: 'string' },
      from: { type: 'string', default: '1' },
      trace: { type: 'boolean', default: false },
      twice: { type: 'boolean', default: false },
      json: { type: 'boolean', default: false },
      // Set by `run.mjs`, which has put the bug into this code.
      planted: { type: 'string' },
    },
  });
  const chosen = (values.seed ?? []).map((text) => wholeNumber(text, 'seed'));
  const [seed] = chosen;
  if (seed !== undefined && values.json) return listViolated(chosen);
  if (seed !== undefined) {
    if (chosen.length > 1) throw new Error('one seed is told as a story; several are listed with --json');
    return replay(seed, values.trace);
  }
  if (values.seeds === undefined)
    throw new Error('give --seed N [--trace], --seed N --seed M --json, or --seeds COUNT [--from N] [--twice] [--json]');
  const [from, count] = [wholeNumber(values.from, 'from'), wholeNumber(values.seeds, 'seeds')];
  return runMany({
    seeds: Array.from({ length: count }, (_, at) => from + at),
    isTwice: values.twice,
    isJson: values.json,
    isPlanted: values.planted !== undefined,
  });
};

main().then(
  (isSound) => void (process.exitCode = isSound ? 0 : 1),
  (error: unknown) => {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    process.exitCode = 2;
  },
);
