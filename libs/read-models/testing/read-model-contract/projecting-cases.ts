import { StoreUnavailable } from '@app/event-store';
import { addMs } from '@app/kernel';
import { sql } from 'kysely';
import { cardReferenceStory, paymentStory, recurringStory } from '../order-life';
import { ACME, orderIdOf, START } from '../sample-orders';
import { PROJECTIONS, storedRows } from '../stored-rows';
import { wholeLog } from '../written-log';
import { dyingAtEach } from './projecting-deaths';
import { APPROVED, OPEN, type ReadModelWorld } from './read-model-world';

export const projectingCases = (world: ReadModelWorld): void => {
  const { connect, over, project, write, live } = world;

  it('reports that it is fenced out once another process has claimed ownership, and only the other process continues', async () => {
    const earlier = await live([paymentStory(1, OPEN)]);
    await earlier.position();
    expect(earlier.isFencedOut).toBe(false);
    const later = over({}, await connect());
    await later.position();
    await expect(project(earlier)).rejects.toThrow('another process projects');
    await expect(earlier.position()).rejects.toThrow('another process projects');
    expect([earlier.isFencedOut, later.isFencedOut]).toStrictEqual([true, false]);
  });

  describe('projecting', () => {
    it('skips events that are already applied, so that a repeated batch changes nothing', async () => {
      const model = await live([paymentStory(1, APPROVED), recurringStory(2, OPEN), cardReferenceStory(1)]);
      const before = await storedRows(world.database);
      await project(model);
      expect(await storedRows(world.database)).toStrictEqual(before);
      const again = over({}, await connect());
      await again.position();
      await project(again);
      expect(await storedRows(world.database)).toStrictEqual(before);
    });

    it('stores rows and checkpoint in one transaction, at whichever statement the process dies', async () => {
      const stories = [paymentStory(1, APPROVED), recurringStory(2, OPEN), cardReferenceStory(1), paymentStory(3, [0, 4, 0])];
      const undisturbed = await live(stories);
      const expected = await storedRows(world.database);
      const position = await undisturbed.position();
      const nothing = Object.fromEntries(Object.keys(expected).map((table) => [table, []]));
      const deaths = await dyingAtEach(world, 1, async (fresh, hasDied) => {
        if (hasDied) {
          expect(await storedRows(fresh)).toStrictEqual(nothing);
          const next = over({}, fresh);
          await expect(next.position()).resolves.toBeUndefined();
          await project(next);
        }
        expect(await storedRows(fresh)).toStrictEqual(expected);
        await expect(over({}, fresh).position()).resolves.toBe(position);
      });
      expect(deaths).toBeGreaterThan(6);
    }, 60_000);

    it('reports the checkpoint of each projection', async () => {
      const model = await live([paymentStory(1, APPROVED)]);
      const position = await world.store.head();
      const state = { generation: 1, position, appliedAt: START, parkedStreams: 0 };
      expect(await model.health()).toMatchObject(PROJECTIONS.map((projection) => ({ projection, ...state })));
    });

    it('lets only the later of two projectors continue', async () => {
      const first = await live([paymentStory(1, OPEN)]);
      const second = over({}, await connect());
      await second.position();
      await write(paymentStory(2, OPEN));
      await expect(project(first)).rejects.toThrow('another process projects: its epoch is 2, this one');
      await project(second);
      await expect(second.orders.byOrderId(ACME, orderIdOf('p', 2))).resolves.toBeDefined();
    });

    it('moves a checkpoint only in its own epoch, together with the rows', async () => {
      const model = await live([paymentStory(1, OPEN)]);
      const before = await storedRows(world.database);
      await world.database.writes.updateTable('checkpoints').set({ epoch: 9 }).where('projection', '=', 'card-reference').execute();
      await write(paymentStory(2, APPROVED));
      await expect(project(model)).rejects.toThrow(
        'another process moved a checkpoint of order-status (generation 1), card-reference (generation 1)',
      );
      expect(await storedRows(world.database)).toStrictEqual(before);
    });

    it('applies again the events that a server lost in a crash, and refuses later events until then', async () => {
      const model = await live([paymentStory(1, APPROVED)]);
      const lost = paymentStory(2, OPEN);
      const [before] = await world.database.writes.selectFrom('checkpoints').select('position').execute();
      await write(lost);
      await project(model);
      const whole = await storedRows(world.database);
      for (const table of ['order_status_g1', 'open_work_orders_g1'])
        await sql`delete from ${sql.table(table)} where stream = ${lost.stream}`.execute(world.database.writes);
      await world.database.writes
        .updateTable('checkpoints')
        .set({ position: before?.position ?? null })
        .execute();
      await write(paymentStory(3, OPEN));
      const newest = (await wholeLog(world.store, model.categories)).slice(-1);
      await expect(project(model, newest)).rejects.toThrow(StoreUnavailable);
      await expect(model.position()).resolves.toBe(before?.position);
      await project(model);
      const after = await storedRows(world.database);
      expect(after.parked).toStrictEqual([]);
      expect(after.order_status).toEqual(expect.arrayContaining([...whole.order_status]));
      expect(after.open_work_orders).toHaveLength(2);
    });

    it('builds a projection that is added later without rebuilding the others', async () => {
      const before = await live([paymentStory(1, OPEN)], { openWork: [] });
      const old = await before.position();
      await write(paymentStory(2, OPEN));
      const model = over({}, await connect());
      await expect(model.build()).resolves.toMatchObject({ projections: [{ projection: 'open-work:orders' }], events: 6 });
      await expect(model.build()).resolves.toBeUndefined();
      const states = await model.health();
      expect(states.map(({ position }) => position)).toStrictEqual([...PROJECTIONS.slice(0, -1).map(() => old), await world.store.head()]);
      await expect(model.position()).resolves.toBe(old);
      await project(model);
      const due = await model.openWork('orders').list({ limit: 10 });
      expect(due).toHaveLength(2);
    });
  });

  it('rebuilds the tables of an older release automatically', async () => {
    await live([paymentStory(1, APPROVED), cardReferenceStory(1), paymentStory(2, OPEN)]);
    const rows = await storedRows(world.database);
    const { writes } = world.database;
    for (const table of ['order_status_g1', 'card_reference_g1', 'gate_attempts_g1', 'reconciliation_cases_g1'])
      await sql`alter table ${sql.table(table)} drop column checksum`.execute(writes);
    await sql`drop table open_work_orders_g1_lanes`.execute(writes);
    await sql`update generations set shape = shape - 1 where projection <> 'order-search'`.execute(writes);
    const next = over({}, await connect());
    await expect(next.build()).resolves.toMatchObject({
      projections: PROJECTIONS.filter((name) => name !== 'order-search').map((projection) => ({ projection, generation: 2 })),
    });
    expect(await storedRows(world.database)).toStrictEqual(rows);
    await expect(next.openWork('orders').dueLanes(addMs(START, 60_000), 10)).resolves.toMatchObject({ lanes: [{}] });
    for (const table of ['order_status_g1', 'card_reference_g1', 'open_work_orders_g1']) {
      await expect(sql`select 1 from ${sql.table(table)}`.execute(writes)).rejects.toThrow(table);
    }
  });
};
