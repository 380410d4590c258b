import { VirtualClock } from '@app/testing';
import type { Position } from '../core/port';
import { ProgressMonitor } from './progress-monitor';

const setUp = () => {
  const clock = new VirtualClock();
  const log = { head: 10, position: 10 as number | undefined, isWaiting: false, isAway: false };
  const ended: number[] = [];
  const errors: unknown[] = [];
  const begin = clock.now();
  const monitor = new ProgressMonitor({
    store: {
      head: () => (log.isAway ? Promise.reject(new Error('away')) : Promise.resolve(`${log.head}` as Position)),
      comparePositions: (a, b) => Number(a) - Number(b),
    },
    clock,
    scheduler: clock,
    position: () => (log.position === undefined ? undefined : (`${log.position}` as Position)),
    isWaiting: () => log.isWaiting,
    endSession: () => {
      ended.push(clock.now() - begin);
      return Promise.resolve();
    },
    onError: (error) => errors.push(error),
  });
  monitor.start();
  return { clock, log, ended, errors, monitor, behindMs: () => monitor.behindSince && clock.now() - monitor.behindSince };
};

describe('ProgressMonitor', () => {
  it('reports since when the projection has not reached a head, until it reaches that head', async () => {
    const { clock, log, monitor, behindMs } = setUp();
    log.head = 12;
    await clock.advance(15_000);
    log.head = 15;
    log.position = 11;
    await clock.advance(5_000);
    expect(behindMs()).toBe(15_000);
    log.position = 12;
    await clock.advance(5_000);
    expect(behindMs()).toBe(0);
    log.position = 15;
    await clock.advance(5_000);
    expect(monitor.behindSince).toBeUndefined();
  });

  it('ends a session after thirty seconds behind the head without progress, and gives the next session thirty seconds', async () => {
    const { clock, log, ended, monitor } = setUp();
    log.head = 12;
    await clock.advance(20_000);
    monitor.moved();
    await clock.advance(25_000);
    expect(ended).toEqual([]);
    await clock.advance(40_000);
    expect(ended).toEqual([50_000, 80_000]);
  });

  it('ends a session whose checkpoint is ahead of the log at two consecutive checks', async () => {
    const { clock, log, ended } = setUp();
    log.head = 9;
    await clock.advance(5_000);
    log.head = 10;
    await clock.advance(5_000);
    log.head = 9;
    await clock.advance(5_000);
    expect(ended).toEqual([]);
    await clock.advance(5_000);
    expect(ended).toEqual([20_000]);
  });

  it('reports no lag while another process projects', async () => {
    const { clock, log, ended, monitor } = setUp();
    log.head = 12;
    await clock.advance(5_000);
    log.isWaiting = true;
    await clock.advance(60_000);
    expect([monitor.behindSince, ended]).toEqual([undefined, []]);
  });

  it('reports an unavailable log, and keeps checking until it is stopped', async () => {
    const { clock, log, errors, monitor } = setUp();
    log.isAway = true;
    await clock.advance(5_000);
    expect(errors).toEqual([new Error('away')]);
    log.isAway = false;
    log.head = 12;
    await clock.advance(5_000);
    expect(monitor.behindSince).toBeDefined();
    monitor.stop();
    expect(clock.pending).toBe(0);
  });
});
