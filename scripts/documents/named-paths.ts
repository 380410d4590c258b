/** Words in backticks that are paths of this repository: they begin with one of its folders, and hold no gap or placeholder. */
const PATH = /`((?:apps|libs|test|scripts|config|docs)\/[A-Za-z0-9_.\-/]+)`/g;

/** Every path that a document names, once. */
export const namedPaths = (markdown: string): readonly string[] => [
  ...new Set([...markdown.matchAll(PATH)].map(([, path = '']) => path.replace(/\.$/, ''))),
];
