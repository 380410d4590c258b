import { join } from 'node:path';
import { readEnvironment, type EnvironmentVariables } from '@app/configuration';

const ROOT = join(__dirname, '..', '..', '..');

/** The names of the environment that a program reads; they are recorded, so that no list of them can be out of date. */
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
