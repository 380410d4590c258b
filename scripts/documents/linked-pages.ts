import { dirname, join } from 'node:path';

const LINK = /\]\(([^)\s#]+)[^)]*\)/g;

/** Every file that a page links to, once, from the root of the repository; addresses of the web are left out. */
export const linkedPages = (file: string, markdown: string): readonly string[] => [
  ...new Set([...markdown.matchAll(LINK)].flatMap(([, target = '']) => (target.includes('://') ? [] : [join(dirname(file), target)]))),
];
