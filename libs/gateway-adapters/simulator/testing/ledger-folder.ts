import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export const ledgerFolder = () => {
  const folder = mkdtempSync(join(tmpdir(), 'simulator-'));
  return {
    path: join(folder, 'simulator.sqlite'),
    files: (): readonly string[] => readdirSync(folder).map((name) => join(folder, name)),
    remove: (): void => rmSync(folder, { recursive: true }),
  };
};
