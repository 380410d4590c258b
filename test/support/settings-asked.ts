import { join } from 'node:path';
import { readEnvironment, type EnvironmentVariables } from '@app/configuration';

const ROOT = join(__dirname, '..', '..');

/** The names that a program reads of its environment: it is asked, so that no list of them can be out of date. */
export const settingsAskedBy = (
  read: (environment: EnvironmentVariables, root: string) => unknown = readEnvironment,
): ReadonlySet<string> => {
  const asked = new Set<string>();
  const environment = new Proxy<Record<string, string>>(
    {},
    {
      get: (_target, name) => {
        asked.add(String(name));
        return undefined;
      },
    },
  );
  read(environment, ROOT);
  return asked;
};
