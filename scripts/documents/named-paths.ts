/** Words in backticks that are paths of this repository, without spaces or placeholders. */
const PATH = /`((?:apps|libs|test|scripts|config|docs)\/[A-Za-z0-9_.\-/]+)`/g;

export const namedPaths = (markdown: string): readonly string[] => [
  ...new Set([...markdown.matchAll(PATH)].map(([, path = '']) => path.replace(/\.$/, ''))),
];
