import { dirname, join } from 'node:path';

const LINK = /\]\(([^)\s#]+)[^)]*\)/g;

/** Files that a page links to, from the root of the repository; web addresses are excluded. */
export const linkedPages = (file: string, markdown: string): readonly string[] => [
  ...new Set([...markdown.matchAll(LINK)].flatMap(([, target = '']) => (target.includes('://') ? [] : [join(dirname(file), target)]))),
];
