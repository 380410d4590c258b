import { KILL_POINTS } from '@app/kernel';
import { readTestSwitches } from '../test-switches';

const read = (environment: Readonly<Record<string, string>>, kill = (): void => undefined) => readTestSwitches(environment, false, kill);

it.each(['P99', 'P5:0', 'P5:', 'P5:x', 'P5:1000000', 'p5', ' P5'])('rejects FAILPOINT %j and lists the valid points', (FAILPOINT) => {
  expect(() => read({ FAILPOINT })).toThrow(new Error(`FAILPOINT: ${KILL_POINTS.join(', ')}, and ":n" for the nth time`));
});

it.each([
  ['MEASURE_COMMIT_DELAY_MS', '-1'],
  ['MEASURE_COMMIT_DELAY_MS', '1.5'],
  ['MEASURE_GROUP_JOBS_MAX', 'all'],
  ['MEASURE_GROUP_JOBS_MAX', '1000000'],
])('rejects %s=%s and names the variable', (name, text) => {
  expect(() => read({ [name]: text })).toThrow(new Error(`${name}: must be a whole number`));
});

it('kills at the first hit of a failpoint, or at hit n if a number is given', () => {
  const kills: string[] = [];
  const first = read({ FAILPOINT: 'P5' }, () => kills.push('first')).failpoints;
  const third = read({ FAILPOINT: 'P6a:3' }, () => kills.push('third')).failpoints;
  first.reach('P6a');
  third.reach('P6a');
  third.reach('P6a');
  expect(kills).toStrictEqual([]);
  first.reach('P5');
  third.reach('P6a');
  expect(kills).toStrictEqual(['first', 'third']);
});

it('reads the other switches and treats an empty text as unset', () => {
  expect(
    read({ MEASURE_COMMIT_DELAY_MS: '0', MEASURE_GROUP_JOBS_MAX: '999999', MEASURE_SILENT_GATE: 'sim-a', FAILPOINT: '' }),
  ).toMatchObject({ commitDelayMs: 0, groupJobsMax: 999_999, silentGate: 'sim-a' });
});
