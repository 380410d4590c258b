import type { CardHandle, Instant, MerchantLogin } from '@app/kernel';
import type { OwnerlessCard } from '@app/card-vault';
import type { EventId, EventStore, NewEvent, StreamName } from '@app/event-store';
import { MemoryEventStore } from '@app/event-store/stores/memory';
import { VirtualClock } from '@app/testing';
import { OWNERLESS_KEPT_MS, SweepOwnerlessCards } from './sweep-ownerless-cards';

const merchant = 'acme' as MerchantLogin;
const card = (handle: string, owner: string): OwnerlessCard => ({ merchant, handle: handle as CardHandle, owner });
const naming = (handle: string): NewEvent => ({
  id: '3b241101-e2bb-4255-8caf-4136c566a962' as EventId,
  type: 'OrderAccepted',
  data: JSON.stringify({ card: { handle } }),
  metadata: '{}',
});

const sweeper = (clock: VirtualClock, store: EventStore, cards: readonly OwnerlessCard[]) => {
  const done: string[] = [];
  const asked: Instant[] = [];
  const vault = {
    ownerlessCards: (before: Instant, limit: number) => {
      asked.push(before);
      return Promise.resolve(cards.filter(({ handle }) => !done.some((text) => text.endsWith(` ${handle}`))).slice(0, limit));
    },
    markOwned: (_merchant: MerchantLogin, handle: CardHandle) => Promise.resolve(void done.push(`owned ${handle}`)),
    shred: (_merchant: MerchantLogin, handle: CardHandle) => Promise.resolve(void done.push(`shredded ${handle}`)),
  };
  return { sweep: (goesOn?: () => boolean) => new SweepOwnerlessCards(vault, store, clock).sweep(goesOn), done, asked };
};

describe('SweepOwnerlessCards', () => {
  it('shreds a card without an order and keeps the card of an accepted order', async () => {
    const clock = new VirtualClock();
    const store = new MemoryEventStore(clock);
    await store.append('payment-1' as StreamName, 'no_stream', [naming('kept')]);
    const { sweep, done, asked } = sweeper(clock, store, [
      card('kept', 'payment-1'),
      card('lost', 'payment-2'),
      card('rival', 'payment-1'),
    ]);
    await expect(sweep()).resolves.toEqual({ owned: 1, shredded: 2 });
    expect([...done].sort()).toEqual(['owned kept', 'shredded lost', 'shredded rival']);
    expect(OWNERLESS_KEPT_MS).toBe(900_000);
    expect(asked).toEqual([clock.now() - OWNERLESS_KEPT_MS]);
  });

  it('processes several pages of cards and stops within a page on request', async () => {
    const clock = new VirtualClock();
    const cards = Array.from({ length: 1_200 }, (_, number) => card(`card-${number}`, `payment-${number}`));
    const { sweep, done } = sweeper(clock, new MemoryEventStore(clock), cards);
    await expect(sweep(() => done.length < 50)).resolves.toEqual({ owned: 0, shredded: 50 });
    await expect(sweep()).resolves.toEqual({ owned: 0, shredded: 1_150 });
    expect(new Set(done).size).toBe(1_200);
  });

  it('reads at most 200 pages in one sweep', async () => {
    const clock = new VirtualClock();
    const cards = Array.from({ length: 500 }, (_, number) => card(`card-${number}`, `payment-${number}`));
    const { sweep, asked } = sweeper(clock, new MemoryEventStore(clock), cards);
    let isBegun = false;
    await expect(sweep(() => (isBegun = !isBegun))).resolves.toEqual({ owned: 0, shredded: 0 });
    expect(asked).toHaveLength(200);
  });

  it('continues with other cards after a damaged stream, then throws its error', async () => {
    const clock = new VirtualClock();
    const store = new MemoryEventStore(clock);
    const read = store.read.bind(store);
    store.read = (stream) => {
      if (stream === 'payment-broken') throw new Error('damaged');
      return read(stream);
    };
    const { sweep, done } = sweeper(clock, store, [card('first', 'payment-broken'), card('lost', 'payment-2')]);
    await expect(sweep()).rejects.toThrow('damaged');
    expect(done).toEqual(['shredded lost']);
  });

  it('shreds nothing while the log cannot be read', async () => {
    const clock = new VirtualClock();
    const store = new MemoryEventStore(clock);
    await store.close();
    const { sweep, done } = sweeper(clock, store, [card('lost', 'payment-2')]);
    await expect(sweep()).rejects.toThrow();
    expect(done).toEqual([]);
  });
});
