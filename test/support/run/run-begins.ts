import { keepFilesInMemory } from './files-in-memory';
import { offerPostgres } from './one-postgres-a-run';
import { packWorkers } from './packed-workers';

/** Functions that the end of the run calls, the last first; that end is another file of the same process. */
export const endings: (() => void | Promise<void>)[] = [];

/** Starts what all test files of a run share. */
export default async (): Promise<void> => {
  endings.push(keepFilesInMemory());
  endings.push(await offerPostgres());
  endings.push(await packWorkers());
};
