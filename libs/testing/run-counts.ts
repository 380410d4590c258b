const WHOLE_NUMBER = /^[1-9]\d{0,8}$/;

/**
 * A count or seed of a run, from the environment.
 * @param ofEachRun what `npm test` takes, which has minutes
 * @param ofTheBar what `npm run test:long` takes, where that is more: the count of each run of CI (safety, section 1)
 * @throws Error where it is no whole number
 */
export const wholeNumber = (name: string, ofEachRun: number, ofTheBar = ofEachRun): number => {
  const text = process.env[name];
  if (text === undefined || text === '') return process.env['TEST_LONG'] === 'all' ? ofTheBar : ofEachRun;
  if (!WHOLE_NUMBER.test(text)) throw new Error(`${name}: a whole number from 1 is expected`);
  return Number(text);
};
