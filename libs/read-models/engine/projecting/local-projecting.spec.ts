import { MemoryEventStore } from '@app/event-store/stores/memory';
import { VirtualClock } from '@app/testing';
import { LocalReadModel } from '../../local-read-model';
import { MemoryDisk, type MemoryDatabase } from '../../testing/memory-database';
import { TRY_GAP_MS } from '../../testing/memory-ownership';
import { paymentStory } from '../../testing/order-life';
import { OPEN } from '../../testing/read-model-contract/read-model-world';
import { START } from '../../testing/sample-orders';
import { decode, orderWork, projectWholeLog, writeStories } from '../../testing/written-log';
import { FencedOut } from './partitions';

describe('ownership of projecting', () => {
  const clock = new VirtualClock(START);
  const log = new MemoryEventStore(clock);
  const over = (database: MemoryDatabase): LocalReadModel => LocalReadModel.over(database, { log, decode, clock, openWork: [orderWork] });
  const projects = (model: LocalReadModel): Promise<void> => projectWholeLog(model, log);

  it('returns to the last claimant if an earlier owner lost it without notice and claimed it again', async () => {
    const disk = await MemoryDisk.create();
    await writeStories(log, [paymentStory(1, OPEN)]);
    let isAnswerLost = false;
    const firstUser = disk.open({
      scheduler: clock,
      interrupt: (kind, when) => {
        if (isAnswerLost && kind === 'commit' && when === 'after') throw new Error('the answer was lost');
      },
    });
    const [first, second] = [over(firstUser), over(disk.open({ scheduler: clock }))] as const;
    await first.build();
    isAnswerLost = true;
    await expect(first.position()).rejects.toThrow('cannot be written');
    isAnswerLost = false;
    firstUser.loseOwnershipUntold();
    await second.position();
    await first.position();
    await expect(projects(second)).rejects.toThrow(FencedOut);
    await second.position();
    await projects(second);
    expect(second.isFencedOut).toBe(false);
    await expect(projects(first)).rejects.toThrow(FencedOut);
    await expect(first.position()).rejects.toThrow('cannot be written');
    const waits = first.position();
    await second.release();
    await clock.advance(TRY_GAP_MS);
    await waits;
    await projects(first);
    disk.remove();
  });
});
