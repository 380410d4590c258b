import { streamName } from '@app/event-store';
import { MemoryEventStore } from '@app/event-store/stores/memory';
import { VirtualClock } from '@app/testing';
import { LocalReadModel } from '../../local-read-model';
import { MemoryDisk } from '../../testing/memory-database';
import { paymentStory, type Story } from '../../testing/order-life';
import { APPROVED } from '../../testing/read-model-contract/read-model-world';
import { ACME, orderIdOf, paymentAccepted, START } from '../../testing/sample-orders';
import { decode, orderWork, wholeLog, writeStories } from '../../testing/written-log';
import { lockFence } from './partitions';

describe('Projector with a row that the database refuses', () => {
  it('fails the batch if the serving generations change during it, and applies it on the next attempt', async () => {
    const clock = new VirtualClock(START);
    const log = new MemoryEventStore(clock);
    const disk = await MemoryDisk.create();
    const other = disk.open();
    const changes: Promise<unknown>[] = [];
    let isArmed = false;
    const database = disk.open({
      interrupt: (kind, when) => {
        if (!isArmed || kind !== 'commit' || when !== 'after') return;
        isArmed = false;
        changes.push(other.writes.transaction().execute((db) => lockFence(db, 'note')));
      },
    });
    const model = LocalReadModel.over(database, { log, decode, clock, openWork: [orderWork] });
    await model.build();
    await model.position();
    const twin: Story = { stream: streamName('payment', 'twin'), events: [paymentAccepted(1)] };
    await writeStories(log, [paymentStory(1, APPROVED), twin]);
    const [events, head] = [await wholeLog(log, model.categories), await log.head()];
    isArmed = true;
    await expect(model.apply(events, head)).rejects.toThrow('another generation took over within a batch');
    expect(changes).toHaveLength(1);
    await model.apply(events, head);
    await expect(model.parkedStreams(9)).resolves.toMatchObject([{ projection: 'order-status', stream: twin.stream }]);
    await expect(model.orders.byOrderId(ACME, orderIdOf('p', 1))).resolves.toMatchObject({ view: { status: 'approved' } });
    disk.remove();
  });
});
