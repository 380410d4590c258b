import { drivenByParent, type Driven } from './driven';
import { KILL_POINTS, noFailpoints, type Failpoints, type KillPoint } from '@app/kernel';

/** For tests and measurements. There is only one build, so production refuses them (safety, section 1). */
export interface TestSwitches {
  readonly failpoints: Failpoints;
  /** Delays each commit of the event log, to simulate a slower disk. */
  readonly commitDelayMs: number | undefined;
  /** The most appends in one transaction. */
  readonly groupJobsMax: number | undefined;
  readonly silentGate: string | undefined;
  /** The parent process drives time and the simulated gates. */
  readonly driven?: Driven | undefined;
}

const FAILPOINT = /^(P\d+[ab]?)(?::([1-9]\d{0,5}))?$/;
const NUMBER = /^\d{1,6}$/;
const INSTANT = /^\d{1,15}$/;

const isKillPoint = (text: string): text is KillPoint => (KILL_POINTS as readonly string[]).includes(text);

/** `P5` kills when the point is first reached, `P5:3` the third time. */
const failpointsOf = (text: string | undefined, kill: () => void): Failpoints => {
  if (text === undefined) return noFailpoints;
  const match = FAILPOINT.exec(text);
  const point = match?.[1];
  if (point === undefined || !isKillPoint(point)) throw new Error(`FAILPOINT: ${KILL_POINTS.join(', ')}, and ":n" for the nth time`);
  let left = Number(match?.[2] ?? '1');
  return {
    reach: (reached) => {
      if (reached === point && --left === 0) kill();
    },
  };
};

const numberAt = (name: string, text: string | undefined, form = NUMBER): number | undefined => {
  if (text === undefined) return undefined;
  if (!form.test(text)) throw new Error(`${name}: must be a whole number`);
  return Number(text);
};

/** @throws Error naming the invalid switch, or those set in production */
export const readTestSwitches = (
  environment: Readonly<Record<string, string | undefined>>,
  isProduction: boolean,
  kill: () => void,
): TestSwitches => {
  const names = ['FAILPOINT', 'MEASURE_COMMIT_DELAY_MS', 'MEASURE_GROUP_JOBS_MAX', 'MEASURE_SILENT_GATE', 'DRIVEN_FROM'] as const;
  const set = names.filter((name) => (environment[name] ?? '') !== '');
  if (isProduction && set.length > 0) throw new Error(`${set.join(', ')}: not taken when NODE_ENV=production`);
  const given = (name: (typeof names)[number]): string | undefined => environment[name] || undefined;
  return {
    failpoints: failpointsOf(given('FAILPOINT'), kill),
    commitDelayMs: numberAt('MEASURE_COMMIT_DELAY_MS', given('MEASURE_COMMIT_DELAY_MS')),
    groupJobsMax: numberAt('MEASURE_GROUP_JOBS_MAX', given('MEASURE_GROUP_JOBS_MAX')),
    silentGate: given('MEASURE_SILENT_GATE'),
    driven: drivenByParent(numberAt('DRIVEN_FROM', given('DRIVEN_FROM'), INSTANT)),
  };
};
