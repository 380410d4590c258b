import { systemScheduler } from '@app/kernel';
import { CannotApply } from '../../engine/faults';
import type { Decode } from '../../engine/log-event';
import { ReplayRefused } from '../../engine/replay/replay-refused';
import type { LocalReadModel } from '../../local-read-model';
import type { ReadModel } from '../../read-model';
import { mortal } from '../dying-database';
import { cardReferenceStory, paymentStory, recurringStory } from '../order-life';
import { ACME, orderIdOf } from '../sample-orders';
import { storedRows } from '../stored-rows';
import { decode, orderWork } from '../written-log';
import { APPROVED, DECLINED, FOLLOWED_UNKNOWN, OPEN, STATEMENTS_MAX, type ReadModelWorld } from './read-model-world';

/** Enough for several batches of a fold. */
const MANY = 320;
const PROJECTIONS = 7;
const generations = (of: number): readonly number[] => Array.from({ length: PROJECTIONS }, () => of);

/** New generations beside a service that goes on projecting. */
export const replayCases = (world: ReadModelWorld): void => {
  const { connect, local, project, write, live } = world;

  /** As a command beside the service: another process with a connection of its own. */
  const beside = async (settings: Parameters<typeof local>[0] = {}): Promise<LocalReadModel> => local(settings, await connect());
  const statusOf = async (model: ReadModel, number: number): Promise<string | undefined> =>
    (await model.orders.byOrderId(ACME, orderIdOf('p', number)))?.view.status;
  const tablesOf = async () =>
    (await world.database.writes.selectFrom('checkpoints').select(['projection', 'generation']).execute()).length;

  describe('a replay', () => {
    const stories = [
      paymentStory(1, APPROVED),
      recurringStory(2, DECLINED),
      paymentStory(3, FOLLOWED_UNKNOWN),
      cardReferenceStory(1),
      paymentStory(4, OPEN),
    ];

    it('gives the same rows beside the serving ones, compares them, and switches to them', async () => {
      const service = await live(stories);
      const before = await storedRows(world.database);
      const replay = await (await beside()).replay(systemScheduler);
      expect((await service.health()).map(({ generation }) => generation)).toStrictEqual(generations(1));
      const compared = await replay.compare();
      expect(compared).toHaveLength(PROJECTIONS);
      expect(compared?.filter(({ isEqual, rows, servingRows }) => !isEqual || rows !== servingRows)).toStrictEqual([]);
      expect(compared?.find(({ projection }) => projection === 'order-status')).toMatchObject({ rows: 4 });
      await replay.switch();
      await replay.close();
      expect((await service.health()).map(({ generation }) => generation)).toStrictEqual(generations(2));
      expect(await storedRows(world.database)).toStrictEqual(before);
    });

    it('counts the streams that it parked, in each projection', async () => {
      await live(stories);
      const unreadable: Decode = (stored) => {
        if (stored.stream === stories[0]?.stream && stored.revision === 1n) throw new CannotApply('no release knows it');
        return decode(stored);
      };
      const replay = await (await beside({ decode: unreadable })).replay(systemScheduler);
      expect(replay.parkedStreams).toBe(4);
      await replay.close();
    });

    it('keeps what it replaced level with the log, so that no reader sees an older state, and both ways are open', async () => {
      const service = await live(stories);
      const reader = await beside();
      expect(await statusOf(reader, 1)).toBe('approved');
      const command = await beside();
      const replay = await command.replay(systemScheduler);
      await replay.switch();
      await replay.close();
      await write(paymentStory(7, APPROVED));
      await project(service);
      // One reads the new generation, the other the older one still: it was not told.
      expect([await statusOf(service, 7), await statusOf(reader, 7)]).toStrictEqual(['approved', 'approved']);
      const rows = await storedRows(world.database);
      await expect(command.replayBack()).resolves.toHaveLength(PROJECTIONS);
      expect((await service.health()).map(({ generation }) => generation)).toStrictEqual(generations(1));
      expect(await storedRows(world.database)).toStrictEqual(rows);
      await write(paymentStory(8, APPROVED));
      await project(service);
      expect([await statusOf(service, 8), await statusOf(reader, 8)]).toStrictEqual(['approved', 'approved']);
      await expect(command.replayBack()).resolves.toHaveLength(PROJECTIONS);
      expect((await service.health()).map(({ generation }) => generation)).toStrictEqual(generations(2));
      await expect(command.dropReplays()).resolves.toBe(PROJECTIONS);
      expect(await tablesOf()).toBe(PROJECTIONS);
      expect([await statusOf(service, 8), await statusOf(reader, 8)]).toStrictEqual(['approved', 'approved']);
      await expect(command.replayBack()).rejects.toThrow(new ReplayRefused('no older generation is kept'));
    });

    it('drops what an earlier one kept, and no more than two generations are ever there', async () => {
      await live(stories);
      for (const generation of [2, 3, 4]) {
        const command = await beside();
        const replay = await command.replay(systemScheduler);
        await replay.switch();
        await replay.close();
        expect(await tablesOf()).toBe(2 * PROJECTIONS);
        expect((await command.health())[0]).toMatchObject({ generation });
      }
    });

    it('lets the service project meanwhile, and loses nothing of it', async () => {
      const service = await live(stories);
      let events = 0;
      let fed: Promise<unknown> = Promise.resolve();
      const feed = async (): Promise<void> => {
        await write(paymentStory(9, APPROVED));
        await project(service);
      };
      // On the connection of the service: two that wait for each other in one thread would wait for ever, which two processes do not.
      const command = local({
        decode: (stored) => {
          events += 1;
          if (events === 5) fed = feed();
          return decode(stored);
        },
      });
      const replay = await command.replay(systemScheduler);
      await fed;
      expect((await replay.compare())?.every(({ isEqual }) => isEqual)).toBe(true);
      await replay.switch();
      await replay.close();
      expect(await statusOf(service, 9)).toBe('approved');
    });

    it('finds a row that is not what the log says, and one that is missing', async () => {
      await live(stories);
      await world.database.writes.updateTable('order_status_g1').set({ view: '{}' }).where('order_id', '=', orderIdOf('p', 1)).execute();
      await world.database.writes
        .deleteFrom('order_search_g1')
        .where('key', 'like', `${orderIdOf('p', 1)}%`)
        .execute();
      const replay = await (await beside()).replay(systemScheduler);
      const compared = await replay.compare();
      await replay.close();
      expect(compared?.filter(({ isEqual }) => !isEqual).map(({ projection }) => projection)).toStrictEqual([
        'order-status',
        'order-search',
      ]);
      const search = compared?.find(({ projection }) => projection === 'order-search');
      expect((search?.rows ?? 0) - (search?.servingRows ?? 0)).toBeGreaterThan(0);
    });

    it('is not compared where nobody brings the serving ones level with the log', async () => {
      await live(stories);
      await write(paymentStory(9, APPROVED));
      const replay = await (await beside()).replay({ ...systemScheduler, after: (_ms, run) => systemScheduler.after(0, run) });
      await expect(replay.compare()).resolves.toBeUndefined();
      await replay.close();
    });

    it('goes on after a kill from where it had come, wherever that was', async () => {
      const many = Array.from({ length: MANY }, (_, number) => paymentStory(number, APPROVED));
      const service = await live(many);
      const before = await storedRows(world.database);
      const whole = MANY * 4;
      let [deaths, resumed] = [0, 0];
      for (let statements = 20; ; statements += 13) {
        if (statements > STATEMENTS_MAX * 4) throw new Error('it never came to its end');
        const process = mortal(await connect());
        process.dieAfter(statements);
        const command = local({ gatheredRowsMax: 40 }, process.database);
        const replay = await command.replay(systemScheduler, 500).catch(() => undefined);
        expect(await storedRows(world.database)).toStrictEqual(before);
        expect(await statusOf(service, 1)).toBe('approved');
        if (replay === undefined) {
          deaths += 1;
          continue;
        }
        if (replay.resumedFrom !== undefined) {
          resumed += 1;
          expect(replay.events).toBeLessThan(whole);
        }
        await replay.close();
        break;
      }
      const replay = await (await beside()).replay(systemScheduler, 500);
      expect([replay.resumedFrom === undefined, replay.events < whole]).toStrictEqual([false, true]);
      expect((await replay.compare())?.every(({ isEqual }) => isEqual)).toBe(true);
      await replay.switch();
      await replay.close();
      expect([deaths > 2, resumed]).toStrictEqual([true, 1]);
      expect(await storedRows(world.database)).toStrictEqual(before);
    });

    it('switches wholly or not at all, wherever the process dies', async () => {
      const service = await live(stories);
      const before = await storedRows(world.database);
      let deaths = 0;
      for (let statements = 1; statements < STATEMENTS_MAX; statements += 3) {
        const process = mortal(await connect());
        const replay = await local({}, process.database).replay(systemScheduler);
        process.dieAfter(statements);
        const isSwitched = await replay.switch().then(
          () => true,
          () => false,
        );
        // The right to replay ends with the process.
        await replay.close();
        const generations = new Set((await service.health()).map(({ generation }) => generation));
        expect(generations).toStrictEqual(new Set([isSwitched ? 2 : 1]));
        expect(await storedRows(world.database)).toStrictEqual(before);
        if (isSwitched) break;
        deaths += 1;
      }
      expect(deaths).toBeGreaterThan(3);
    });

    it('refuses where this release has other tables than those that serve, and names them', async () => {
      await live(stories);
      const other = await beside({ openWork: [{ ...orderWork, shape: orderWork.shape + 1 }] });
      await expect(other.replay(systemScheduler)).rejects.toThrow(
        /^open-work:orders: this release projects other tables than those that serve/,
      );
      const fewer = await beside({ openWork: [] });
      await expect(fewer.replay(systemScheduler)).rejects.toThrow(ReplayRefused);
      expect(await tablesOf()).toBe(PROJECTIONS);
    });

    it('refuses beside a service that follows one generation alone, and where nothing was built', async () => {
      await expect((await beside()).replay(systemScheduler)).rejects.toThrow('the read models were never built');
      await live(stories);
      // As a release projects that knows of no kept generation.
      await world.database.writes.updateTable('fence').set({ epoch: 2 }).where('name', '=', 'read-model').execute();
      await expect((await beside()).replay(systemScheduler)).rejects.toThrow('is of an older release');
      expect(await tablesOf()).toBe(PROJECTIONS);
    });

    it('is the only one: another one is refused, and changes nothing, until it has ended', async () => {
      await live(stories);
      const replay = await (await beside()).replay(systemScheduler);
      const before = await storedRows(world.database);
      await expect((await beside()).replay(systemScheduler)).rejects.toThrow(new ReplayRefused('another replay is under way'));
      expect(await storedRows(world.database)).toStrictEqual(before);
      await replay.switch();
      await replay.close();
      const next = await (await beside()).replay(systemScheduler);
      expect(next.resumedFrom).toBeUndefined();
      await next.close();
      const resumed = await (await beside()).replay(systemScheduler);
      expect(resumed.resumedFrom).toBeDefined();
      await resumed.close();
    });

    it('gives way to a rebuild that began meanwhile', async () => {
      const service = await live(stories);
      const replay = await (await beside()).replay(systemScheduler);
      await service.rebuild('all');
      await expect(replay.switch()).rejects.toThrow();
      await replay.close();
      expect(await tablesOf()).toBe(PROJECTIONS);
    });
  });
};
