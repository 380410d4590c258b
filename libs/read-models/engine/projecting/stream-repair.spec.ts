import type { Revision, StoredEvent, StreamName } from '@app/event-store';
import { MemoryEventStore } from '@app/event-store/stores/memory';
import { settle, VirtualClock } from '@app/testing';
import { sql } from 'kysely';
import { LocalReadModel } from '../../local-read-model';
import { MemoryDisk } from '../../testing/memory-database';
import { paymentStory } from '../../testing/order-life';
import { APPROVED } from '../../testing/read-model-contract/read-model-world';
import { ACME, START } from '../../testing/sample-orders';
import { decode, orderWork, wholeLog, writeStories } from '../../testing/written-log';

class LogReadEarlier extends MemoryEventStore {
  hiddenFrom: Revision | undefined;

  override async *read(stream: StreamName, from?: Revision): AsyncGenerator<StoredEvent> {
    for await (const event of super.read(stream, from)) if (this.hiddenFrom === undefined || event.revision < this.hiddenFrom) yield event;
  }
}

describe('rewrite in one process while another process projects', () => {
  it('includes the events projected while the rewrite waited for the fence', async () => {
    const clock = new VirtualClock(START);
    const log = new LogReadEarlier(clock);
    const disk = await MemoryDisk.create();
    const [repairing, projecting] = [disk.open(), disk.open()].map((database) =>
      LocalReadModel.over(database, { log, decode, clock, openWork: [orderWork] }),
    ) as [LocalReadModel, LocalReadModel];
    const story = paymentStory(1, APPROVED);
    const newest = BigInt(story.events.length - 1) as Revision;
    await projecting.build();
    await projecting.position();
    await writeStories(log, [story]);
    const events = await wholeLog(log, projecting.categories);
    const apply = async (batch: readonly StoredEvent[]): Promise<void> => {
      const last = batch.at(-1);
      if (last !== undefined) await projecting.apply(batch, last.position);
    };
    await apply(events.slice(0, -1));
    await sql`update order_status_g1 set view = '{}' where stream = ${story.stream}`.execute(disk.open().writes);

    const stalled = await disk.stall();
    const applied = apply(events.slice(-1));
    await settle();
    log.hiddenFrom = newest;
    const rewritten = repairing.rewrite({ projection: 'order-status', stream: story.stream });
    await settle();
    log.hiddenFrom = undefined;
    await stalled.end();
    await Promise.all([applied, rewritten]);
    await expect(projecting.orders.byStream(ACME, story.stream)).resolves.toMatchObject({ revision: newest });
    await Promise.all([repairing.close(), projecting.close()]);
    disk.remove();
  });
});
