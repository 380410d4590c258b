import { existsSync, readFileSync } from 'node:fs';
import { SourceMap, type SourceMapPayload } from 'node:module';
import { dirname, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const FRAME = /((?:file:\/\/)?\/[^\s():]+\.js):(\d+):(\d+)/;

/** The maps are read only when a trace is shown, so that a normal start does not pay for them. */
const mapOf = (file: string): SourceMap | undefined => {
  const path = `${file}.map`;
  if (!existsSync(path)) return undefined;
  try {
    return new SourceMap(JSON.parse(readFileSync(path, 'utf8')) as SourceMapPayload);
  } catch {
    return undefined;
  }
};

/** Replaces positions in the build by those in the sources in a line of a trace, where a map lies beside the file; each map is read once. */
export const sourcePositions = (): ((line: string) => string) => {
  const maps = new Map<string, SourceMap | undefined>();
  return (line) =>
    line.replace(FRAME, (frame, location: string, row: string, column: string) => {
      const file = location.startsWith('file:') ? fileURLToPath(location) : location;
      if (!maps.has(file)) maps.set(file, mapOf(file));
      const entry = maps.get(file)?.findEntry(Number(row) - 1, Number(column) - 1);
      if (entry === undefined || !('originalSource' in entry) || entry.originalSource === undefined) return frame;
      return `${resolve(dirname(file), entry.originalSource)}:${entry.originalLine + 1}:${entry.originalColumn + 1}`;
    });
};

/** The trace of an error by the lines of the sources, since the running program is packed into one line. */
export const mappedStack = ({ stack = '' }: Error): string => stack.split('\n').map(sourcePositions()).join('\n');
