import { join } from 'node:path';
import { readEnvironment, type EnvironmentVariables } from '@app/configuration';

const ROOT = join(__dirname, '..', '..', '..');

/** Environment names that a program reads. They are recorded at run time, so the list cannot be outdated. */
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
