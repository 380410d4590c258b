import { EventEmitter } from 'node:events';
import { settle, VirtualClock } from '@app/testing';
import type { Connection } from './raw-client';
import { ReadCall } from './read-call';

const SILENCE_MS = 1_000;
const DEADLINE_EXCEEDED = 4;

const setUp = async () => {
  const clock = new VirtualClock();
  const ended: unknown[] = [];
  const calls: string[] = [];
  const call = Object.assign(new EventEmitter(), {
    pause: () => calls.push('pause'),
    resume: () => calls.push('resume'),
    cancel: () => calls.push('cancel'),
  });
  const client = {
    receivedCount: 0,
    received: () => undefined,
    failed: () => calls.push('failed'),
    silent: () => calls.push('silent'),
    callArguments: () => [],
    streams: () => Promise.resolve({ read: () => call }),
  };
  const read = new ReadCall({
    client: client as unknown as Connection,
    scheduler: clock,
    request: {} as never,
    silenceMs: SILENCE_MS,
    onResponse: () => undefined,
    onEnd: (error) => ended.push(error?.code),
  });
  await settle();
  return { read, clock, ended, calls, respond: () => call.emit('data', {}) };
};

describe('ReadCall without responses', () => {
  it('ends after the silence limit, but not while responses arrive', async () => {
    const { clock, ended, calls, respond } = await setUp();
    respond();
    await clock.advance(2 * SILENCE_MS - 1);
    expect(ended).toStrictEqual([]);
    await clock.advance(1);
    expect([ended, calls]).toStrictEqual([[DEADLINE_EXCEEDED], ['silent', 'cancel']]);
  });

  it('does not end while paused, and has the whole silence limit again once resumed', async () => {
    const { read, clock, ended, calls } = await setUp();
    read.pause();
    await clock.advance(2.5 * SILENCE_MS);
    read.resume();
    expect(calls).toStrictEqual(['pause', 'resume']);
    await clock.advance(1.5 * SILENCE_MS - 1);
    expect(ended).toStrictEqual([]);
    await clock.advance(1);
    expect(ended).toStrictEqual([DEADLINE_EXCEEDED]);
  });

  it('reports its end once, and reports nothing after it is cancelled', async () => {
    const one = await setUp();
    await one.clock.advance(10 * SILENCE_MS);
    expect(one.ended).toStrictEqual([DEADLINE_EXCEEDED]);
    const other = await setUp();
    await other.read.cancel();
    await other.clock.advance(10 * SILENCE_MS);
    expect([other.ended, other.calls]).toStrictEqual([[], ['cancel']]);
  });
});
