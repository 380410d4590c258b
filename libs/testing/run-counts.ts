const WHOLE_NUMBER = /^[1-9]\d{0,8}$/;

/**
 * A count or seed of a run from the environment, else the default.
 * @throws Error unless it is a whole number
 */
export const wholeNumber = (name: string, otherwise: number): number => {
  const text = process.env[name];
  if (text === undefined || text === '') return otherwise;
  if (!WHOLE_NUMBER.test(text)) throw new Error(`${name}: a whole number from 1 is expected`);
  return Number(text);
};
