import { readFileSync } from 'node:fs';

const FILE = new URL('equivalents.json', import.meta.url);

/**
 * Mutants that no test can kill, each with the reason: `[{ file, line, original, replacement, reason }]`, where `line` is the trimmed text of the line on
 * which the mutant begins, so that an entry outlives changes elsewhere in its file.
 */
export const readEquivalents = () => JSON.parse(readFileSync(FILE, 'utf8'));

export const isOf = (equivalent, mutant) =>
  equivalent.file === mutant.file &&
  equivalent.line === mutant.line &&
  equivalent.original === mutant.original &&
  equivalent.replacement === mutant.replacement;

/** What is wrong with the entries of the files that were mutated: one that names no mutant, or one that a test does kill. */
export const equivalentFaults = (equivalents, mutants) => {
  const files = new Set(mutants.map(({ file }) => file));
  return equivalents
    .filter(({ file }) => files.has(file))
    .flatMap((equivalent) => {
      const named = mutants.filter((mutant) => isOf(equivalent, mutant));
      const where = `${equivalent.file}: ${equivalent.line}`;
      if (!equivalent.reason) return [`no reason: ${where}`];
      if (named.length === 0) return [`names no mutant: ${where}`];
      return named.some(({ isKilled }) => !isKilled) ? [] : [`is killed: ${where}`];
    });
};
