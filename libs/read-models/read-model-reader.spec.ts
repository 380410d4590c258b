import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { StoreUnavailable, type StreamName } from '@app/event-store';
import { MemoryEventStore } from '@app/event-store/stores/memory';
import { VirtualClock } from '@app/testing';
import { CARD_REFERENCE } from './card-reference/card-reference.table';
import { ORDER_STATUS } from './order-status/order-status.table';
import { openReadModel, type LocalReadModel } from './local-read-model';
import { READ_MODELS } from './projection-list';
import { openReadModelReader } from './read-model-reader';
import { cardReferenceStory, paymentStory } from './testing/order-life';
import { ACME, cardRefIdOf, orderIdOf } from './testing/sample-orders';
import { PROJECTIONS } from './testing/stored-rows';
import { decode, orderWork, wholeLog, writeStories } from './testing/written-log';

const APPROVED = [0, 0, 0, 1];
const OPEN = [0, 2];
const clock = new VirtualClock();

describe('read model reader next to the projector', () => {
  let folder: string;
  let path: string;
  let log: MemoryEventStore;
  let model: LocalReadModel;

  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'read-model-reader-'));
    path = join(folder, 'read-model.sqlite');
    log = new MemoryEventStore(clock);
    model = await openReadModel({ path, log, decode, clock, openWork: [orderWork] });
  });
  afterEach(async () => {
    await model.close();
    await log.close();
    rmSync(folder, { recursive: true });
  });

  it('returns projected rows and their checkpoint', async () => {
    const reader = await openReadModelReader({ path });
    await expect(reader.orders.byOrderId(ACME, orderIdOf('p', 1))).resolves.toBeUndefined();
    await expect(reader.checkpoint(ORDER_STATUS)).resolves.toBeUndefined();
    await writeStories(log, [paymentStory(1, APPROVED), cardReferenceStory(1)]);
    await model.build();
    await expect(reader.orders.byOrderId(ACME, orderIdOf('p', 1))).resolves.toMatchObject({ view: { status: 'approved' } });
    await expect(reader.cardReferences.byReference(ACME, cardRefIdOf(1))).resolves.toMatchObject({ view: { cardRefId: cardRefIdOf(1) } });
    await expect(reader.checkpoint(CARD_REFERENCE)).resolves.toBe(await log.head());
    await reader.close();
  });

  it('fails if no read model was created', async () => {
    await expect(openReadModelReader({ path: join(folder, 'none.sqlite') })).rejects.toThrow();
  });

  it.each<[string, (asked: LocalReadModel) => Promise<unknown>]>([
    ['an order', ({ operatorOrders }) => operatorOrders.byOrderId([ACME], orderIdOf('p', 1))],
    ['orders without an outcome', ({ operatorOrders }) => operatorOrders.unknown(undefined, { limit: 10 })],
    ['a name', ({ search }) => search.streamsNamed('p-1', { limit: 1 })],
    ['what is open', ({ openCounts }) => openCounts.unknownOutcomes()],
    ['its checkpoints', (asked) => asked.health()],
    ['a stream to be taken up again', (asked) => asked.rebuildStream('payment-1' as StreamName)],
  ])('throws StoreUnavailable if the database does not answer a query for %s', async (_what, ask) => {
    await model.build();
    await model.close();
    await expect(ask(model)).rejects.toThrow(StoreUnavailable);
  });

  it('returns equal digests for equal rows, and different digests otherwise', async () => {
    const orders = Array.from({ length: 1_001 }, (_, number) => paymentStory(number, OPEN));
    await writeStories(log, orders);
    const unbuilt = await model.contents();
    expect(unbuilt.map(({ generation, rows }) => [generation, rows])).toStrictEqual(PROJECTIONS.map(() => [undefined, 0]));
    await model.build();
    const built = await model.contents();
    expect(built.map(({ projection, generation }) => [projection, generation])).toStrictEqual(PROJECTIONS.map((name) => [name, 1]));
    expect(Object.fromEntries(built.map(({ projection, rows }) => [projection, rows]))).toMatchObject({
      'order-status': 1_001,
      'card-reference': 0,
      'order-search': 5_005,
      'open-work:orders': 1_001,
    });
    await model.rebuild('all');
    const rebuilt = await model.contents();
    expect(rebuilt.map(({ generation, digest }) => [generation, digest])).toStrictEqual(built.map(({ digest }) => [2, digest]));

    const work = model.openWork('orders');
    const [first] = await work.list({ limit: 1 });
    if (first === undefined) throw new Error('no open work');
    await work.postpone(first, clock.now());
    await writeStories(log, [cardReferenceStory(1)]);
    const events = await wholeLog(log, model.categories);
    const last = events.at(-1);
    if (last === undefined) throw new Error('no events');
    await model.apply(events, last.position);
    const changed = await model.contents();
    const differing = changed.filter(({ digest }, index) => digest !== rebuilt[index]?.digest);
    const ofCards = READ_MODELS.filter(({ categories }) => categories.includes('cardReference')).map(({ name }) => name);
    expect(differing.map(({ projection }) => projection)).toStrictEqual([...ofCards, 'open-work:orders']);
    expect(differing[0]).toMatchObject({ projection: 'card-reference', rows: 1 });
  });
});
