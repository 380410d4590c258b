import type { StoredEvent, StreamName } from '@app/event-store';
import type { OrderTrail, OrderTrails } from '../orders/order-trail';
import { NoEvidence, relatedEvents } from './related-events';

const ORDER = 'payment-a' as StreamName;
const event = (stream: string): StoredEvent => ({ stream, id: `${stream}-id` }) as unknown as StoredEvent;
const trailsWith = (of: OrderTrails['of']): OrderTrails => ({ of }) as OrderTrails;
const trailOf = (isCutShort: boolean) =>
  trailsWith((...[, { areQuestionsTold }]: Parameters<OrderTrails['of']>) => {
    expect(areQuestionsTold).toBe(false);
    return Promise.resolve({
      events: [event('payment-a'), event('cardReference-b'), event('operator-c')],
      entries: [{ data: { one: 1 } }, { data: null }, { data: { three: 3 } }],
      isCutShort,
    } as unknown as OrderTrail);
  });

it('the events of a trail are told as they are stored, with what they are about', async () => {
  expect(await relatedEvents(trailOf(false), ORDER)).toStrictEqual([
    { stored: event('payment-a'), of: 'order', shown: { one: 1 }, isOfWholeStream: true },
    { stored: event('cardReference-b'), of: 'card', shown: null, isOfWholeStream: true },
    // The stream of a process has events of all orders, and may have millions of them.
    { stored: event('operator-c'), of: 'operator', shown: { three: 3 }, isOfWholeStream: false },
  ]);
});

it('of a trail that was cut none are told, and of an order that there is not there are none', async () => {
  await expect(relatedEvents(trailOf(true), ORDER)).rejects.toMatchObject({ name: NoEvidence.name, isLater: false });
  expect(
    await relatedEvents(
      trailsWith(() => Promise.resolve(undefined)),
      ORDER,
    ),
  ).toStrictEqual([]);
});
