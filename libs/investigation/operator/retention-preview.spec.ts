import type { OrderKeyId } from '@app/card-vault';
import type { StreamName, WorkItem } from '@app/event-store';
import { MemoryEventStore } from '@app/event-store/stores/memory';
import { addMs, type CardHandle, type MerchantLogin, type OrderId } from '@app/kernel';
import { VirtualClock } from '@app/testing';
import { erasureCodec, erasureStream } from '../erasure/erasure.codec';
import type { AgedErasableData } from '../erasure/retain-order';
import { RetentionPreviews } from './retention-preview';

const DAY_MS = 86_400_000;
const RULES = { refusedCardMs: DAY_MS, personalDataMs: 10 * DAY_MS };

type Order = readonly [merchant: string, endedDaysAgo: number, more?: Partial<AgedErasableData>];

const world = (orders: readonly Order[], { dueInDays = 0, millisecondsEach = 0 } = {}) => {
  const clock = new VirtualClock();
  const log = new MemoryEventStore(clock);
  const now = clock.now();
  const streams = orders.map((_, number) => `payment-${number}` as StreamName);
  const items = orders.map(([merchant], number): WorkItem => {
    const stream = streams[number] as StreamName;
    const dueAt = addMs(now, dueInDays * DAY_MS + number);
    return { key: stream, stream, task: 'retain', dueAt, merchant: merchant as MerchantLogin, lane: 'retention' };
  });
  const examined: StreamName[] = [];
  const of = async (stream: StreamName): Promise<AgedErasableData | undefined> => {
    examined.push(stream);
    if (millisecondsEach > 0) await clock.advance(millisecondsEach);
    const [merchant = '', endedDaysAgo = 0, more] = orders[streams.indexOf(stream)] ?? [];
    return {
      orderStream: stream,
      orderId: 'p' as OrderId,
      merchant: merchant as MerchantLogin,
      obstacles: [],
      texts: ['k-1' as OrderKeyId],
      cards: [{ handle: 'h-1' as CardHandle, references: [] }],
      aged: { isApproved: false, finalAt: addMs(now, -endedDaysAgo * DAY_MS), cardExpiresAt: undefined, isCardReferred: false },
      ...more,
    };
  };
  const asked: number[] = [];
  const firstOf = async (_lanes: unknown, limit: number) => (asked.push(limit), items.slice(0, limit));
  const previews = new RetentionPreviews({ rules: RULES, work: { firstOf }, erasableData: { of }, log, clock });
  const hold = async (number: number): Promise<void> => {
    const stream = streams[number] as StreamName;
    const own = erasureStream(stream);
    const data = {
      orderStream: stream,
      orderId: 'p' as OrderId,
      merchant: 'acme' as MerchantLogin,
      reason: 'sealed' as never,
      placedAt: now,
    };
    const envelope = { correlation: 'c', causation: 'c', actor: 'operator:kim', merchant: 'acme', commandId: 'c', recordedAt: now };
    await log.append(own, 'no_stream', erasureCodec.encode([{ type: 'LegalHoldPlaced', data }], own, 'no_stream', envelope));
  };
  return { previews, hold, examined, asked };
};

const LIMITED = { merchants: ['zeta'] as MerchantLogin[] };

describe('RetentionPreviews', () => {
  it('counts the cards and texts that the next day erases by merchant, with the oldest order, and why others are kept', async () => {
    const { previews, hold } = world([
      ['acme', 20],
      ['acme', 5],
      ['acme', 30],
      ['zeta', 11, { obstacles: ['dispute-open'] }],
      ['zeta', 0.5],
    ]);
    await hold(2);
    expect(await previews.preview({})).toStrictEqual({
      hasRules: true,
      until: '2024-01-02T00:00:00.000Z',
      nextRunAt: '2024-01-01T00:00:00.000Z',
      orders: 5,
      merchants: [
        {
          merchant: 'acme',
          cards: { orders: 2, oldestEndedAt: '2023-12-12T00:00:00.000Z' },
          texts: { orders: 1, oldestEndedAt: '2023-12-12T00:00:00.000Z' },
          kept: [{ reason: 'under-legal-hold', orders: 1 }],
        },
        {
          merchant: 'zeta',
          cards: { orders: 2, oldestEndedAt: '2023-12-21T00:00:00.000Z' },
          texts: { orders: 0, oldestEndedAt: null },
          kept: [{ reason: 'dispute-open', orders: 1 }],
        },
      ],
    });
  });

  it('examines no order that is checked later than in a day', async () => {
    const { previews, examined } = world([['acme', 20]], { dueInDays: 2 });
    expect(await previews.preview({})).toMatchObject({ nextRunAt: '2024-01-03T00:00:00.000Z', orders: 0, merchants: [] });
    expect(examined).toStrictEqual([]);
  });

  it("examines the orders of a limited operator's merchants only", async () => {
    const { previews, examined } = world([['acme', 20], ['zeta', 20], ['acme', 20]]); // prettier-ignore
    expect(await previews.preview(LIMITED)).toMatchObject({
      nextRunAt: '2024-01-01T00:00:00.001Z',
      orders: 1,
      merchants: [{ merchant: 'zeta' }],
    });
    expect(examined).toStrictEqual(['payment-1']);
  });

  it('examines at most 200 orders, and says that there are more', async () => {
    const { previews, examined, asked } = world(Array.from({ length: 300 }, (): Order => ['acme', 20]));
    expect(await previews.preview({})).toMatchObject({ orders: 200, isCutShort: true, merchants: [{ cards: { orders: 200 } }] });
    expect([examined.length, asked]).toStrictEqual([200, [201]]);
  });

  it('says that orders of a limited operator may be missing if too many of other merchants are due', async () => {
    const { previews, examined, asked } = world(Array.from({ length: 10_001 }, (): Order => ['acme', 20]));
    expect(await previews.preview(LIMITED)).toMatchObject({ nextRunAt: null, orders: 0, isCutShort: true, merchants: [] });
    expect([examined, asked]).toStrictEqual([[], [10_000]]);
  });

  it('stops after two seconds', async () => {
    const { previews, examined } = world(
      Array.from({ length: 100 }, (): Order => ['acme', 20]),
      { millisecondsEach: 1_000 },
    );
    expect(await previews.preview({})).toMatchObject({ orders: 20, isCutShort: true });
    expect(examined).toHaveLength(20);
  });

  it('is empty if no rule erases by age', async () => {
    const clock = new VirtualClock();
    const previews = new RetentionPreviews({
      rules: {},
      work: undefined,
      erasableData: { of: () => Promise.reject(new Error('examined')) },
      log: new MemoryEventStore(clock),
      clock,
    });
    expect(await previews.preview({})).toMatchObject({ hasRules: false, nextRunAt: null, orders: 0, merchants: [] });
  });
});
