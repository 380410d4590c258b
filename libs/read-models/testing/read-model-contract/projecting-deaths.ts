import { sql } from 'kysely';
import type { ReadModelDatabase } from '../../engine/database/database';
import { servingGenerations } from '../../engine/projection-registry';
import { mortal } from '../dying-database';
import { tablesOf } from '../stored-rows';
import { STATEMENTS_MAX, type ReadModelWorld } from './read-model-world';

export const emptyTables = async (database: ReadModelDatabase): Promise<void> => {
  const { writes } = database;
  const [generation] = new Set([...(await servingGenerations(writes)).values()].map((serving) => serving.generation));
  for (const table of tablesOf(generation ?? 0)) await sql`delete from ${sql.table(table)}`.execute(writes);
  await writes.deleteFrom('parked').execute();
  await writes.updateTable('checkpoints').set({ position: null }).execute();
};

const diesProjecting = ({ over, project }: ReadModelWorld, database: ReadModelDatabase, statements: number): Promise<boolean> => {
  const process = mortal(database);
  const dying = over({}, process.database);
  process.dieAfter(statements);
  return project(dying).then(
    () => false,
    () => true,
  );
};

/**
 * Projects the whole log onto other, empty tables in a process that dies after 1, 1 + `gap`, 1 + 2 `gap` statements and so on, until one
 * does not die.
 * @returns how many died
 */
export const dyingAtEach = async (
  world: ReadModelWorld,
  gap: number,
  after: (fresh: ReadModelDatabase, hasDied: boolean) => Promise<void>,
): Promise<number> => {
  const place = await world.fixture();
  let deaths = 0;
  try {
    const model = world.local({}, await place.open());
    await model.rebuild('all'); // builds the tables from the whole log
    await model.close();
    const fresh = await place.open();
    for (let statements = 1, hasDied = true; hasDied && statements < STATEMENTS_MAX; statements += gap) {
      await emptyTables(fresh);
      hasDied = await diesProjecting(world, fresh, statements);
      if (hasDied) deaths += 1;
      await after(fresh, hasDied);
    }
    await fresh.close();
  } finally {
    await place.remove();
  }
  return deaths;
};
