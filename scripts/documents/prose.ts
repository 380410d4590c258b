import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { filesUnder } from './citations';

/** Per 1,000 words, in comments, in titles of tests and in documents. */
const IDIOMS_MAX = 3;

/**
 * Idioms that make technical prose hard to read, each with the plain words to use. A text without them is not yet a good text; a text full of them is a
 * bad one.
 */
const IDIOMS: readonly (readonly [idiom: RegExp, plain: string])[] = [
  [
    /\bwhat (?:is|are|was|were|has|have|had|it|they|comes?|came|stands?|one|nobody|anybody|arrives?|follows?|may|must|can|becomes?)\b/gi,
    'the noun',
  ],
  [/\b(?:of|by|to|from|with) what\b/gi, 'the noun'],
  [/(?<=[.;:,(]\s|^)where (?:it|they|this|that|one|the|an?|none|no|nothing|nobody|there|several|both)\b/gim, '"if" or "when"'],
  [/\b(?:tells?|told|telling)\b/gi, '"returns", "reports", "sends"'],
  [/\bhe(?:ars?|ard)\b/gi, '"receives"'],
  [/\b(?:stands?|looks? at|looked at|go(?:es|ing)? on|went on)\b/gi, '"is", "checks", "continues"'],
  [/\b(?:alone|beside|anew|of (?:its|their|our|one's) own)\b/gi, '"only", "next to", "again", "own"'],
  [/\b(?:nobody|anybody|whoever|whom)\b/gi, 'the role: "no client", "any sender"'],
  [/\b(?:meanwhile|by now|as yet|thereby|whereof|hitherto|so long as)\b/gi, 'the time or the condition'],
  [/\b(?:is|are|has) none\b/gi, '"does not exist"'],
  [/, for (?:it|they|this|that|the|an?|no|each)\b/gi, '"because"'],
  [/\b(?:one|those|that) (?:that|of) (?:is|was|are|were|has|had|its|the)\b/gi, 'the noun'],
];

const KINDS = ['comments', 'titles', 'documents'] as const;
type Kind = (typeof KINDS)[number];

const COMMENT = /\/\*([\s\S]*?)\*\/|(?<![:'"`\\/])\/\/(.*)$/gm;
const TITLE = /\b(?:it|test|describe)(?:\.\w+)*\s*(?:\([^'"`]*\))?\(\s*(['"`])((?:\\.|(?!\1).)*)\1/g;

const commentsIn = (source: string): string =>
  [...source.matchAll(COMMENT)].map(([, block, line]) => (block ?? line ?? '').replaceAll(/^\s*\* ?/gm, ' ')).join('\n');
const titlesIn = (source: string): string => [...source.matchAll(TITLE)].map(([, , title]) => title).join('\n');
const documentIn = (markdown: string): string => markdown.replaceAll(/```[\s\S]*?```|`[^`]*`/g, ' ').replaceAll(/\]\([^)]*\)/g, '] ');

const wordsIn = (text: string): number => (text.match(/[A-Za-z][A-Za-z'’-]*/g) ?? []).length;
const idiomsIn = (text: string): readonly string[] =>
  IDIOMS.flatMap(([idiom, plain]) => (text.match(idiom) ?? []).map((found) => `"${found.trim()}" (say ${plain})`));

const proseOf = (file: string, text: string): readonly (readonly [Kind, string])[] => {
  if (file.endsWith('.md')) return [['documents', documentIn(text)]];
  return [['comments', commentsIn(text)], ...(/spec\.ts$/.test(file) ? [['titles', titlesIn(text)] as const] : [])];
};

/** One fault for each kind of prose above the limit, with the files that have most idioms. */
export const idiomFaults = (files: Iterable<readonly [file: string, text: string]>): readonly string[] => {
  const read = [...files].flatMap(([file, text]) =>
    proseOf(file, text).map(([kind, prose]) => ({ kind, file, words: wordsIn(prose), idioms: idiomsIn(prose) })),
  );
  return KINDS.flatMap((kind) => {
    const ofKind = read.filter((each) => each.kind === kind);
    const words = ofKind.reduce((sum, each) => sum + each.words, 0);
    const idioms = ofKind.reduce((sum, each) => sum + each.idioms.length, 0);
    if (words === 0) return [`no ${kind} found: the check is blind`];
    const rate = (1_000 * idioms) / words;
    if (rate <= IDIOMS_MAX) return [];
    const worst = ofKind.sort((a, b) => b.idioms.length - a.idioms.length).slice(0, 3);
    return [
      `${kind} have ${rate.toFixed(1)} idioms per 1,000 words, at most ${IDIOMS_MAX} are allowed`,
      ...worst.map(({ file, idioms: found }) => `  ${file}: ${found.length}, for example ${found[0]}`),
    ];
  });
};

export const proseFaults = (root: string): readonly string[] =>
  idiomFaults(
    filesUnder(root)
      .filter((file) => /\.(?:ts|mjs|cjs|js|md)$/.test(file))
      .map((file) => [file, readFileSync(join(root, file), 'utf8')] as const),
  );
