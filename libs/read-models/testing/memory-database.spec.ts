import { MemoryEventStore } from '@app/event-store/stores/memory';
import { addMs, type Instant } from '@app/kernel';
import { VirtualClock } from '@app/testing';
import { lockFence, WHOLE } from '../engine/projecting/partitions';
import type { Ownership } from '../engine/database/database';
import { LocalReadModel } from '../local-read-model';
import { MemoryDisk, type MemoryDatabase } from './memory-database';
import { TRY_GAP_MS } from './memory-ownership';
import { paymentStory } from './order-life';
import { OPEN } from './read-model-contract/read-model-world';
import { memoryFixture } from './memory-fixture';
import { PROJECTING, readModelContract } from './read-model.contract';
import { START } from './sample-orders';
import type { Interrupt } from './shared-connection';
import { decode, orderWork, writeStories } from './written-log';

readModelContract('memory', memoryFixture, { cases: PROJECTING });

const GONE = 'the user of the database is gone';
const claimsOf = async ({ reads }: MemoryDatabase): Promise<number> =>
  (await reads.selectFrom('fence').select('epoch').executeTakeFirstOrThrow()).epoch;
const claim = ({ writes }: MemoryDatabase): Promise<unknown> => writes.transaction().execute((db) => lockFence(db, 'claim'));

describe('MemoryDisk', () => {
  let disk: MemoryDisk;
  beforeEach(async () => (disk = await MemoryDisk.create()));
  afterEach(() => disk.remove());

  it('keeps its rows after the connection that wrote them is closed', async () => {
    const first = disk.open();
    await claim(first);
    await first.close();
    await expect(claimsOf(first)).rejects.toThrow(GONE);
    await expect(claimsOf(disk.open())).resolves.toBe(1);
  });

  it('rolls back the open transaction of a user that ends, and another user continues', async () => {
    const [dying, other] = [disk.open(), disk.open()] as const;
    let waiting: Promise<unknown> = Promise.resolve();
    const transaction = dying.writes.transaction().execute(async (db) => {
      await lockFence(db, 'claim');
      waiting = claim(other);
      const queued = claimsOf(dying);
      dying.end();
      await expect(queued).rejects.toThrow(GONE);
      await waiting;
      await lockFence(db, 'claim');
    });
    await expect(transaction).rejects.toThrow(GONE);
    await expect(claimsOf(other)).resolves.toBe(1);
  });

  it.each<[Parameters<Interrupt>[0], Parameters<Interrupt>[1], number]>([
    ['begin', 'before', 0],
    ['begin', 'after', 0],
    ['write', 'before', 0],
    ['write', 'after', 0],
    ['commit', 'before', 0],
    ['commit', 'after', 1],
  ])('fails a transaction if it is interrupted %s %s, and keeps %d of its claims', async (kind, when, kept) => {
    const interrupt: Interrupt = (...at) => {
      if (at[0] === kind && at[1] === when) throw new Error('interrupted');
    };
    await expect(claim(disk.open({ interrupt }))).rejects.toThrow('interrupted');
    const next = disk.open();
    await expect(claimsOf(next)).resolves.toBe(kept);
    await claim(next);
    await expect(claimsOf(next)).resolves.toBe(kept + 1);
  });

  it('fails only queries if reads are interrupted', async () => {
    const interrupt: Interrupt = (kind) => {
      if (kind === 'read') throw new Error('interrupted');
    };
    const database = disk.open({ interrupt });
    await expect(claimsOf(database)).rejects.toThrow('interrupted');
    await claim(database);
  });

  it('gives open work to only one of two users that claim it', async () => {
    const clock = new VirtualClock(START);
    const log = new MemoryEventStore(clock);
    const [one, other] = [disk.open(), disk.open()].map((database) =>
      LocalReadModel.over(database, { log, decode, clock, openWork: [orderWork] }),
    );
    if (one === undefined || other === undefined) throw new Error('two were opened');
    await writeStories(log, [paymentStory(1, OPEN), paymentStory(2, OPEN)]);
    await one.build();
    const items = await one.openWork('orders').list({ limit: 10 });
    const until: Instant = addMs(START, 60_000);
    const taken = await Promise.all([one, other].map(async (model) => model.openWork('orders').claim?.(items, until)));
    expect(taken.map((keys) => keys?.size)).toStrictEqual([2, 0]);
  });
});

describe('ownership of projecting on MemoryDisk', () => {
  const user = (disk: MemoryDisk, clock: VirtualClock) => {
    const seen: string[] = [];
    const database = disk.open({ scheduler: clock });
    const events = { onLost: () => void seen.push('lost'), onWaiting: () => void seen.push('waiting') };
    const ownership = database.ownership?.(events, WHOLE) as Ownership;
    const acquired = (): Promise<void> => ownership.acquire().then(() => void seen.push('owner'));
    return { database, ownership, acquired, seen };
  };

  it('passes to a waiting user when its owner ends, loses it or releases it', async () => {
    const clock = new VirtualClock(START);
    const disk = await MemoryDisk.create();
    const [first, second, third, fourth] = [user(disk, clock), user(disk, clock), user(disk, clock), user(disk, clock)] as const;
    await first.acquired();
    const waits = second.acquired();
    await clock.advance(TRY_GAP_MS);
    expect(second.seen).toStrictEqual(['waiting', 'waiting']);
    first.database.end();
    await clock.advance(TRY_GAP_MS);
    await waits;
    second.database.loseOwnership();
    await third.acquired();
    await third.ownership.release();
    await fourth.acquired();
    expect([first, second, third, fourth].map(({ seen }) => seen)).toStrictEqual([
      ['owner'],
      ['waiting', 'waiting', 'owner', 'lost'],
      ['owner'],
      ['owner'],
    ]);
    disk.remove();
  });

  it('passes to another user without notice to its owner, who can reacquire it after the notice', async () => {
    const clock = new VirtualClock(START);
    const disk = await MemoryDisk.create();
    const [first, second] = [user(disk, clock), user(disk, clock)] as const;
    await first.acquired();
    const tell = first.database.loseOwnershipUntold();
    await second.acquired();
    await first.acquired();
    expect([first, second].map(({ seen }) => seen)).toStrictEqual([['owner', 'owner'], ['owner']]);
    tell();
    const waits = first.acquired();
    await clock.advance(TRY_GAP_MS);
    second.database.end();
    await clock.advance(TRY_GAP_MS);
    await waits;
    expect(first.seen).toStrictEqual(['owner', 'owner', 'lost', 'waiting', 'waiting', 'owner']);
    disk.remove();
  });
});
