import type { KnownAnswer } from './key-ring';

/** The reason why a key ring does not fit a vault with these recorded answers, or undefined; a vault without any accepts every ring. */
export const keyRingProblem = (
  remembered: readonly KnownAnswer[],
  given: readonly KnownAnswer[],
  retired: ReadonlySet<string>,
): string | undefined => {
  const answers = new Map(given.map(({ name, answer }) => [name, Buffer.from(answer)]));
  const wrong = remembered.find(({ name, answer }) => answers.get(name)?.equals(answer) === false);
  if (wrong !== undefined) return `key ${wrong.name} of the key ring is not the one that this vault was written with`;
  const missing = remembered.find(({ name }) => !answers.has(name) && !retired.has(name));
  if (missing === undefined) return undefined;
  return `the key ring has no key ${missing.name}, which this vault was written with, and does not call it retired`;
};
