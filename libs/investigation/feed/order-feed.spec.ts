import { Writable } from 'node:stream';
import type { Operator } from '@app/configuration';
import { hashOf, type Last, type Position, type StreamName, type SubscriptionItem } from '@app/event-store';
import { MemoryEventStore } from '@app/event-store/stores/memory';
import type { MerchantLogin, NonEmpty, OrderId } from '@app/kernel';
import { paymentCodec, paymentStream } from '@app/payment';
import type { PaymentEvent } from '@app/payment/events';
import { attemptEvents, sampleOrder, settle, VirtualClock } from '@app/testing';
import { DRAIN_MS, HEARTBEAT_MS, OrderFeed, READERS_MAX, WAKE_MS } from './order-feed';

const ANN: Operator = { name: 'ann', role: 'viewer', tokenSha256: '' };
const limitedTo = (login: string): Operator => ({ ...ANN, merchants: [login as MerchantLogin] });

/** A connection: `take` is false while its other end reads nothing. */
class Reader extends Writable {
  text = '';
  isTaking = true;
  #held: (() => void)[] = [];

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    const take = (): void => {
      this.text += chunk.toString('utf8');
      done();
    };
    if (this.isTaking) take();
    else this.#held.push(take);
  }

  takeAgain(): void {
    this.isTaking = true;
    for (const take of this.#held.splice(0)) take();
  }

  get items(): readonly { readonly position: string; readonly kind: string; readonly orderId: string | null; readonly type: string }[] {
    return [...this.text.matchAll(/^id: (\S+)\ndata: (.+)$/gm)].map(([, , data = '']) => JSON.parse(data) as Reader['items'][number]);
  }

  get positions(): readonly number[] {
    return this.items.map(({ position }) => Number(position));
  }

  get lastId(): string {
    return [...this.text.matchAll(/^id: (\S+)$/gm)].at(-1)?.[1] ?? '';
  }

  get end_(): string | undefined {
    return /event: end\ndata: \{"reason":"(\w+)"\}/.exec(this.text)?.[1];
  }
}

class World {
  readonly clock = new VirtualClock();
  readonly store = new MemoryEventStore(this.clock);
  sessions = 0;
  readonly log = {
    read: (...asked: Parameters<MemoryEventStore['read']>) => this.store.read(...asked),
    head: () => this.store.head(),
    comparePositions: (a: Position, b: Position) => this.store.comparePositions(a, b),
    subscribe: (...asked: Parameters<MemoryEventStore['subscribe']>) => {
      this.sessions += 1;
      return this.store.subscribe(...asked);
    },
  };
  feed = new OrderFeed({ log: this.log, scheduler: this.clock });
  readonly #lasts = new Map<StreamName, Last>();

  async append(merchant: string, number: number, events: NonEmpty<PaymentEvent>): Promise<void> {
    const stream = paymentStream(merchant as MerchantLogin, `order-${number}` as never);
    const last = this.#lasts.get(stream) ?? 'no_stream';
    const recordedAt = this.clock.now();
    const commandId = `${stream} ${last === 'no_stream' ? 0 : last.revision}`;
    const envelope = { correlation: 's', causation: 's', actor: 'a', merchant, commandId, recordedAt };
    const encoded = paymentCodec.encode(events, stream, last, envelope);
    const answer = await this.store.append(stream, last === 'no_stream' ? last : last.revision, encoded);
    if (answer.kind === 'conflict') throw new Error('conflict');
    this.#lasts.set(stream, { revision: answer.revision, hash: hashOf(encoded.at(-1) ?? encoded[0]) });
  }

  accept(number: number, merchant = 'acme'): Promise<void> {
    const data = sampleOrder({ merchant: merchant as MerchantLogin, orderId: String(1_000_000_000 + number) as OrderId });
    return this.append(merchant, number, [{ type: 'OrderAccepted', data }]);
  }

  async open(after?: string, admit: () => Operator | undefined = () => ANN): Promise<Reader> {
    const place = await this.feed.place(after);
    if (place.reason !== 'ready') throw new Error(place.reason);
    const reader = new Reader({ highWaterMark: 1_024 });
    this.feed.read(reader, { position: place.position, admit });
    await this.pass();
    return reader;
  }

  async pass(ms = WAKE_MS): Promise<void> {
    await settle();
    await this.clock.advance(ms);
    await settle();
  }
}

it('a reader gets the new events with position, kind, order and type, and nothing else', async () => {
  const world = new World();
  await world.accept(1);
  const reader = await world.open();
  await world.append('acme', 1, [attemptEvents.started()]);
  await world.accept(2);
  await world.pass();
  expect(reader.items).toStrictEqual([
    { position: '2', kind: 'payment', orderId: '1000000001', type: 'AttemptStarted' },
    { position: '3', kind: 'payment', orderId: '1000000002', type: 'OrderAccepted' },
  ]);
  const { customer, card } = sampleOrder({});
  for (const text of [customer, card?.face.lastFour]) expect(reader.text).not.toContain(text);
});

it('an event of a stream without an order has no order, and the questions of operators are not sent', async () => {
  const world = new World();
  const reader = await world.open();
  const unnamed = { id: '00000000-0000-4000-8000-000000000001', type: 'Unnamed', data: 'not JSON', metadata: '{}' };
  await world.store.append('delivery-x' as StreamName, 'no_stream', [unnamed as never]);
  await world.store.append('operator-x' as StreamName, 'no_stream', [{ ...unnamed, id: unnamed.id.replace('1', '2') } as never]);
  await world.pass();
  expect(reader.items).toStrictEqual([{ position: '1', kind: 'delivery', orderId: null, type: 'Unnamed' }]);
});

it('an event has the order of the stream that it, or the first event of its own stream, names', async () => {
  const world = new World();
  await world.accept(1);
  const orderStream = paymentStream('acme' as MerchantLogin, 'order-1' as never);
  const event = (number: number, data: object) =>
    ({ id: `00000000-0000-4000-8000-00000000000${number}`, type: 'Named', data: JSON.stringify(data), metadata: '{}' }) as never;
  await world.store.append('delivery-x' as StreamName, 'no_stream', [event(1, { orderStream })]);
  const reader = await world.open();
  await world.store.append('delivery-x' as StreamName, 0n as never, [event(2, {})]);
  await world.store.append('delivery-y' as StreamName, 'no_stream', [event(3, { orderStream })]);
  await world.pass();
  expect(reader.items.map(({ position, orderId }) => [position, orderId])).toStrictEqual([
    ['3', '1000000001'],
    ['4', '1000000001'],
  ]);
});

it('a limited operator gets only the orders of its merchants', async () => {
  const world = new World();
  const [all, other] = [await world.open(), await world.open(undefined, () => limitedTo('other'))];
  for (let number = 1; number <= 6; number += 1) await world.accept(number, number % 3 === 0 ? 'other' : 'acme');
  await world.pass();
  expect([all.positions, other.positions]).toStrictEqual([
    [1, 2, 3, 4, 5, 6],
    [3, 6],
  ]);
});

describe('a reader that resumes', () => {
  it('misses nothing after its connection or the service ended, and gets each event once in order', async () => {
    const world = new World();
    for (let number = 1; number <= 300; number += 1) await world.accept(number);
    const first = await world.open('0');
    for (let number = 301; number <= 310; number += 1) await world.accept(number);
    await world.pass();
    expect(first.positions).toStrictEqual(Array.from({ length: 310 }, (_, index) => index + 1));
    first.destroy();
    world.feed = new OrderFeed({ log: world.log, scheduler: world.clock });
    await world.accept(311);
    const second = await world.open(first.lastId);
    await world.accept(312);
    await world.pass();
    expect(second.positions).toStrictEqual([311, 312]);
  });

  it('resumes after events that it may not see, because heartbeats carry the position', async () => {
    const world = new World();
    const reader = await world.open(undefined, () => limitedTo('other'));
    for (let number = 1; number <= 5; number += 1) await world.accept(number);
    await world.pass();
    await world.pass(HEARTBEAT_MS);
    expect([reader.items, reader.lastId]).toStrictEqual([[], '5']);
  });

  it.each([
    ['x', 'malformed'],
    ['1/1', 'malformed'],
    ['3', 'beyond-log'],
  ])('is refused for the position %s: %s', async (after, reason) => {
    const world = new World();
    await world.accept(1);
    expect(await world.feed.place(after)).toStrictEqual({ reason });
  });

  it('continues after the store ended the subscription', async () => {
    const world = new World();
    let isCut = true;
    const { subscribe } = world.log;
    world.log.subscribe = (...asked) => {
      if (!isCut) return subscribe(...asked);
      isCut = false;
      const none = (async function* (): AsyncGenerator<SubscriptionItem, undefined> {
        yield await Promise.reject(new Error('dropped'));
        return undefined;
      })();
      return { [Symbol.asyncIterator]: () => none, cancel: async () => undefined };
    };
    const reader = await world.open();
    await world.accept(1);
    await world.pass(1_000);
    await world.pass();
    expect(reader.positions).toStrictEqual([1]);
  });
});

describe('a slow reader', () => {
  it('is ended with a word when it is too far behind, holds no more than one batch, and can resume', async () => {
    const world = new World();
    const slow = await world.open();
    slow.isTaking = false;
    for (let number = 1; number <= 9_000; number += 1) {
      await world.accept(number);
      if (number % 500 === 0) await world.pass();
    }
    expect(slow.writableLength).toBeLessThan(64_000);
    slow.takeAgain();
    await world.pass();
    expect(slow.end_).toBe('slow');
    const resumed = await world.open(slow.lastId);
    const got = [...slow.positions, ...resumed.positions];
    expect(got).toStrictEqual(Array.from({ length: 9_000 }, (_, index) => index + 1));
    expect(world.feed.readers).toBe(1);
  });

  it('that takes nothing for the time limit is disconnected', async () => {
    const world = new World();
    const dead = await world.open();
    dead.isTaking = false;
    for (let number = 1; number <= 50; number += 1) await world.accept(number);
    await world.pass();
    await world.pass(DRAIN_MS);
    expect([dead.destroyed, world.feed.readers]).toStrictEqual([true, 0]);
  });
});

describe('the access of a reader', () => {
  it('is checked again with each heartbeat, and the feed ends when the operator was removed', async () => {
    const world = new World();
    let operator: Operator | undefined = ANN;
    const reader = await world.open(undefined, () => operator);
    await world.pass(HEARTBEAT_MS);
    expect([reader.end_, world.feed.readers]).toStrictEqual([undefined, 1]);
    operator = undefined;
    await world.pass(HEARTBEAT_MS);
    expect([reader.end_, world.feed.readers]).toStrictEqual(['access', 0]);
    await world.accept(1);
    await world.pass();
    expect(reader.items).toStrictEqual([]);
  });

  it('follows a change of its merchants', async () => {
    const world = new World();
    let operator = ANN;
    const reader = await world.open(undefined, () => operator);
    operator = limitedTo('other');
    await world.pass(HEARTBEAT_MS);
    await world.accept(1, 'acme');
    await world.accept(2, 'other');
    await world.pass();
    expect(reader.positions).toStrictEqual([2]);
  });
});

it('1,000 readers share one subscription, which ends with the last of them', async () => {
  const world = new World();
  const readers = await Promise.all(Array.from({ length: READERS_MAX }, () => world.open()));
  expect(await world.feed.place(undefined)).toStrictEqual({ reason: 'too-many' });
  for (let number = 1; number <= 10; number += 1) await world.accept(number);
  await world.pass();
  expect(world.sessions).toBe(1);
  for (const reader of readers) expect(reader.positions).toHaveLength(10);
  for (const reader of readers) reader.destroy();
  await world.pass();
  expect([world.feed.readers, world.feed.recent]).toStrictEqual([0, undefined]);
});

it('readers that begin in the past read the log a few at a time', async () => {
  const world = new World();
  for (let number = 1; number <= 20; number += 1) await world.accept(number);
  const readers = await Promise.all(Array.from({ length: 20 }, () => world.open('0')));
  await world.pass();
  await world.pass();
  for (const reader of readers) expect(reader.positions).toHaveLength(20);
});

it('the end of the service ends each reader with a word', async () => {
  const world = new World();
  const reader = await world.open();
  world.feed.beforeApplicationShutdown();
  await world.pass();
  expect([reader.end_, reader.writableFinished, world.feed.readers]).toStrictEqual(['stopping', true, 0]);
  expect(await world.feed.place(undefined)).toStrictEqual({ reason: 'too-many' });
});
