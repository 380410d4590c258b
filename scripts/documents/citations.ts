import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Cited documents, by the words that name them in citations. */
export const NORM_FILES = {
  interface: 'docs/protocol.md',
  'protocol decisions': 'docs/protocol.md',
  safety: 'docs/safety.md',
  architecture: 'docs/rules.md',
  'EventStoreDB notes': 'docs/eventstoredb.md',
} as const;
export type Norm = keyof typeof NORM_FILES;
export type Norms = Readonly<Record<Norm, ReadonlySet<string>>>;

interface Citation {
  readonly norm: Norm;
  readonly id: string;
  readonly line: number;
  readonly text: string;
}

export interface Found {
  readonly citations: readonly Citation[];
  /** Unreadable citations, by line. */
  readonly faults: readonly { readonly line: number; readonly text: string }[];
}

const NUMBER = String.raw`\d+(?:\.\d+)*`;
const HEADING = /^#{1,6} (.+)$/gm;
const FIRST_CELL = /^\| *([^|]*?) *\|/gm;
const POINT = new RegExp(`^(?:${NUMBER}|[A-Z]\\d+[a-z]?(?:\\.\\d+)?)$`);
const HEAD_OF_HEADING = new RegExp(`^(?:(Rule) )?(D?${NUMBER})\\b`);

/** Points that can be cited: headings by number, as `rule n` and by title, and table rows by their first cell. */
export const idsOf = (markdown: string): ReadonlySet<string> => {
  const headings = [...markdown.matchAll(HEADING)].flatMap(([, title = '']) => {
    const [, rule, number] = HEAD_OF_HEADING.exec(title) ?? [];
    return number === undefined ? [title] : [title, rule === undefined ? number : `rule ${number}`];
  });
  const rows = [...markdown.matchAll(FIRST_CELL)].map(([, cell = '']) => cell).filter((cell) => POINT.test(cell));
  return new Set([...headings, ...rows.map((row) => (/^\d+$/.test(row) ? `point ${row}` : row))]);
};

export const readNorms = (read: (file: string) => string): Norms => ({
  interface: idsOf(read(NORM_FILES.interface)),
  'protocol decisions': idsOf(read(NORM_FILES['protocol decisions'])),
  safety: idsOf(read(NORM_FILES.safety)),
  architecture: idsOf(read(NORM_FILES.architecture)),
  'EventStoreDB notes': idsOf(read(NORM_FILES['EventStoreDB notes'])),
});

/** White space within a citation, which may continue on the comment's next line. */
const GAP = String.raw`(?:[ \t]|\r?\n[ \t]*(?:\*|//|#)?[ \t]*)+`;
const DOCUMENT = String.raw`(?<![\w-])(?:[Ii]nterface|(?:[Pp]rotocol${GAP})?[Dd]ecisions|[Ss]afety|[Aa]rchitecture|EventStoreDB${GAP}notes)`;
/** Sections inserted by a parametrised test; the values are in the same file. */
const PLACEHOLDER = String.raw`\$\{section\}|%s`;
const POINTS = String.raw`(?:[TFBIPD]\d+[a-z]?(?:\.\d+)*|${NUMBER})(?![\w%])`;
const NAMED = String.raw`(?:(?:sections?|rules?|points?)${GAP})?(?:${POINTS}|${PLACEHOLDER})|"[^"]{1,120}"`;
const BETWEEN = String.raw`(?:,${GAP}and${GAP}|,${GAP}|${GAP}(?:and|to)${GAP})`;
const CITATION = new RegExp(`(${DOCUMENT})(?:,${GAP}|${GAP}(?!"))((?:${NAMED})(?:${BETWEEN}(?:${NAMED}))*)`, 'g');
const TOKEN = new RegExp(String.raw`"([^"]{1,120})"|(sections?|rules?|points?)(?![\w])|(${POINTS})|(${PLACEHOLDER})`, 'g');

/** Citations without a document's name. */
const ALONE: readonly (readonly [Norm, RegExp])[] = [
  ['protocol decisions', /(?<![\w%.])(D\d+\.\d+)\b/g],
  ['architecture', /(?<=[( ])[Rr]ule (\d+)(?=[);,. ])/g],
];

/** Look like citations, but refer to external documents or to no point. */
const NO_NAME = new RegExp(
  [
    String.raw`\b(?:PD|ARCH) \d+`,
    '§ ?\\d',
    String.raw`\b(?!RFC)(?:[Ss]tyle|[Tt]oolchain|[Vv]ocabulary|gateway-interface|protocol-decisions),${GAP}(?:sections?|rules?)${GAP}\d`,
    `${DOCUMENT},${GAP}(?:chapter|section|rule|point|row|table|threat|fault|invariant)s?\\b`,
    String.raw`(?<=[(*] ?)[Aa]rchitecture,${GAP}[\w"]`,
  ].join('|'),
  'g',
);

const plain = (text: string): string => text.replace(new RegExp(GAP, 'g'), ' ');

const normNamed = (words: string): Norm => {
  if (/decisions$/i.test(words)) return 'protocol decisions';
  const word = words.toLowerCase();
  return word === 'interface' || word === 'safety' || word === 'architecture' ? word : 'EventStoreDB notes';
};

const idOf = (norm: Norm, kind: string, point: string): string => {
  if (kind === 'rule' || kind === 'point') return `${kind} ${point}`;
  return norm === 'protocol decisions' && /^\d/.test(point) ? `D${point}` : point;
};

/** Sections in titles of parametrised tests. A section of the decisions is a citation by itself. */
const VALUES = /(?:\bsection: '|\[\s*'section )(?:decisions \d+|(\d+(?:\.\d+)*))(?=[':])/g;

export const citationsIn = (text: string): Found => {
  const lineAt = (index: number): number => text.slice(0, index).split('\n').length;
  const citations: Citation[] = [];
  const faults: { line: number; text: string }[] = [];
  const read: { readonly from: number; readonly to: number }[] = [];
  const isRead = (index: number): boolean => read.some(({ from, to }) => index >= from && index < to);
  let hasPlaceholder = false;
  for (const { index, 0: whole, 1: words = '', 2: list = '' } of text.matchAll(CITATION)) {
    read.push({ from: index, to: index + whole.length });
    const norm = normNamed(words);
    const start = index + whole.length - list.length;
    let kind = '';
    for (const { index: at, 1: title, 2: word, 3: point, 4: placeholder } of list.matchAll(TOKEN)) {
      const here = { norm, line: lineAt(start + at), text: plain(whole) };
      if (word !== undefined) kind = word.replace(/s$/, '');
      if (title !== undefined) citations.push({ ...here, id: plain(title) });
      if (point !== undefined) citations.push({ ...here, id: idOf(norm, kind, point) });
      hasPlaceholder ||= placeholder !== undefined;
    }
  }
  for (const [norm, pattern] of ALONE) {
    for (const { index, 0: whole, 1: point = '' } of text.matchAll(pattern)) {
      if (isRead(index)) continue;
      citations.push({ norm, id: idOf(norm, norm === 'architecture' ? 'rule' : '', point), line: lineAt(index), text: whole.trim() });
    }
  }
  if (hasPlaceholder) {
    const values = [...text.matchAll(VALUES)];
    if (values.length === 0) faults.push({ line: 1, text: 'a title takes its section from nowhere' });
    for (const { index, 1: point } of values) {
      if (point !== undefined) citations.push({ norm: 'interface', id: point, line: lineAt(index), text: `interface, section ${point}` });
    }
  }
  for (const { index, 0: whole } of text.matchAll(NO_NAME)) {
    if (!isRead(index)) faults.push({ line: lineAt(index), text: plain(whole) });
  }
  return { citations, faults };
};

const LOOKED_AT = /\.(?:ts|mjs|cjs|js|md|ya?ml)$/;
const FOLDERS = ['apps', 'libs', 'test', 'scripts', 'docs', 'config', 'deploy'];
/** These contain citations that must fail. */
const PLANTED = ['scripts/documents/citations.ts', 'scripts/documents/citations.spec.ts'];

/** Files with comments or prose. */
export const filesUnder = (root: string): readonly string[] => {
  const top = readdirSync(root).filter((name) => LOOKED_AT.test(name));
  const below = FOLDERS.flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name)),
  );
  return [...top, ...below].filter((file) => LOOKED_AT.test(file) && !file.includes('node_modules') && !PLANTED.includes(file));
};

/** Every dangling citation, by file and line. Also reports if the check itself finds nothing. */
export const citationFaults = (root: string): readonly string[] => {
  const norms = readNorms((file) => readFileSync(join(root, file), 'utf8'));
  const faults: string[] = [];
  const cited = new Set<Norm>();
  /** They document how to cite them. */
  const own: ReadonlySet<string> = new Set(Object.values(NORM_FILES));
  const texts = filesUnder(root).map((file) => [file, readFileSync(join(root, file), 'utf8')] as const);
  for (const [file, text] of texts) {
    const found = citationsIn(text);
    for (const { norm, id, line, text: words } of found.citations) {
      if (!own.has(file)) cited.add(norm);
      if (!norms[norm].has(id)) faults.push(`${file}:${line} cites "${words}": ${NORM_FILES[norm]} has no "${id}"`);
    }
    faults.push(...found.faults.map(({ line, text: words }) => `${file}:${line} cites "${words}", which names nothing in docs/`));
  }
  for (const norm of Object.keys(NORM_FILES) as Norm[]) {
    if (!cited.has(norm)) faults.push(`nothing cites "${norm}": the check is blind`);
  }
  return faults;
};
