import { valueOf, verdictOn, type Bound, type Figure, type Findings } from './figure';

export interface Chapter extends Findings {
  readonly name: string;
  readonly title: string;
}

const written = (value: number): string => (Math.abs(value) >= 100 ? Math.round(value).toLocaleString('en') : value.toPrecision(3));

const boundText = ({ kind, asked, goal }: Bound): string =>
  `${kind === 'at-least' ? 'at least' : 'at most'} ${asked}${goal === undefined ? '' : ` [${goal}]`}`;

interface Row {
  readonly name: string;
  readonly measured: string;
  readonly asked: string;
  readonly verdict: string;
  readonly rounds: string;
}

const rowOf = (figure: Figure): Row => {
  const { name, unit, rounds, bound, absent } = figure;
  const asked = bound === undefined ? '' : boundText(bound);
  if (absent !== undefined) return { name, measured: 'not measured', asked, verdict: absent, rounds: '' };
  const measured = `${written(valueOf(figure))}${unit === 'x' ? '' : unit.startsWith('/') ? unit : ` ${unit}`}`;
  return { name, measured, asked, verdict: verdictOn(figure) ?? '', rounds: rounds.length > 1 ? rounds.map(written).join(', ') : '' };
};

/** Text for the terminal. */
export const printChapter = ({ title, figures, notes }: Chapter): string => {
  const lines = figures
    .map(rowOf)
    .map(
      ({ name, measured, asked, verdict, rounds }) =>
        `  ${name.padEnd(62)} ${measured.padStart(12)}  ${asked.padEnd(20)} ${verdict}${rounds === '' ? '' : `  (rounds ${rounds})`}`,
    );
  return [`\n${title}`, ...lines, ...notes.map((note) => `  - ${note}`)].join('\n');
};

const cell = (text: string): string => text.replaceAll('|', '\\|');

/** A table for the document, padded as the formatter wants it. */
const table = (figures: readonly Figure[]): string => {
  const rows = figures.map(rowOf);
  const head: Row = { name: 'Figure', measured: 'Measured', asked: 'Asked [goal]', verdict: 'Verdict', rounds: 'Rounds' };
  const columns = ['name', 'measured', 'asked', 'verdict', 'rounds'] as const;
  const widths = columns.map((column) => Math.max(3, ...[head, ...rows].map((row) => cell(row[column]).length)));
  const line = (row: Row): string => `| ${columns.map((column, index) => cell(row[column]).padEnd(widths[index] ?? 0)).join(' | ')} |`;
  return [line(head), `| ${widths.map((width) => '-'.repeat(width)).join(' | ')} |`, ...rows.map(line)].join('\n');
};

export interface Report {
  readonly date: string;
  readonly environment: readonly string[];
  readonly chapters: readonly Chapter[];
}

const HEADING = '## ';

const textOf = ({ name, title, figures, notes }: Chapter): string =>
  [`${HEADING}${title}`, '', `Alone: \`npm run bench -- ${name}\``, '', table(figures), '', ...notes.map((note) => `- ${note}`), ''].join(
    '\n',
  );

/** The whole of docs/benchmarks.md. */
export const documentOf = ({ date, environment, chapters }: Report): string =>
  [
    '# Benchmarks',
    '',
    'Written by `npm run bench:peers && npm run bench`; run it to have the figures of your own machine.',
    'Ratios are measured side by side in one run, the load generator included, interleaved; each figure is the median of its rounds.',
    'What is compared runs in processes of its own, from the build. "Asked" is what the project sets itself, the goal in brackets.',
    '',
    `Measured on ${date}, but for chapters that say otherwise:`,
    '',
    ...environment.map((line) => `- ${line}`),
    '',
    ...chapters.map(textOf),
  ].join('\n');

const titleOf = (text: string): string => text.slice(HEADING.length, text.indexOf('\n'));

/**
 * The document with these chapters in the place of their older form, or where they belong; each says when and how it was measured.
 * @param titles of all chapters, in their order
 */
export const withChapters = (document: string, { date, environment, chapters }: Report, titles: readonly string[]): string => {
  const [head = '', ...older] = document.split(/^(?=## )/m);
  const measured = `Measured apart from the others, on ${date}: ${environment.slice(2).join('; ')}.`;
  const texts = new Map(older.map((text) => [titleOf(text), `${text.trimEnd()}\n\n`]));
  for (const chapter of chapters) texts.set(chapter.title, `${textOf({ ...chapter, notes: [...chapter.notes, measured] })}\n`);
  return `${[head, ...titles.flatMap((title) => texts.get(title) ?? [])].join('').trimEnd()}\n`;
};
