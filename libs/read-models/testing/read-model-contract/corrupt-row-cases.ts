import { sql } from 'kysely';
import { type StreamName, streamName } from '@app/event-store';
import { foldingFromLog, type CorruptRow } from '../../engine/project-from-log';
import type { ReadModel } from '../../read-model';
import { Reader } from '../../engine/reader';
import { OrderStatusQueries } from '../../order-status/order-status.queries';
import { orderStatuses } from '../../order-status/order-status.table';
import { cardReferenceStory, paymentStory } from '../order-life';
import { ACME, cardRefIdOf, orderIdOf } from '../sample-orders';
import { storedRows } from '../stored-rows';
import { decode, wholeLog } from '../written-log';
import { APPROVED, OPEN, FOLLOWED_UNKNOWN, type ReadModelWorld } from './read-model-world';

export const corruptRowCases = (world: ReadModelWorld): void => {
  const { connect, over, project, write, live } = world;

  describe('corrupt row', () => {
    const story = paymentStory(1, APPROVED);
    const card = cardReferenceStory(1);
    const rot = async (
      table: 'order_status_g1' | 'card_reference_g1',
      stream: StreamName,
      column: string,
      value: string,
    ): Promise<void> => {
      const changed = sql`update ${sql.table(table)} set ${sql.ref(column)} = ${sql.raw(value)} where stream = ${stream}`;
      expect((await changed.execute(world.database.writes)).numAffectedRows).toBe(1n);
    };
    const told: CorruptRow[] = [];
    const begun = (): Promise<ReadModel> => {
      told.length = 0;
      return live([story, card, paymentStory(2, OPEN), paymentStory(3, FOLLOWED_UNKNOWN)], { onCorruptRow: (rotten) => told.push(rotten) });
    };
    const ofOrder: CorruptRow = { projection: 'order-status', stream: story.stream };
    const ofCard: CorruptRow = { projection: 'card-reference', stream: card.stream };

    it('is answered from the stream and repaired, whichever of its columns changed', async () => {
      const model = await begun();
      const before = await storedRows(world.database);
      const record = await model.orders.byOrderId(ACME, orderIdOf('p', 1));
      expect(record?.view.amountMinor).toBe('1043');
      for (const [column, value] of [
        ['view', `replace(view, '"1043"', '"9043"')`],
        ['view', `substr(view, 1, 100)`],
        ['revision', 'revision - 1'],
        ['kind', `'recurring'`],
        ['client_order_id', `'another'`],
        ['status', `'declined'`],
        ['created_at', 'created_at + 1'],
        ['updated_at', '0'],
        ['final_at', 'null'],
        ['unknown_since', '1'],
        ['unknown_minor', '1'],
        ['checksum', 'checksum + 1'],
      ] as const) {
        told.length = 0;
        await rot('order_status_g1', story.stream, column, value);
        expect([column, await storedRows(world.database)]).not.toStrictEqual([column, before]);
        expect([column, await model.orders.byOrderId(ACME, orderIdOf('p', 1))]).toStrictEqual([column, record]);
        expect([column, told]).toStrictEqual([column, [ofOrder]]);
        await model.release();
        expect([column, await storedRows(world.database)]).toStrictEqual([column, before]);
        expect([column, await model.orders.byStream(ACME, story.stream)]).toStrictEqual([column, record]);
        expect([column, told]).toStrictEqual([column, [ofOrder]]);
      }
    });

    it('is not returned if the query matched the corrupt column', async () => {
      const model = await begun();
      const before = await storedRows(world.database);
      await rot('order_status_g1', story.stream, 'order_id', `'${orderIdOf('p', 9)}'`);
      await expect(model.orders.byOrderId(ACME, orderIdOf('p', 9))).resolves.toBeUndefined();
      await model.release();
      await rot('order_status_g1', story.stream, 'unknown_since', '1');
      const { records: unknown } = await model.operatorOrders.unknown(undefined, { limit: 10 });
      expect(unknown.map(({ stream }) => stream)).not.toContain(story.stream);
      expect(unknown).toHaveLength(2);
      expect(told).toStrictEqual([ofOrder, ofOrder]);
      await model.release();
      expect(await storedRows(world.database)).toStrictEqual(before);
    });

    it('is not returned, and is deleted, if its stream does not exist', async () => {
      const model = await begun();
      const stream = streamName('payment', 'unknown');
      await rot('order_status_g1', story.stream, 'stream', `'${stream}'`);
      await expect(model.orders.byOrderId(ACME, orderIdOf('p', 1))).resolves.toBeUndefined();
      expect(told).toStrictEqual([{ projection: 'order-status', stream }]);
      await model.release();
      expect((await storedRows(world.database)).order_status).toHaveLength(2);
    });

    it('of a card reference is answered from the stream, by reference and by card', async () => {
      const model = await begun();
      const before = await storedRows(world.database);
      const record = await model.cardReferences.byReference(ACME, cardRefIdOf(1));
      if (record === undefined) throw new Error('no reference');
      for (const ask of [
        () => model.cardReferences.byReference(ACME, cardRefIdOf(1)),
        async () => (await model.cardReferences.byCard(ACME, record.view.card.uid, 10))[0],
      ]) {
        told.length = 0;
        await rot('card_reference_g1', card.stream, 'view', `replace(view, '"lastFour":"', '"lastFour":"9')`);
        await expect(ask()).resolves.toStrictEqual(record);
        expect(told).toStrictEqual([ofCard]);
        await model.rebuildStream(card.stream);
        expect(await storedRows(world.database)).toStrictEqual(before);
      }
    });

    it.each([
      ['is changed', sql`update order_status_g1 set view = replace(view, '"1043"', '"9043"')`],
      ['is cut', sql`update order_status_g1 set view = substr(view, 1, 50), order_id = 'x' || order_id`],
      ['is gone', sql`delete from order_status_g1`],
    ])('that %s is projected again from the stream before the next event', async (_what, change) => {
      const model = over({ onCorruptRow: (rotten) => told.push(rotten) });
      told.length = 0;
      await model.build();
      const long = paymentStory(1, [0, 4, 0, 0, 0]);
      await write(long, paymentStory(2, APPROVED));
      const log = await wholeLog(world.store, model.categories);
      await project(model, log.slice(0, 3));
      await change.execute(world.database.writes);
      const next = over({ onCorruptRow: (rotten) => told.push(rotten) }, await connect());
      await next.position();
      await project(next, log.slice(3));
      expect(told).toStrictEqual([{ projection: 'order-status', stream: long.stream }]);
      const rows = await storedRows(world.database);
      expect(rows.parked).toStrictEqual([]);
      await world.local().rebuild('all');
      expect(await storedRows(world.database)).toStrictEqual(rows);
    });

    it('is answered from the log but not repaired by a reader', async () => {
      await begun();
      await rot('order_status_g1', story.stream, 'view', `replace(view, '"1043"', '"9043"')`);
      const before = await storedRows(world.database);
      const { reads } = world.database;
      const reader = new Reader({ reads }, new Map([[orderStatuses.name, orderStatuses.shape]]));
      const truth = { log: world.store, decode, onCorruptRow: (rotten: CorruptRow) => told.push(rotten) };
      const orders = new OrderStatusQueries(reader, foldingFromLog(truth));
      await expect(orders.byStream(ACME, story.stream)).resolves.toMatchObject({ revision: 3n, view: { amountMinor: '1043' } });
      expect(told).toStrictEqual([ofOrder]);
      await expect(new OrderStatusQueries(reader).byStream(ACME, story.stream)).resolves.toBeUndefined();
      expect(await storedRows(world.database)).toStrictEqual(before);
    });
  });
};
