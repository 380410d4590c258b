import type { EventStore, StoredEvent, StreamName, SubscriptionItem } from '@app/event-store';
import { BrokenChain, metadataOf, StoreUnavailable, streamName } from '@app/event-store';
import type { Clock, MerchantLogin } from '@app/kernel';
import { addMs, EndableDeadline } from '@app/kernel';
import { eventually } from '@app/testing';
import { sql } from 'kysely';
import type { ReadModelDatabase } from '../engine/database/database';
import { CannotApply } from '../engine/faults';
import type { Decode } from '../engine/log-event';
import { mending, type RottenRow } from '../engine/mending/mending';
import { OrderStatusQueries } from '../read-models/order-status/order-status.queries';
import { orderStatusProjection } from '../read-models/order-status/order-status.table';
import { ReadModel, type ReadModelSettings } from '../engine/read-model';
import type { ParkedStream } from '../engine/projector';
import { Reader } from '../engine/reader';
import type { EventLog } from '../engine/rebuild/rebuild';
import { FencedOut } from '../engine/register';
import { mortal } from './dying-database';
import {
  ACME,
  cardRefIdOf,
  cardReferenceStory,
  orderIdOf,
  orderLife,
  paymentAccepted,
  paymentStory,
  recurringStory,
  START,
  type Story,
} from './order-life';
import { storedRows } from './stored-rows';
import { decode, orderWork, wholeLog, writeStories } from './written-log';

export interface ReadModelFixture {
  /** Another connection to the same database, as another process has one. */
  open(): Promise<ReadModelDatabase>;
  /** Keeps everybody from reading a table until it is ended; absent where a question is answered before anybody could. */
  readonly stall?: (table: string) => Promise<{ readonly waiting: () => Promise<number>; readonly end: () => Promise<void> }>;
  remove(): Promise<void>;
}

const OTHER = 'umbrella' as MerchantLogin;
const clock: Clock = { now: () => START };
const APPROVED = [0, 0, 0, 1];
const DECLINED = [0, 1, 0, 1];
const OPEN = [0, 2];
/** An approved order, and a reversal that its gate says nothing of. */
const FOLLOWED_UNKNOWN = [0, 0, 0, 2, 2, 4];
/** More than any of these histories takes. */
const STATEMENTS_MAX = 500;
/** More than there are connections: some wait for one. */
const QUESTIONS_AT_ONCE = 9;
/** Less than a statement may take by itself. */
const GIVEN_UP_WITHIN_MS = 3_000;

async function* mapped<From, To>(items: AsyncIterable<From>, change: (item: From) => To): AsyncGenerator<To, undefined> {
  for await (const item of items) yield change(item);
  return undefined;
}

/** What a read model must do on whatever database; `fixture` makes an empty one, `openStore` an empty log. */
export const readModelContract = (name: string, fixture: () => Promise<ReadModelFixture>, openStore: () => EventStore): void => {
  describe(`the read model on ${name}`, () => {
    let place: ReadModelFixture;
    let database: ReadModelDatabase;
    let store: EventStore;
    const opened: ReadModelDatabase[] = [];

    const connect = async (): Promise<ReadModelDatabase> => {
      const connection = await place.open();
      opened.push(connection);
      return connection;
    };
    const over = (settings: Partial<ReadModelSettings> = {}, connection = database): ReadModel =>
      ReadModel.over(connection, { log: store, decode, clock, openWork: [orderWork], ...settings });
    const project = async (model: ReadModel, log?: readonly StoredEvent[]): Promise<void> => {
      const events = log ?? (await wholeLog(store, model.categories));
      const last = events.at(-1);
      if (last !== undefined) await model.apply(events, last.position);
    };
    const write = (...stories: readonly Story[]): Promise<void> => writeStories(store, stories);
    /** Built on the empty log, then fed: what a process does that is there from the beginning. */
    const live = async (stories: readonly Story[], settings: Partial<ReadModelSettings> = {}): Promise<ReadModel> => {
      const model = over(settings);
      await model.build();
      await write(...stories);
      await project(model);
      return model;
    };

    beforeEach(async () => {
      place = await fixture();
      store = openStore();
      database = await connect();
    });
    afterEach(async () => {
      await store.close();
      for (const connection of opened.splice(0)) await connection.close();
      await place.remove();
    });

    it('says that another process has taken over, and that one alone goes on', async () => {
      const earlier = await live([paymentStory(1, OPEN)]);
      await earlier.position();
      expect(earlier.isFencedOut).toBe(false);
      const later = over({}, await connect());
      await later.position();
      await expect(project(earlier)).rejects.toThrow(FencedOut);
      await expect(earlier.position()).rejects.toThrow(FencedOut);
      expect([earlier.isFencedOut, later.isFencedOut]).toStrictEqual([true, false]);
    });

    describe('a question of somebody who waits no longer', () => {
      const [story] = [paymentStory(1, APPROVED)];

      it('is not asked where his time is over', async () => {
        const model = await live([story]);
        const deadline = new EndableDeadline();
        await expect(model.orders.byStream(ACME, story.stream, deadline)).resolves.toMatchObject({ stream: story.stream });
        deadline.end();
        await expect(model.orders.byStream(ACME, story.stream, deadline)).rejects.toThrow(StoreUnavailable);
        await expect(model.search.streamsNamed(story.stream, { deadline })).rejects.toThrow(StoreUnavailable);
        await expect(model.orders.byStream(ACME, story.stream)).resolves.toMatchObject({ stream: story.stream });
      });

      it('ends at his deadline, and holds no connection and no place in the database', async () => {
        if (place.stall === undefined) return expect(database.isShared).toBe(false);
        const model = await live([story]);
        await model.orders.byStream(ACME, story.stream);
        const stalled = await place.stall('order_status_g1');
        const deadline = new EndableDeadline();
        const asked = Array.from({ length: QUESTIONS_AT_ONCE }, () => model.orders.byStream(ACME, story.stream, deadline));
        const ended = Promise.allSettled(asked);
        await eventually(async () => (await stalled.waiting()) > 0);
        const startedMs = performance.now();
        deadline.end();
        const reasons = (await ended).map((one) => (one.status === 'rejected' ? (one.reason as Error).name : 'answered'));
        expect(new Set(reasons)).toStrictEqual(new Set(['StoreUnavailable']));
        await eventually(async () => (await stalled.waiting()) === 0);
        expect(performance.now() - startedMs).toBeLessThan(GIVEN_UP_WITHIN_MS);
        await stalled.end();
        await expect(model.orders.byStream(ACME, story.stream)).resolves.toMatchObject({ stream: story.stream });
        return undefined;
      });
    });

    describe('answers', () => {
      it('by stream and by order id, of whichever kind', async () => {
        const payment = paymentStory(1, APPROVED);
        const recurring = recurringStory(1, DECLINED);
        const model = await live([payment, recurring, paymentStory(2, OPEN)]);
        const byStream = await model.orders.byStream(ACME, payment.stream);
        expect(byStream).toMatchObject({ stream: payment.stream, revision: 3n, view: { status: 'approved', orderId: orderIdOf('p', 1) } });
        await expect(model.orders.byOrderId(ACME, orderIdOf('p', 1))).resolves.toStrictEqual(byStream);
        await expect(model.orders.byStream(ACME, recurring.stream)).resolves.toMatchObject({
          stream: recurring.stream,
          view: { kind: 'recurring', status: 'declined', clientOrderId: 'order-1' },
        });
      });

      it('nothing of another merchant, and nothing that does not exist', async () => {
        const story = paymentStory(1, APPROVED);
        const model = await live([story, cardReferenceStory(1)]);
        const other = 'other' as MerchantLogin;
        await expect(model.orders.byStream(other, story.stream)).resolves.toBeUndefined();
        await expect(model.orders.byOrderId(other, orderIdOf('p', 1))).resolves.toBeUndefined();
        await expect(model.cardReferences.byReference(other, cardRefIdOf(1))).resolves.toBeUndefined();
        await expect(model.orders.byOrderId(ACME, orderIdOf('p', 9))).resolves.toBeUndefined();
        await expect(model.orders.byStream(ACME, streamName('payment', 'none'))).resolves.toBeUndefined();
      });

      it('card references by reference and by card, the newest first', async () => {
        const model = await live([cardReferenceStory(1), cardReferenceStory(2), cardReferenceStory(8)]);
        const one = await model.cardReferences.byReference(ACME, cardRefIdOf(1));
        expect(one?.view).toMatchObject({ cardRefId: cardRefIdOf(1), use: 'source', orderId: orderIdOf('p', 1) });
        const uid = one?.view.card.uid;
        if (uid === undefined) throw new Error('no card');
        const found = await model.cardReferences.byCard(ACME, uid, 10);
        expect(found.map(({ view }) => view.cardRefId)).toStrictEqual([cardRefIdOf(8), cardRefIdOf(1)]);
        await expect(model.cardReferences.byCard(ACME, uid, 1)).resolves.toHaveLength(1);
      });

      it('which order an identifier names: the request’s serial, the receipt, the gate’s references', async () => {
        const story = paymentStory(1, APPROVED);
        const model = await live([story, paymentStory(2, OPEN), paymentStory(3, [0, 4])]);
        const { view } = (await model.orders.byStream(ACME, story.stream)) ?? {};
        // Every story's requests have the same serials, which live ones have not.
        await expect(model.search.streamsNamed(view?.requests[0]?.serial ?? '')).resolves.toContain(story.stream);
        for (const identifier of [view?.receiptId, view?.receipt?.transactionId]) {
          await expect(model.search.streamsNamed(identifier ?? '')).resolves.toStrictEqual([story.stream]);
          await expect(model.search.streamsNamed((identifier ?? '').slice(0, -1))).resolves.toStrictEqual([]);
          await expect(model.search.streamsNamed(`${identifier} ${story.stream}`)).resolves.toStrictEqual([]);
        }
        for (const nothing of ['', ' ', '%', 'x'.repeat(300)]) await expect(model.search.streamsNamed(nothing)).resolves.toStrictEqual([]);
      });

      it('with several orders where a reference number of a gate came twice', async () => {
        const stories = [paymentStory(1, APPROVED), recurringStory(2, APPROVED)];
        const model = await live(stories);
        await expect(model.search.streamsNamed('123')).resolves.toStrictEqual(stories.map(({ stream }) => stream).sort());
      });

      it('all orders of a card and of a reference, page by page', async () => {
        const own = [1, 2, 3, 4, 5].map((number) => paymentStory(number, OPEN));
        const charged = [6, 7].map((number) => recurringStory(number, OPEN));
        const model = await live([...own, ...charged]);
        const uidOf = async (stream: StreamName) => (await model.orders.byStream(ACME, stream))?.view.card?.uid ?? '';
        for (const { stream } of own) {
          const named = await model.search.streamsNamed(await uidOf(stream));
          expect(named).toContain(stream);
          const paged: StreamName[] = [];
          for (let from: StreamName | undefined; ; from = `${paged.at(-1)}!` as StreamName) {
            const page = await model.search.streamsNamed(await uidOf(stream), { ...(from !== undefined && { from }), limit: 2 });
            paged.push(...page);
            if (page.length < 2) break;
          }
          expect(paged).toStrictEqual(named);
        }
        for (const { stream } of charged) {
          const reference = (await model.orders.byStream(ACME, stream))?.view.cardRefId ?? '';
          await expect(model.search.streamsNamed(reference)).resolves.toContain(stream);
          await expect(model.search.streamsNamed(reference, { from: stream, limit: 1 })).resolves.toStrictEqual([stream]);
        }
      });

      it('the orders whose outcome nobody knows, the oldest first, and no other', async () => {
        const [one, two] = [paymentStory(1, [0, 2]), recurringStory(2, [0, 2])];
        const model = await live([one, two, paymentStory(3, APPROVED), paymentStory(4, [0, 2, 0, 0])]);
        const unknown = await model.operatorOrders.unknown(10);
        expect(unknown.map(({ view }) => view.status)).toStrictEqual(['unknown', 'unknown']);
        expect(unknown.map(({ stream }) => stream).sort()).toStrictEqual([one.stream, two.stream].sort());
        await expect(model.operatorOrders.unknown(1)).resolves.toHaveLength(1);
      });

      it('those of one merchant: others’ do not count, however many there are', async () => {
        const ofOther = [1, 2, 3].map((number): Story => {
          const { type, data } = paymentAccepted(number);
          const acceptance = { type, data: { ...data, merchant: OTHER, acceptedAt: addMs(START, -number) } };
          return { stream: streamName('payment', OTHER, String(number)), events: orderLife(acceptance, [0, 2]) };
        });
        const own = paymentStory(4, [0, 2]);
        const model = await live([...ofOther, own]);
        const streamsOf = async (limit: number, merchant?: MerchantLogin): Promise<readonly string[]> =>
          (await model.operatorOrders.unknown(limit, merchant)).map(({ stream }) => stream);
        await expect(streamsOf(1, ACME)).resolves.toStrictEqual([own.stream]);
        await expect(streamsOf(10, OTHER)).resolves.toHaveLength(ofOther.length);
        await expect(streamsOf(2, OTHER)).resolves.toHaveLength(2);
        await expect(streamsOf(10)).resolves.toHaveLength(ofOther.length + 1);
        await expect(streamsOf(10, 'nobody' as MerchantLogin)).resolves.toStrictEqual([]);
      });

      it('and an approved order, as long as nobody knows what became of something that followed it', async () => {
        const [open, told] = [paymentStory(1, FOLLOWED_UNKNOWN), paymentStory(2, [...FOLLOWED_UNKNOWN, 2])];
        expect(open.events.at(-1)?.type).toBe('FollowUpUnknown');
        const model = await live([open, told]);
        const unknown = await model.operatorOrders.unknown(10);
        expect(unknown.map(({ stream, view }) => [stream, view.status])).toStrictEqual([[open.stream, 'approved']]);
      });

      it('an order by its id among the merchants that an operator names', async () => {
        const model = await live([paymentStory(1, APPROVED)]);
        const others = Array.from({ length: 2_500 }, (_, number) => `m${number}` as MerchantLogin);
        await expect(model.operatorOrders.byOrderId([...others, ACME], orderIdOf('p', 1))).resolves.toMatchObject({
          view: { orderId: orderIdOf('p', 1) },
        });
        await expect(model.operatorOrders.byOrderId(others, orderIdOf('p', 1))).resolves.toBeUndefined();
        await expect(model.operatorOrders.byOrderId([], orderIdOf('p', 1))).resolves.toBeUndefined();
      });

      it('how much stands open, and since when', async () => {
        const [unknown, followed] = [paymentStory(1, OPEN), paymentStory(2, FOLLOWED_UNKNOWN)];
        const model = await live([unknown, followed, paymentStory(3, APPROVED)]);
        const rows = await model.operatorOrders.unknown(10);
        const oldest = Math.min(...rows.map(({ view }) => view.acceptedAt));
        await expect(model.openCounts.unknownOutcomes()).resolves.toStrictEqual({ count: 2, oldestAt: oldest });
        const work = await model.openWork('orders').list({ limit: 10 });
        expect(work.map(({ stream }) => stream)).toStrictEqual([unknown.stream]);
        const recorded = (await wholeLog(store, model.categories)).filter(({ stream }) => stream === unknown.stream).at(-1);
        const oldestAt = metadataOf(recorded as StoredEvent).recordedAt;
        await expect(model.openCounts.openWork('orders')).resolves.toStrictEqual({ count: 1, oldestAt });
        await expect(model.openCounts.openWork('others')).resolves.toStrictEqual({ count: 0, oldestAt: undefined });
      });

      it('nothing before the first build', async () => {
        const model = over();
        await expect(model.openCounts.unknownOutcomes()).resolves.toStrictEqual({ count: 0, oldestAt: undefined });
        await expect(model.openCounts.openWork('orders')).resolves.toStrictEqual({ count: 0, oldestAt: undefined });
        await expect(model.search.streamsNamed('serial')).resolves.toStrictEqual([]);
        await expect(model.operatorOrders.unknown(10)).resolves.toStrictEqual([]);
        await expect(model.orders.byOrderId(ACME, orderIdOf('p', 1))).resolves.toBeUndefined();
        await expect(model.openWork('orders').dueLanes(START, 10)).resolves.toStrictEqual({ lanes: [], nextDueAt: undefined });
        await expect(model.openWork('orders').list({ limit: 10 })).resolves.toStrictEqual([]);
        expect(() => model.openWork('others')).toThrow('there is no open work named others');
      });
    });

    describe('keeps up', () => {
      it('skips what it has: the same batch again changes nothing', async () => {
        const model = await live([paymentStory(1, APPROVED), recurringStory(2, OPEN), cardReferenceStory(1)]);
        const before = await storedRows(database);
        await project(model);
        expect(await storedRows(database)).toStrictEqual(before);
        const again = over({}, await connect());
        await again.position();
        await project(again);
        expect(await storedRows(database)).toStrictEqual(before);
      });

      it('rows and checkpoint are of one transaction, wherever the process dies', async () => {
        const stories = [paymentStory(1, APPROVED), recurringStory(2, OPEN), cardReferenceStory(1), paymentStory(3, [0, 4, 0])];
        const undisturbed = await live(stories);
        const expected = await storedRows(database);
        const position = await undisturbed.position();
        let deaths = 0;
        for (let statements = 1; statements < STATEMENTS_MAX; statements++) {
          const other = await fixture();
          const connection = await other.open();
          try {
            const model = over({}, connection);
            await model.rebuild('all'); // of the whole log: the tables stand, the events are in them
            await model.close();
            const fresh = await other.open();
            try {
              const emptied = await emptyTables(fresh);
              const process = mortal(emptied);
              const dying = over({}, process.database);
              process.dieAfter(statements);
              const died = await project(dying).then(
                () => false,
                () => true,
              );
              if (died) {
                deaths += 1;
                expect(await storedRows(fresh)).toStrictEqual({ orders: [], cardReferences: [], search: [], openWork: [], parked: [] });
                const next = over({}, fresh);
                await expect(next.position()).resolves.toBeUndefined();
                await project(next);
              }
              expect(await storedRows(fresh)).toStrictEqual(expected);
              await expect(over({}, fresh).position()).resolves.toBe(position);
              if (!died) break;
            } finally {
              await fresh.close();
            }
          } finally {
            await other.remove();
          }
        }
        // The fence, three loads and three writes at least.
        expect(deaths).toBeGreaterThan(6);
      }, 60_000);

      it('says how far each projection is', async () => {
        const model = await live([paymentStory(1, APPROVED)]);
        const position = await store.head();
        const state = { generation: 1, position, appliedAt: START, parkedStreams: 0 };
        expect(await model.health()).toStrictEqual([
          { projection: 'order-status', ...state },
          { projection: 'card-reference', ...state },
          { projection: 'order-search', ...state },
          { projection: 'open-work:orders', ...state },
        ]);
      });

      it('lets the later of two projectors go on, and the earlier no more', async () => {
        const first = await live([paymentStory(1, OPEN)]);
        const second = over({}, await connect());
        await second.position();
        await write(paymentStory(2, OPEN));
        await expect(project(first)).rejects.toThrow('another process projects: its epoch is 2, this one');
        await project(second);
        await expect(second.orders.byOrderId(ACME, orderIdOf('p', 2))).resolves.toBeDefined();
      });

      it('moves a checkpoint in its own epoch alone, with the rows or not at all', async () => {
        const model = await live([paymentStory(1, OPEN)]);
        const before = await storedRows(database);
        await database.writes.updateTable('checkpoints').set({ epoch: 9 }).where('projection', '=', 'card-reference').execute();
        await write(paymentStory(2, APPROVED));
        await expect(project(model)).rejects.toThrow(
          'another process moved a checkpoint of order-status (generation 1), card-reference (generation 1)',
        );
        expect(await storedRows(database)).toStrictEqual(before);
      });

      it('folds again what a server that came back has lost, and nothing onto the gap', async () => {
        const model = await live([paymentStory(1, APPROVED)]);
        const lost = paymentStory(2, OPEN);
        const [before] = await database.writes.selectFrom('checkpoints').select('position').execute();
        await write(lost);
        await project(model);
        const whole = await storedRows(database);
        // As it was before the last commits: rows and checkpoints alike.
        await database.writes.deleteFrom('order_status_g1').where('stream', '=', lost.stream).execute();
        await database.writes.deleteFrom('open_work_orders_g1').where('stream', '=', lost.stream).execute();
        await database.writes
          .updateTable('checkpoints')
          .set({ position: before?.position ?? null })
          .execute();
        await write(paymentStory(3, OPEN));
        const newest = (await wholeLog(store, model.categories)).slice(-1);
        await expect(project(model, newest)).rejects.toThrow(StoreUnavailable);
        await expect(model.position()).resolves.toBe(before?.position);
        await project(model);
        const after = await storedRows(database);
        expect(after.parked).toStrictEqual([]);
        expect(after.orders).toEqual(expect.arrayContaining([...whole.orders]));
        expect(after.openWork).toHaveLength(2);
      });

      it('catches a projection up alone that is added later', async () => {
        const before = await live([paymentStory(1, OPEN)], { openWork: [] });
        const old = await before.position();
        await write(paymentStory(2, OPEN));
        const model = over({}, await connect());
        await expect(model.build()).resolves.toMatchObject({ projections: ['open-work:orders'], events: 6 });
        await expect(model.build()).resolves.toBeUndefined();
        const states = await model.health();
        expect(states.map(({ position }) => position)).toStrictEqual([old, old, old, await store.head()]);
        await expect(model.position()).resolves.toBe(old);
        await project(model);
        const due = await model.openWork('orders').list({ limit: 10 });
        expect(due).toHaveLength(2);
      });
    });

    describe('holds each row against its checksum', () => {
      const story = paymentStory(1, APPROVED);
      const card = cardReferenceStory(1);
      /** As a disk may leave them: what stands there is changed, and nobody wrote it. */
      const rot = async (
        table: 'order_status_g1' | 'card_reference_g1',
        stream: StreamName,
        column: string,
        value: string,
      ): Promise<void> => {
        const changed = sql`update ${sql.table(table)} set ${sql.ref(column)} = ${sql.raw(value)} where stream = ${stream}`;
        expect((await changed.execute(database.writes)).numAffectedRows).toBe(1n);
      };
      const told: RottenRow[] = [];
      const begun = (): Promise<ReadModel> => {
        told.length = 0;
        return live([story, card, paymentStory(2, OPEN), paymentStory(3, FOLLOWED_UNKNOWN)], { onRotten: (rotten) => told.push(rotten) });
      };
      const ofOrder: RottenRow = { projection: 'order-status', stream: story.stream };
      const ofCard: RottenRow = { projection: 'card-reference', stream: card.stream };

      it.each([
        ['view', `replace(view, '"1043"', '"9043"')`],
        ['view', `substr(view, 1, 100)`],
        ['revision', 'revision - 1'],
        ['kind', `'recurring'`],
        ['client_order_id', `'another'`],
        ['status', `'declined'`],
        ['created_at', 'created_at + 1'],
        ['updated_at', '0'],
        ['final_at', 'null'],
        ['unknown_outcomes', '1'],
        ['checksum', 'checksum + 1'],
      ])('tells an order as its stream has it where %s becomes %s, and mends the row', async (column, value) => {
        const model = await begun();
        const before = await storedRows(database);
        const record = await model.orders.byOrderId(ACME, orderIdOf('p', 1));
        expect(record?.view.amountMinor).toBe('1043');
        await rot('order_status_g1', story.stream, column, value);
        expect(await storedRows(database)).not.toStrictEqual(before);
        await expect(model.orders.byOrderId(ACME, orderIdOf('p', 1))).resolves.toStrictEqual(record);
        expect(told).toStrictEqual([ofOrder]);
        await model.release();
        expect(await storedRows(database)).toStrictEqual(before);
        await expect(model.orders.byStream(ACME, story.stream)).resolves.toStrictEqual(record);
        expect(told).toStrictEqual([ofOrder]);
      });

      it('tells nothing of an order that was found by what rotted', async () => {
        const model = await begun();
        const before = await storedRows(database);
        await rot('order_status_g1', story.stream, 'order_id', `'${orderIdOf('p', 9)}'`);
        await expect(model.orders.byOrderId(ACME, orderIdOf('p', 9))).resolves.toBeUndefined();
        await model.release();
        await rot('order_status_g1', story.stream, 'unknown_outcomes', '1');
        const unknown = await model.operatorOrders.unknown(10);
        expect(unknown.map(({ stream }) => stream)).not.toContain(story.stream);
        expect(unknown).toHaveLength(2);
        expect(told).toStrictEqual([ofOrder, ofOrder]);
        await model.release();
        expect(await storedRows(database)).toStrictEqual(before);
      });

      it('tells nothing of a row whose stream is none, and lets it go', async () => {
        const model = await begun();
        const stream = streamName('payment', 'nobody’s');
        await rot('order_status_g1', story.stream, 'stream', `'${stream}'`);
        await expect(model.orders.byOrderId(ACME, orderIdOf('p', 1))).resolves.toBeUndefined();
        expect(told).toStrictEqual([{ projection: 'order-status', stream }]);
        await model.release();
        expect((await storedRows(database)).orders).toHaveLength(2);
      });

      it('tells a card reference as its stream has it, by its name and by its card', async () => {
        const model = await begun();
        const before = await storedRows(database);
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
          expect(await storedRows(database)).toStrictEqual(before);
        }
      });

      it.each([
        ['is changed', sql`update order_status_g1 set view = replace(view, '"1043"', '"9043"')`],
        ['is cut', sql`update order_status_g1 set view = substr(view, 1, 50), order_id = 'x' || order_id`],
        ['is gone', sql`delete from order_status_g1`],
      ])('folds what comes next onto the stream, and not onto a row that %s', async (_what, change) => {
        const model = over({ onRotten: (rotten) => told.push(rotten) });
        told.length = 0;
        await model.build();
        const long = paymentStory(1, [0, 4, 0, 0, 0]);
        await write(long, paymentStory(2, APPROVED));
        const log = await wholeLog(store, model.categories);
        await project(model, log.slice(0, 3));
        await change.execute(database.writes);
        const next = over({ onRotten: (rotten) => told.push(rotten) }, await connect());
        await next.position();
        await project(next, log.slice(3));
        expect(told).toStrictEqual([{ projection: 'order-status', stream: long.stream }]);
        const rows = await storedRows(database);
        expect(rows.parked).toStrictEqual([]);
        await next.rebuild('all');
        expect(await storedRows(database)).toStrictEqual(rows);
      });

      it('answers a reader that has no pen from the log, and leaves the row as it is', async () => {
        await begun();
        await rot('order_status_g1', story.stream, 'view', `replace(view, '"1043"', '"9043"')`);
        const before = await storedRows(database);
        const { reads } = database;
        const reader = new Reader({ reads }, new Map([[orderStatusProjection.name, orderStatusProjection.shape]]));
        const truth = { log: store, decode, onRotten: (rotten: RottenRow) => told.push(rotten) };
        const orders = new OrderStatusQueries(reader, mending(truth));
        await expect(orders.byStream(ACME, story.stream)).resolves.toMatchObject({ revision: 3n, view: { amountMinor: '1043' } });
        expect(told).toStrictEqual([ofOrder]);
        await expect(new OrderStatusQueries(reader).byStream(ACME, story.stream)).resolves.toBeUndefined();
        expect(await storedRows(database)).toStrictEqual(before);
      });
    });

    it('builds the tables of an older release anew, by itself', async () => {
      await live([paymentStory(1, APPROVED), cardReferenceStory(1), paymentStory(2, OPEN)]);
      const rows = await storedRows(database);
      const { writes } = database;
      for (const table of ['order_status_g1', 'card_reference_g1'])
        await sql`alter table ${sql.table(table)} drop column checksum`.execute(writes);
      await sql`drop table open_work_orders_g1_lanes`.execute(writes);
      await sql`update generations set shape = shape - 1 where projection <> 'order-search'`.execute(writes);
      const next = over({}, await connect());
      await expect(next.build()).resolves.toMatchObject({ projections: ['order-status', 'card-reference', 'open-work:orders'] });
      expect(await storedRows(database)).toStrictEqual(rows);
      await expect(next.openWork('orders').dueLanes(addMs(START, 60_000), 10)).resolves.toMatchObject({ lanes: [{}] });
      for (const table of ['order_status_g1', 'card_reference_g1', 'open_work_orders_g1']) {
        await expect(sql`select 1 from ${sql.table(table)}`.execute(writes)).rejects.toThrow(table);
      }
    });

    describe('parks', () => {
      const poison = (from: readonly string[]): Decode => {
        const types = new Set(from);
        return (stored) => {
          if (types.has(stored.type)) throw new CannotApply(`no release knows ${stored.type}`);
          return decode(stored);
        };
      };

      it('the stream of an event that it cannot read, and what follows in it; the others go on', async () => {
        const poisoned = paymentStory(1, [0, 4, 0, 0, 0]);
        const model = await live([poisoned, paymentStory(2, APPROVED)], { decode: poison(['PayerChallenged']) });
        await expect(model.orders.byStream(ACME, poisoned.stream)).resolves.toMatchObject({
          revision: 1n,
          view: { stage: 'sale_filtering' },
        });
        await expect(model.orders.byOrderId(ACME, orderIdOf('p', 2))).resolves.toMatchObject({ view: { status: 'approved' } });
        expect((await model.health()).map(({ parkedStreams }) => parkedStreams)).toStrictEqual([1, 0, 1, 1]);
        await expect(model.parked()).resolves.toStrictEqual([poisoned.stream]);
        const [first] = await model.parkedStreams(1);
        expect(first).toMatchObject({
          stream: poisoned.stream,
          revision: 2,
          error: 'CannotApply: no release knows PayerChallenged',
          parkedAt: START,
        });
      });

      it('for itself alone', async () => {
        const poisoned = paymentStory(1, APPROVED);
        const told: string[] = [];
        const fold = orderWork.fold;
        const model = await live([poisoned], {
          onParked: ({ projection, stream, error }) => told.push(`${projection} ${stream} ${error}`),
          openWork: [
            {
              ...orderWork,
              fold: (event) => {
                if (event.event.type === 'OrderApproved') throw new TypeError(`cannot read ${JSON.stringify(event.id)}`);
                return fold(event);
              },
            },
          ],
        });
        await expect(model.orders.byStream(ACME, poisoned.stream)).resolves.toMatchObject({ view: { status: 'approved' } });
        // The error's own words may hold what the event holds: its name alone is kept.
        expect(told).toStrictEqual([`open-work:orders ${poisoned.stream} TypeError`]);
        await expect(model.parked()).resolves.toStrictEqual([]);
      });

      it('a row that the database refuses, and writes the others; a rebuild does the same', async () => {
        const acceptance = paymentAccepted(1);
        const twin: Story = { stream: streamName('payment', 'twin'), events: [acceptance] };
        const model = await live([paymentStory(1, APPROVED), twin, paymentStory(2, APPROVED), cardReferenceStory(1)]);
        const rows = await storedRows(database);
        expect(rows.orders).toHaveLength(2);
        expect(rows.cardReferences).toHaveLength(1);
        expect(rows.parked).toMatchObject([{ projection: 'order-status', stream: twin.stream, revision: 0 }]);
        await expect(model.orders.byOrderId(ACME, orderIdOf('p', 1))).resolves.toMatchObject({ view: { status: 'approved' } });
        await expect(model.rebuild('all')).resolves.toMatchObject({ parkedStreams: 1 });
        expect(await storedRows(database)).toStrictEqual(rows);
      });

      it('what cannot be read from the log at all, and goes on behind it', async () => {
        const model = over();
        await model.build();
        await write(paymentStory(1, APPROVED));
        const [first, second] = await wholeLog(store, model.categories);
        if (first === undefined || second === undefined) throw new Error('no events');
        await model.apply([first], first.position);
        await model.park(second, new Error('the row does not fit its checksum'));
        await expect(model.position()).resolves.toBe(second.position);
        await expect(model.parked()).resolves.toStrictEqual([first.stream]);
        await project(model);
        await expect(model.orders.byStream(ACME, first.stream)).resolves.toMatchObject({ revision: 0n });
      });

      it('a stream whose chain is broken, and the others go on; a rebuild does the same', async () => {
        const [story, other] = [paymentStory(1, APPROVED), paymentStory(2, APPROVED)];
        const model = over();
        await model.build();
        await write(story, other);
        const isForgedIn = ({ stream, revision }: StoredEvent): boolean => stream === story.stream && revision === 1n;
        const forge = (event: StoredEvent): StoredEvent =>
          isForgedIn(event) ? { ...event, metadata: event.metadata.replace('merchant', 'somebody') } : event;
        await project(model, (await wholeLog(store, model.categories)).map(forge));
        const fault = {
          stream: story.stream,
          revision: 2,
          error: expect.stringContaining('it does not follow from the event before it') as string,
        };
        await expect(model.parkedStreams(10)).resolves.toStrictEqual(
          expect.arrayContaining([expect.objectContaining({ projection: 'order-status', ...fault })]) as unknown,
        );
        await expect(model.orders.byStream(ACME, story.stream)).resolves.toMatchObject({ revision: 1n });
        await expect(model.orders.byStream(ACME, other.stream)).resolves.toMatchObject({ view: { status: 'approved' } });

        const forgedLog: EventLog = {
          read: (...asked) => mapped(store.read(...asked), forge),
          subscribe: (...asked) => {
            const subscription = store.subscribe(...asked);
            const items = mapped(subscription, (item) => (item.kind === 'event' ? { ...item, event: forge(item.event) } : item));
            return { [Symbol.asyncIterator]: () => items[Symbol.asyncIterator](), cancel: () => subscription.cancel() };
          },
          head: () => store.head(),
          comparePositions: (a, b) => store.comparePositions(a, b),
        };
        const rebuilt = await over({ log: forgedLog }).rebuild(['order-status']);
        expect(rebuilt.parkedStreams).toBe(1);
        await expect(model.orders.byStream(ACME, other.stream)).resolves.toMatchObject({ view: { status: 'approved' } });
      });

      it('an event that cannot be read from the log, in a rebuild, which goes on behind it', async () => {
        const [story, other] = [paymentStory(1, APPROVED), paymentStory(2, APPROVED)];
        await write(story, other);
        const damagedLog: EventLog = {
          read: (...asked) => store.read(...asked),
          subscribe: (...asked) => {
            const subscription = store.subscribe(...asked);
            const items = mapped(subscription, (item) => {
              if (item.kind === 'event' && item.event.stream === story.stream && item.event.revision === 1n)
                throw new BrokenChain(item.event, 'the row does not fit its checksum');
              return item;
            });
            return { [Symbol.asyncIterator]: () => items[Symbol.asyncIterator](), cancel: () => subscription.cancel() };
          },
          head: () => store.head(),
          comparePositions: (a, b) => store.comparePositions(a, b),
        };
        const told: ParkedStream[] = [];
        const model = over({ log: damagedLog, onParked: (parked) => told.push(parked) });
        await model.position();
        await expect(model.orders.byStream(ACME, other.stream)).resolves.toMatchObject({ view: { status: 'approved' } });
        await expect(model.orders.byStream(ACME, story.stream)).resolves.toMatchObject({ revision: 0n });
        expect(told).toStrictEqual(
          expect.arrayContaining([
            expect.objectContaining({
              projection: 'order-status',
              stream: story.stream,
              revision: 1,
              error: expect.stringContaining('checksum') as string,
            }),
          ]) as unknown,
        );
      });

      it('until it is taken up again, by a release that knows the event', async () => {
        const poisoned = paymentStory(1, [0, 4, 0, 0, 0]);
        const stories = [poisoned, paymentStory(2, APPROVED)];
        const before = await live(stories, { decode: poison(['PayerChallenged', 'PayerReturned']) });
        await expect(before.rebuildStream(poisoned.stream)).resolves.toStrictEqual({
          applied: [],
          stillParked: ['order-status', 'order-search', 'open-work:orders'],
        });
        const half = over({ decode: poison(['PayerReturned']) }, await connect());
        await expect(half.rebuildStream(poisoned.stream)).resolves.toMatchObject({ applied: [] });
        await expect(half.parkedStreams(1)).resolves.toMatchObject([{ revision: 3 }]);
        const model = over({}, await connect());
        await expect(model.rebuildStream(poisoned.stream)).resolves.toStrictEqual({
          applied: ['order-status', 'order-search', 'open-work:orders'],
          stillParked: [],
        });
        await expect(model.rebuildStream(poisoned.stream)).resolves.toStrictEqual({ applied: [], stillParked: [] });
        const rows = await storedRows(database);
        await model.rebuild('all');
        expect(rows.orders).toHaveLength(2);
        expect(await storedRows(database)).toStrictEqual(rows);
      });

      it('as far as the checkpoint reaches, and no further: what follows is applied as ever', async () => {
        const poisoned = paymentStory(1, [0, 4, 0, 0, 0]);
        const model = over({ decode: poison(['PayerChallenged']) });
        await model.build();
        await write(poisoned);
        const log = await wholeLog(store, model.categories);
        await project(model, log.slice(0, 4));
        const knowing = over({}, await connect());
        await knowing.rebuildStream(poisoned.stream);
        await expect(knowing.orders.byStream(ACME, poisoned.stream)).resolves.toMatchObject({
          revision: 3n,
          view: { stage: 'sale_3d_validated' },
        });
        await expect(knowing.openWork('orders').list({ limit: 1 })).resolves.toHaveLength(1);
        await expect(knowing.openWork('orders').dueLanes(START, 10)).resolves.toMatchObject({ nextDueAt: expect.any(Number) as number });
        await project(knowing, log.slice(4));
        await expect(knowing.orders.byStream(ACME, poisoned.stream)).resolves.toMatchObject({ revision: 5n, view: { status: 'approved' } });
        await expect(knowing.openWork('orders').list({ limit: 1 })).resolves.toStrictEqual([]);
      });

      it('and a projector that runs hears of what another process took up', async () => {
        const poisoned = paymentStory(1, [0, 4]);
        let isPoisonous = true;
        const careful: Decode = (stored) =>
          isPoisonous && stored.type === 'PayerChallenged' ? poison([stored.type])(stored) : decode(stored);
        const running = await live([poisoned], { decode: careful });
        isPoisonous = false;
        await over({}, await connect()).rebuildStream(poisoned.stream);
        await writeStories(store, [paymentStory(2, APPROVED)]);
        await project(running);
        await expect(running.parked()).resolves.toStrictEqual([]);
        await expect(running.orders.byStream(ACME, poisoned.stream)).resolves.toMatchObject({ view: { stage: 'sale_3d_validating' } });
      });
    });

    describe('rebuilds', () => {
      const stories = [
        paymentStory(1, APPROVED),
        recurringStory(2, DECLINED),
        paymentStory(3, [0, 4, 0, 2]),
        cardReferenceStory(1),
        paymentStory(4, OPEN),
        recurringStory(5, [0, 1, 1, 0, 0, 0], ['sim-a', 'sim-b']),
      ];

      it('to the same rows, in a new generation, and drops the old one', async () => {
        const model = await live(stories);
        const before = await storedRows(database);
        const rebuilt = await model.rebuild('all');
        expect(rebuilt).toMatchObject({
          projections: ['order-status', 'card-reference', 'order-search', 'open-work:orders'],
          parkedStreams: 0,
        });
        expect(await storedRows(database)).toStrictEqual(before);
        expect((await model.health()).map(({ generation }) => generation)).toStrictEqual([2, 2, 2, 2]);
        await expect(database.writes.selectFrom('order_status_g1').selectAll().execute()).rejects.toThrow();
        expect(await database.writes.selectFrom('checkpoints').selectAll().execute()).toHaveLength(4);
      });

      it('one projection and no other', async () => {
        const model = await live(stories);
        await model.rebuild(['card-reference']);
        expect((await model.health()).map(({ generation }) => generation)).toStrictEqual([1, 2, 1, 1]);
        await expect(model.rebuild(['card-references'])).rejects.toThrow('no projection is named card-references; there are order-status');
      });

      it('while the old generation serves and follows the log, also for another process', async () => {
        let events = Number.NaN;
        let fed: Promise<unknown> = Promise.resolve('nothing was fed');
        const model: ReadModel = await live(stories, {
          decode: (stored) => {
            events += 1;
            if (events === 5) fed = feed();
            return decode(stored);
          },
        });
        const feed = async (): Promise<unknown> => {
          await write(paymentStory(7, APPROVED));
          await project(model);
          return model.orders.byOrderId(ACME, orderIdOf('p', 7));
        };
        const elsewhere = over({}, await connect());
        await expect(elsewhere.orders.byOrderId(ACME, orderIdOf('p', 1))).resolves.toBeDefined();
        events = 0;
        await model.rebuild('all');
        await expect(fed).resolves.toMatchObject({ view: { status: 'approved' } });
        for (const asked of [model, elsewhere]) {
          await expect(asked.orders.byOrderId(ACME, orderIdOf('p', 7))).resolves.toMatchObject({ view: { status: 'approved' } });
        }
        await write(paymentStory(8, APPROVED));
        await project(model);
        const rows = await storedRows(database);
        expect(rows.orders).toHaveLength(7);
        await model.rebuild('all');
        expect(await storedRows(database)).toStrictEqual(rows);
      });

      it('and a process that dies on the way leaves the old generation serving; the next one starts over', async () => {
        const model = await live(stories);
        const before = await storedRows(database);
        let deaths = 0;
        for (let statements = 0; statements < STATEMENTS_MAX; statements += 7) {
          const process = mortal(await connect());
          const dying = over({}, process.database);
          process.dieAfter(statements);
          const died = await dying.rebuild('all').then(
            () => false,
            () => true,
          );
          expect(await storedRows(database)).toStrictEqual(before);
          await expect(model.orders.byOrderId(ACME, orderIdOf('p', 1))).resolves.toMatchObject({ view: { status: 'approved' } });
          if (!died) break;
          deaths += 1;
        }
        expect(deaths).toBeGreaterThan(3);
        // One row a projection: nothing that an interrupted rebuild made is left.
        expect(await database.writes.selectFrom('checkpoints').selectAll().execute()).toHaveLength(4);
      });

      it('never back behind what is projected already', async () => {
        await live(stories);
        const before = await storedRows(database);
        const [, , third] = await wholeLog(store, orderWork.categories);
        if (third === undefined) throw new Error('no events');
        // Another process projects, and this one sees the log late.
        const lagging = laggingLog(store, third, 3);
        const builder = over({ log: lagging }, await connect());
        const { position } = await builder.rebuild('all');
        expect(position).toBe(await store.head());
        expect(await storedRows(database)).toStrictEqual(before);
      });

      it('of many rows, which are written beside while it reads on', async () => {
        const lives = [APPROVED, DECLINED, OPEN, [0, 4, 0], [0, 0, 0, 0]];
        const many = Array.from({ length: 300 }, (_, number) => {
          const choices = lives[number % lives.length] ?? OPEN;
          return number % 2 === 0 ? paymentStory(number, choices) : recurringStory(number, choices);
        });
        let loads = 0;
        const counted: ReadModelDatabase = {
          ...database,
          bulkLoad: () => {
            loads += 1;
            if (database.bulkLoad === undefined) throw new Error('there is no bulk load');
            return database.bulkLoad();
          },
        };
        const model = over({ gatheredRowsMax: 50 }, counted);
        await model.build();
        // One event of each order in turn: every order is written several times, and read again in between.
        await writeStories(
          store,
          many,
          many.map((_, index) => index),
        );
        await project(model);
        const before = await storedRows(database);
        await model.rebuild('all');
        expect(loads).toBe(1);
        expect(before.orders).toHaveLength(300);
        expect(await storedRows(database)).toStrictEqual(before);
      });

      it('one at a time', async () => {
        const model = await live(stories);
        const first = model.rebuild('all');
        await expect(model.rebuild('all')).rejects.toThrow('a rebuild is under way');
        await first;
      });
    });
  });
};

/** Ends with `last` as long as its head was asked for no more than `looks` times. */
const laggingLog = (store: EventStore, last: StoredEvent, looks: number): EventLog => {
  let looked = 0;
  const isBehind = (): boolean => looked <= looks;
  return {
    read: (stream, from) => store.read(stream, from),
    comparePositions: (a, b) => store.comparePositions(a, b),
    head: () => {
      looked += 1;
      return isBehind() ? Promise.resolve(last.position) : store.head();
    },
    subscribe: (categories, after) => {
      const whole = store.subscribe(categories, after);
      if (!isBehind()) return whole;
      const part = async function* (): AsyncGenerator<SubscriptionItem> {
        for await (const item of whole) {
          if (item.kind === 'event' && store.comparePositions(item.event.position, last.position) <= 0) yield item;
          else break;
        }
        yield { kind: 'caught-up' };
      };
      return { cancel: () => whole.cancel(), [Symbol.asyncIterator]: part };
    },
  };
};

/** As they are on a log that was just begun. */
const emptyTables = async (database: ReadModelDatabase): Promise<ReadModelDatabase> => {
  const { writes } = database;
  await writes.deleteFrom('order_status_g1').execute();
  await writes.deleteFrom('card_reference_g1').execute();
  await writes.deleteFrom('order_search_g1').execute();
  await writes.deleteFrom('open_work_orders_g1').execute();
  await writes.deleteFrom('open_work_orders_g1_lanes').execute();
  await writes.updateTable('checkpoints').set({ position: null }).execute();
  return database;
};
