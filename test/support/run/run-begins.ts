import { keepFilesInMemory } from './files-in-memory';
import { offerPostgres } from './one-postgres-a-run';
import { packWorkers } from './packed-workers';

/** Called in reverse order at the end of the run, by another file of the same process. */
export const endings: (() => void | Promise<void>)[] = [];

export default async (): Promise<void> => {
  endings.push(keepFilesInMemory());
  endings.push(await offerPostgres());
  endings.push(await packWorkers());
};
