import { addMs, type MerchantLogin } from '@app/kernel';
import type { StreamName, WorkItem } from '@app/event-store';
import { MemoryOpenWork } from '@app/event-store/testing';
import { VirtualClock } from '@app/testing';
import { SharedOrderAgenda } from './order-agenda';

const streamOf = (last: string) => `payment-${'a'.repeat(51)}${last}` as StreamName;
const STREAM = streamOf('c');

const agendaOf = (...items: readonly Pick<WorkItem, 'key' | 'stream' | 'dueAt'>[]) => {
  const clock = new VirtualClock();
  const work = new MemoryOpenWork();
  work.add(...items.map((item) => ({ task: 'inquire', merchant: 'acme' as MerchantLogin, lane: 'acme/sim-a inquiries', ...item })));
  let news = 0;
  const agenda = new SharedOrderAgenda(work, clock, { arrived: () => void news++ });
  const dueAt = () => Object.fromEntries([...work.items.values()].map(({ key, dueAt: at }) => [key, at - clock.now()]));
  return { agenda, work, dueAt, newsCount: () => news };
};
const later = addMs(new VirtualClock().now(), 60_000);
const before = addMs(new VirtualClock().now(), -5_000);

describe('SharedOrderAgenda', () => {
  it('makes the work items of an order and its follow-ups due now and leaves other orders unchanged', async () => {
    const { agenda, dueAt, newsCount } = agendaOf(
      { key: streamOf('b'), stream: streamOf('b'), dueAt: later },
      { key: STREAM, stream: STREAM, dueAt: later },
      { key: `${STREAM}#1`, stream: STREAM, dueAt: later },
      { key: `${STREAM}#2`, stream: STREAM, dueAt: later },
      { key: streamOf('d'), stream: streamOf('d'), dueAt: later },
    );
    await agenda.dueNow(STREAM);
    expect(dueAt()).toEqual({ [streamOf('b')]: 60_000, [STREAM]: 0, [`${STREAM}#1`]: 0, [`${STREAM}#2`]: 0, [streamOf('d')]: 60_000 });
    expect(newsCount()).toBe(1);
  });

  it('changes nothing if the items are already due or if the order has no items', async () => {
    const { agenda, dueAt, newsCount } = agendaOf({ key: STREAM, stream: STREAM, dueAt: before });
    await agenda.dueNow(STREAM);
    await agenda.dueNow(streamOf('z'));
    expect(dueAt()).toEqual({ [STREAM]: -5_000 });
    expect(newsCount()).toBe(0);
  });
});
