import type { ContentDigest, Instant } from '@app/kernel';
import { VirtualClock, seededIds } from '@app/testing';
import { claimUnique, continueClaim, claimHolder, releaseClaim } from './unique-claim';
import { MemoryEventStore } from '../stores/memory';
import type { Envelope } from '../core/envelope';
import { OutcomeUnknown, StoreUnavailable, type EventStore, type StreamName } from '../core/port';

const hash = 'ab'.repeat(16);
const setUp = () => {
  const store = new MemoryEventStore(new VirtualClock());
  const ids = seededIds();
  const envelope = (): Envelope => ({
    correlation: ids.next(),
    causation: 'c',
    actor: 'merchant:acme',
    merchant: 'acme',
    commandId: ids.next(),
    recordedAt: 1 as Instant,
  });
  return { store, envelope };
};

const ownerOf = async (store: EventStore) => (await claimHolder(store, 'nonce', hash))?.owner;

describe('claimUnique', () => {
  it('gives the claim to the first owner, and confirms it if the same owner claims again', async () => {
    const { store, envelope } = setUp();
    await expect(claimUnique(store, 'nonce', hash, 'order-1', envelope())).resolves.toBe('claimed');
    await expect(claimUnique(store, 'nonce', hash, 'order-1', envelope())).resolves.toBe('claimed-before');
    await expect(claimUnique(store, 'nonce', hash, 'order-2', envelope())).resolves.toStrictEqual({ takenBy: 'order-1' });
    await expect(claimUnique(store, 'token', hash, 'order-2', envelope())).resolves.toBe('claimed');
    await expect(ownerOf(store)).resolves.toBe('order-1');
  });

  it('has one winner among a hundred concurrent owners', async () => {
    const { store, envelope } = setUp();
    const answers = await Promise.all(
      Array.from({ length: 100 }, (_, index) => claimUnique(store, 'nonce', hash, `order-${index}`, envelope())),
    );
    expect(answers.filter((answer) => answer === 'claimed')).toHaveLength(1);
    const winner = await ownerOf(store);
    expect(answers.filter((answer) => typeof answer === 'object' && answer.takenBy === winner)).toHaveLength(99);
  });

  it('succeeds for another owner only after the first owner releases the claim', async () => {
    const { store, envelope } = setUp();
    await claimUnique(store, 'nonce', hash, 'order-1', envelope());
    await releaseClaim(store, 'nonce', hash, 'order-2', envelope());
    await expect(ownerOf(store)).resolves.toBe('order-1');
    await releaseClaim(store, 'nonce', hash, 'order-1', envelope());
    await releaseClaim(store, 'nonce', hash, 'order-1', envelope());
    await expect(ownerOf(store)).resolves.toBeUndefined();
    await expect(claimUnique(store, 'nonce', hash, 'order-2', envelope())).resolves.toBe('claimed');
  });

  it('is followed by a release event with a different id, even if the same command releases the claim', async () => {
    const { store, envelope } = setUp();
    const same = envelope();
    await claimUnique(store, 'nonce', hash, 'order-1', same);
    await releaseClaim(store, 'nonce', hash, 'order-1', same);
    const ids: string[] = [];
    for await (const { id } of store.read(`once-nonce.${hash}` as StreamName)) ids.push(id);
    expect(ids).toHaveLength(2);
    expect(new Set(ids).size).toBe(2);
  });

  it('does not confirm a released claim if the claiming command is repeated', async () => {
    const { store, envelope } = setUp();
    const same = envelope();
    await claimUnique(store, 'nonce', hash, 'order-1', same);
    await releaseClaim(store, 'nonce', hash, 'order-1', envelope());
    await claimUnique(store, 'nonce', hash, 'order-2', envelope());
    await expect(claimUnique(store, 'nonce', hash, 'order-1', same)).resolves.toStrictEqual({ takenBy: 'order-2' });
  });

  it.each([
    ['stored', true],
    ['not stored', false],
  ])('resolves a lost answer if the claim was %s', async (_, isStored) => {
    const { store, envelope } = setUp();
    let lost = 0;
    const losing: Pick<EventStore, 'append' | 'read'> = {
      read: (...given) => store.read(...given),
      append: async (...given) => {
        if (lost++ > 0) return store.append(...given);
        if (isStored) await store.append(...given);
        throw new OutcomeUnknown('lost');
      },
    };
    const answer = await claimUnique(losing as EventStore, 'nonce', hash, 'order-1', envelope());
    expect(answer).toBe(isStored ? 'claimed-before' : 'claimed');
    await expect(ownerOf(store)).resolves.toBe('order-1');
  });

  it('refuses a key that is not a hash, and a kind that is not a word', async () => {
    const { store, envelope } = setUp();
    await expect(claimUnique(store, 'nonce', 'short', 'order-1', envelope())).rejects.toThrow('16 to 128 characters');
    await expect(claimUnique(store, 'a-kind', hash, 'order-1', envelope())).rejects.toThrow('a kind is a word');
  });

  it('stores the content digest of the owner and returns it to later claimants', async () => {
    const { store, envelope } = setUp();
    const wanted = 'cd'.repeat(32) as ContentDigest;
    await expect(claimUnique(store, 'nonce', hash, 'serial-1', envelope(), wanted)).resolves.toBe('claimed');
    await expect(claimUnique(store, 'nonce', hash, 'serial-2', envelope(), 'ef'.repeat(32) as ContentDigest)).resolves.toStrictEqual({
      takenBy: 'serial-1',
      contentDigest: wanted,
    });
    await expect(continueClaim(store, 'nonce', hash, 'serial-1', envelope())).resolves.toBe(true);
    await expect(claimHolder(store, 'nonce', hash)).resolves.toStrictEqual({ owner: 'serial-1', contentDigest: wanted, claims: 2 });
  });

  it('keeps the claim on release once another process continues it for the same owner', async () => {
    const { store, envelope } = setUp();
    await claimUnique(store, 'nonce', hash, 'order-1', envelope());
    await expect(continueClaim(store, 'nonce', hash, 'order-1', envelope())).resolves.toBe(true);
    await releaseClaim(store, 'nonce', hash, 'order-1', envelope());
    await expect(ownerOf(store)).resolves.toBe('order-1');
    await expect(claimUnique(store, 'nonce', hash, 'order-2', envelope())).resolves.toStrictEqual({ takenBy: 'order-1' });
  });

  it('can be continued only by the current owner', async () => {
    const { store, envelope } = setUp();
    await expect(continueClaim(store, 'nonce', hash, 'order-1', envelope())).resolves.toBe(false);
    await claimUnique(store, 'nonce', hash, 'order-1', envelope());
    await releaseClaim(store, 'nonce', hash, 'order-1', envelope());
    await expect(continueClaim(store, 'nonce', hash, 'order-1', envelope())).resolves.toBe(false);
    await claimUnique(store, 'nonce', hash, 'order-2', envelope());
    await expect(continueClaim(store, 'nonce', hash, 'order-1', envelope())).resolves.toBe(false);
    await expect(claimHolder(store, 'nonce', hash)).resolves.toStrictEqual({ owner: 'order-2', claims: 1 });
  });

  it('is either continued or released if both are requested concurrently', async () => {
    for (let round = 0; round < 20; round++) {
      const { store, envelope } = setUp();
      await claimUnique(store, 'nonce', hash, 'order-1', envelope());
      const [wentOn] = await Promise.all([
        continueClaim(store, 'nonce', hash, 'order-1', envelope()),
        releaseClaim(store, 'nonce', hash, 'order-1', envelope()),
      ]);
      await expect(ownerOf(store)).resolves.toBe(wentOn ? 'order-1' : undefined);
    }
  });

  it('is continued once if the answer was lost', async () => {
    const { store, envelope } = setUp();
    await claimUnique(store, 'nonce', hash, 'order-1', envelope());
    let lost = 0;
    const losing: Pick<EventStore, 'append' | 'read'> = {
      read: (...given) => store.read(...given),
      append: async (...given) => {
        const answer = await store.append(...given);
        if (lost++ === 0) throw new OutcomeUnknown('lost');
        return answer;
      },
    };
    await expect(continueClaim(losing as EventStore, 'nonce', hash, 'order-1', envelope())).resolves.toBe(true);
    await expect(claimHolder(store, 'nonce', hash)).resolves.toStrictEqual({ owner: 'order-1', claims: 2 });
  });

  const failing = (failures: readonly Error[]) => {
    const { store, envelope } = setUp();
    const left = [...failures];
    const appends = { count: 0 };
    const failingStore: Pick<EventStore, 'append' | 'read'> = {
      read: (...given) => store.read(...given),
      append: (...given) => {
        appends.count += 1;
        const failure = left.shift();
        return failure === undefined ? store.append(...given) : Promise.reject(failure);
      },
    };
    const claim = () => claimUnique(failingStore as EventStore, 'nonce', hash, 'order-1', envelope());
    return { store, claim, appends };
  };
  const lostAnswers = (count: number): readonly OutcomeUnknown[] =>
    Array.from({ length: count }, (_, index) => new OutcomeUnknown(`lost ${index + 1}`));

  it('succeeds after two lost answers', async () => {
    const { claim, appends } = failing(lostAnswers(2));
    await expect(claim()).resolves.toBe('claimed');
    expect(appends.count).toBe(3);
  });

  it('throws OutcomeUnknown if the third answer is lost too, and a repeated claim succeeds', async () => {
    const { store, claim, appends } = failing(lostAnswers(3));
    await expect(claim()).rejects.toStrictEqual(new OutcomeUnknown('lost 3'));
    expect(appends.count).toBe(3);
    await expect(ownerOf(store)).resolves.toBeUndefined();
    await expect(claim()).resolves.toBe('claimed');
  });

  it.each([new StoreUnavailable('away'), new Error('a fault of ours')])('does not retry after %s', async (failure) => {
    const { claim, appends } = failing([failure]);
    await expect(claim()).rejects.toBe(failure);
    expect(appends.count).toBe(1);
  });

  it('throws StoreUnavailable after twenty conflicting appends', async () => {
    const { store, envelope } = setUp();
    let rounds = 0;
    const contended: Pick<EventStore, 'append' | 'read'> = {
      read: (...given) => store.read(...given),
      append: () => {
        rounds += 1;
        return Promise.resolve({ kind: 'conflict', actual: 'no_stream' });
      },
    };
    const claim = claimUnique(contended as EventStore, 'nonce', hash, 'order-1', envelope());
    await expect(claim).rejects.toStrictEqual(new StoreUnavailable(`once-nonce.${hash}: not resolved in 20 rounds`));
    expect(rounds).toBe(20);
  });
});
