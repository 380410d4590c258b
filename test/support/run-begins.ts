import { keepFilesInMemory } from './files-in-memory';
import { offerPostgres } from './one-postgres-a-run';

/** For the end of the run, which is another file of the same process; the last first. */
export const endings: (() => void | Promise<void>)[] = [];

/** What all test files of a run share. */
export default async (): Promise<void> => {
  endings.push(keepFilesInMemory());
  endings.push(await offerPostgres());
};
