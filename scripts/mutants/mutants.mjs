import { readdirSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { Instrumenter } from '@stryker-mutator/instrumenter';

const SPEC = '.spec.ts';
/** The models go the same ways as the specs, many thousand times for each mutant. */
const MODEL = '.model.spec.ts';

const filesOf = (entries) =>
  entries.flatMap((entry) =>
    entry.endsWith('.ts') ? [entry] : readdirSync(entry, { recursive: true }).map((name) => `${entry}/${name.replaceAll('\\', '/')}`),
  );

export const specsOf = ({ specs }) =>
  [...new Set(filesOf(specs))].filter((file) => file.endsWith(SPEC) && !file.endsWith(MODEL)).map((file) => resolve(file));

const NO_LOG = { debug: () => undefined, info: () => undefined, isDebugEnabled: () => false };
const OPTIONS = { excludedMutations: [], ignorers: [], noHeader: false, plugins: null };

const textBetween = (lines, { start, end }) => {
  if (start.line === end.line) return lines[start.line].slice(start.column, end.column);
  return [lines[start.line].slice(start.column), ...lines.slice(start.line + 1, end.line), lines[end.line].slice(0, end.column)].join('\n');
};

/** The group's files with a switch for each mutant in them, and what each mutant is. */
export const mutantsOf = async ({ mutate }) => {
  const names = [...new Set(filesOf(mutate))].filter((file) => file.endsWith('.ts') && !file.endsWith(SPEC));
  const sources = names.map((name) => ({ name, mutate: true, content: readFileSync(name, 'utf8') }));
  const { files, mutants } = await new Instrumenter(NO_LOG).instrument(sources, OPTIONS);
  const linesByFile = new Map(sources.map(({ name, content }) => [name, content.split('\n')]));
  return {
    files: files.map(({ name, content }) => [resolve(name), content]),
    mutants: mutants.map(({ id, fileName: file, location, mutatorName, replacement }) => {
      const lines = linesByFile.get(file);
      const { line, column } = location.start;
      const original = textBetween(lines, location);
      return { id, file, at: `${file}:${line + 1}:${column + 1}`, line: lines[line].trim(), original, replacement, mutatorName };
    }),
  };
};
