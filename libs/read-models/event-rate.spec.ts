import { VirtualClock } from '@app/testing';
import { EventRate } from './event-rate';

it('EventRate averages the events of the last 60 seconds, or since the first batch', async () => {
  const clock = new VirtualClock();
  const rate = new EventRate(clock);
  expect(rate.perSecond).toBeUndefined();
  rate.add(30);
  rate.add(90);
  expect(rate.perSecond).toBe(120);
  await clock.advance(2_000);
  expect(rate.perSecond).toBe(40);
  await clock.advance(57_000);
  rate.add(60);
  expect(rate.perSecond).toBe(3);
  await clock.advance(1_000);
  expect(rate.perSecond).toBe(1);
  await clock.advance(60_000);
  expect(rate.perSecond).toBe(0);
});
