import type { Db } from './database/tables';
import { MemoryDisk } from '../testing';
import { CompiledOnce, CompiledOnceOf } from './compiled-once';
import { lockFence } from './projecting/partitions';

const onDisk = async (use: (db: Db) => Promise<void>): Promise<void> => {
  const disk = await MemoryDisk.create();
  const database = disk.open();
  await database.writes
    .insertInto('checkpoints')
    .values(
      ['orders', 'cards'].map((projection, at) => ({
        projection,
        generation: at + 1,
        partition: 1,
        position: null,
        applied_at: 0,
        epoch: 7,
      })),
    )
    .execute();
  try {
    await use(database.writes);
  } finally {
    await database.close();
    disk.remove();
  }
};

const rowsOf = <Row>({ rows }: { readonly rows: readonly Row[] }): readonly Row[] => rows;

const named = async (rows: Promise<readonly { readonly projection: string }[]>): Promise<readonly string[]> =>
  (await rows).map(({ projection }) => projection);

describe('CompiledOnce', () => {
  it('runs with the values of each call, in any order in the statement, and keeps its constants', async () => {
    await onDisk(async (db) => {
      let built = 0;
      const ofGeneration = new CompiledOnce((own, generation: number, projection: string) => {
        built += 1;
        return own
          .selectFrom('checkpoints')
          .select('projection')
          .where('projection', '=', projection)
          .where('epoch', '=', 7)
          .where('generation', '=', generation);
      });
      expect(await named(ofGeneration.run(db, 1, 'orders').then(rowsOf))).toStrictEqual(['orders']);
      expect(await named(ofGeneration.run(db, 2, 'cards').then(rowsOf))).toStrictEqual(['cards']);
      expect(await named(ofGeneration.run(db, 2, 'orders').then(rowsOf))).toStrictEqual([]);
      expect(built).toBe(1);
    });
  });

  it('accepts null as a value', async () => {
    await onDisk(async (db) => {
      const at = new CompiledOnce((own, position: string | null) =>
        own.selectFrom('checkpoints').select('projection').where('position', 'is not distinct from', position),
      );
      expect((await at.run(db, null)).rows).toHaveLength(2);
      expect((await at.run(db, '1')).rows).toHaveLength(0);
    });
  });

  it('is compiled once per generation (CompiledOnceOf)', async () => {
    await onDisk(async (db) => {
      const built: number[] = [];
      const statement = new CompiledOnceOf((own, generation, epoch: number) => {
        built.push(generation);
        return own.selectFrom('checkpoints').select('projection').where('generation', '=', generation).where('epoch', '=', epoch);
      });
      expect(await named(statement.rows(db, 1, 7))).toStrictEqual(['orders']);
      expect(await named(statement.rows(db, 1, 8))).toStrictEqual([]);
      expect(await named(statement.rows(db, 2, 7))).toStrictEqual(['cards']);
      expect(built).toStrictEqual([1, 2]);
    });
  });
});

describe('lockFence', () => {
  it('throws if the fence row is missing', async () => {
    await onDisk(async (db) => {
      await db.deleteFrom('fence').execute();
      await expect(lockFence(db)).rejects.toThrow('the registry has no fence');
    });
  });
});
