import type { Instant, MerchantLogin } from '@app/kernel';
import type { StreamName } from '../core/port';
import type { WorkItem } from './open-work';
import { Lane } from './lane-round-robin';
import { RunningItems, type RunningItemsLimits } from './running-items';

const item = (key: string): WorkItem => ({
  key,
  stream: `payment-${key}` as StreamName,
  task: 'submit',
  dueAt: 0 as Instant,
  merchant: 'acme' as MerchantLogin,
  lane: 'acme/sim-a',
});
const running = (limits: RunningItemsLimits) => {
  const items = new RunningItems(limits);
  const begin = (lane: Lane, count: number): void => {
    for (let n = 0; n < count; n++) items.begin(lane, item(`${lane.name}-${lane.inFlight}`));
  };
  return { items, begin, first: new Lane('first'), second: new Lane('second'), third: new Lane('third') };
};

describe('RunningItems', () => {
  it('gives the only running lane half of the shared capacity', () => {
    const { items, begin, first } = running({ inFlightMax: 8, inFlightPerLaneMax: 8 });
    begin(first, 1);
    expect(items.hasRoomFor(first)).toBe(true);
    begin(first, 1);
    expect(items.hasRoomFor(first)).toBe(false);
  });

  it('reserves one slot for an idle lane when the shared capacity is used up', () => {
    const { items, begin, first, second, third } = running({ inFlightMax: 4, inFlightPerLaneMax: 8 });
    begin(first, 2);
    begin(second, 1);
    expect([items.hasSharedRoom, items.hasRoomFor(second), items.hasRoomFor(third)]).toEqual([false, false, true]);
    begin(third, 1);
    expect([items.hasRoom, items.hasRoomFor(new Lane('fourth'))]).toEqual([false, false]);
  });

  it('counts calls outside the runner towards the maximum of a lane', () => {
    const { items, begin, first, second } = running({
      inFlightPerLaneMax: 3,
      busyElsewhere: (lane) => (lane === 'first' ? 2 : 0),
    });
    expect(items.isFull(first)).toBe(false);
    begin(first, 1);
    begin(second, 1);
    expect([items.isFull(first), items.hasRoomFor(first), items.isFull(second)]).toEqual([true, false, false]);
  });

  it('keeps a stream busy until its item ends', () => {
    const { items, first } = running({});
    items.begin(first, item('a'));
    expect([items.has('a'), items.isBusy(item('a').stream), items.isBusy(item('b').stream), items.size]).toEqual([true, true, false, 1]);
    items.end(item('a'));
    expect([items.has('a'), items.isBusy(item('a').stream), items.size]).toEqual([false, false, 0]);
  });
});
