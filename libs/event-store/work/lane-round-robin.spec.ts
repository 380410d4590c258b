import type { Instant, MerchantLogin } from '@app/kernel';
import type { StreamName } from '../core/port';
import type { WorkItem } from './open-work';
import { RecentlyFinishedItems } from './due-work-reader';
import { LANES_MAX, LaneRoundRobin } from './lane-round-robin';

const item = (lane: string, dueAt = 0): WorkItem => ({
  key: `of-${lane}`,
  stream: `payment-${lane}` as StreamName,
  task: 'submit',
  dueAt: dueAt as Instant,
  merchant: 'acme' as MerchantLogin,
  lane,
});
const setUp = () => {
  let deferred = 0;
  const lanes = new LaneRoundRobin(() => deferred++);
  const names = (queue: ReadonlySet<{ readonly name: string }>): string[] => [...queue].map(({ name }) => name);
  return {
    lanes,
    held: new RecentlyFinishedItems(lanes),
    idle: () => names(lanes.idle),
    busy: () => names(lanes.busy),
    deferred: () => deferred,
  };
};

describe('LaneRoundRobin', () => {
  it('orders lanes by when they were first found, and keeps the place of a lane found again', () => {
    const { lanes, idle } = setUp();
    for (const name of ['a', 'b', 'a']) lanes.found(name);
    expect(idle()).toEqual(['a', 'b']);
    lanes.passTurn(lanes.of('a'));
    expect(idle()).toEqual(['b', 'a']);
  });

  it('prefers lanes without running items', () => {
    const { lanes, idle, busy } = setUp();
    for (const name of ['a', 'b']) lanes.found(name);
    const a = lanes.of('a');
    a.inFlight += 1;
    lanes.passTurn(a);
    expect([idle(), busy()]).toEqual([['b'], ['a']]);
    lanes.itemEnded(a);
    expect([idle(), busy()]).toEqual([['b', 'a'], []]);
  });

  it('skips a lane whose items wait for their stream, until that stream is free', () => {
    const { lanes, idle } = setUp();
    lanes.found('a');
    const a = lanes.of('a');
    a.readAgain([item('a')], false);
    lanes.leave(a);
    lanes.freeStream(item('b').stream);
    expect(idle()).toEqual([]);
    lanes.freeStream(item('a').stream);
    expect(idle()).toEqual(['a']);
  });

  it('drops a lane after its turn if too many lanes wait, so that a later round must find it again', () => {
    const { lanes, idle, deferred } = setUp();
    const first = lanes.of('first');
    first.inFlight += 1;
    first.mayHaveMore = true;
    for (let n = 0; n < LANES_MAX; n++) lanes.found(`${n}`);
    expect([lanes.isFull, deferred()]).toEqual([true, 0]);
    lanes.itemEnded(first);
    expect([idle().includes('first'), first.hasWork, deferred()]).toEqual([false, false, 1]);
  });
});

describe('RecentlyFinishedItems', () => {
  it('keep their lane until they are released', () => {
    const { lanes, held } = setUp();
    held.hold(item('a'), 1_000 as Instant);
    const lane = lanes.of('a');
    held.releaseOver(999 as Instant);
    expect(lanes.of('a')).toBe(lane);
    held.releaseOver(1_000 as Instant);
    expect([lane.held, lanes.of('a') === lane]).toEqual([0, false]);
  });

  it('do not hold an item that the work table lists with another due time', () => {
    const { held } = setUp();
    held.hold(item('a', 10), 1_000 as Instant);
    expect([held.untilOf(item('a', 10)), held.untilOf(item('a', 11))]).toEqual([1_000, undefined]);
  });

  it('count an item once for its lane if it is held twice', () => {
    const { lanes, held } = setUp();
    held.hold(item('a'), 1_000 as Instant);
    held.hold(item('a'), 2_000 as Instant);
    expect([lanes.of('a').held, held.untilOf(item('a'))]).toEqual([1, 2_000]);
    held.releaseAll();
    expect([lanes.of('a').held, held.untilOf(item('a'))]).toEqual([0, undefined]);
  });
});
