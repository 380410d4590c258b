import type { AttemptKey, GateAlias } from '@app/kernel';
import type { StreamName } from '@app/event-store';
import { settle, VirtualClock } from '@app/testing';
import { HINTS_WAITING_MAX, Hints } from './hints';

const GATE = 'sim-a' as GateAlias;
const OTHER_GATE = 'sim-b' as GateAlias;
const STREAM = 'payment-1' as StreamName;
/** For which the log is read at one time. */
const LOOKS = 4;

/** Hints over a log that answers when the test says so. */
const waiting = () => {
  const clock = new VirtualClock();
  const reads: (() => void)[] = [];
  const heard: string[] = [];
  const hints = new Hints({
    contexts: { findByStream: () => new Promise((resolve) => reads.push(() => resolve(undefined))) },
    circuits: { isOpen: () => false },
    requests: { streamsOf: () => Promise.resolve([]) },
    agenda: { dueNow: () => Promise.resolve() },
    monotonic: clock,
    watch: {
      heard: (gate, kind, outcome) => heard.push(`${gate} ${kind} ${outcome}`),
      neverKnown: () => undefined,
      hearingFailed: () => undefined,
    },
  });
  const take = (index: number, gate = GATE): void => hints.take(gate, { stream: STREAM, key: `key-${index}` as AttemptKey });
  return { clock, hints, reads, heard, take };
};

describe('hints that wait for the log', () => {
  it('are looked at few at one time, and the next ones as those end', async () => {
    const { reads, take } = waiting();
    for (let index = 0; index < 10; index++) take(index);
    expect(reads).toHaveLength(LOOKS);
    reads[0]?.();
    await settle();
    expect(reads).toHaveLength(LOOKS + 1);
  });

  it('are one where they are equal, also while it is looked at', () => {
    const { reads, take } = waiting();
    for (let count = 0; count < 10; count++) take(1);
    expect(reads).toHaveLength(1);
  });

  it('are of a bounded number, whichever gates they came from', async () => {
    const { clock, heard, take } = waiting();
    for (let index = 0; heard.length === 0; index++) {
      take(index, index % 2 === 0 ? GATE : OTHER_GATE);
      if (index % 100 === 0) await clock.advance(1_000);
      expect(index).toBeLessThanOrEqual(HINTS_WAITING_MAX + LOOKS);
    }
    expect(heard[0]).toMatch(/^sim-[ab] hint limited$/);
  });

  it('are dropped by a stop, which waits for those that are looked at', async () => {
    const { hints, reads, heard, take } = waiting();
    for (let index = 0; index < 10; index++) take(index);
    let isStopped = false;
    const stopping = hints.stop().then(() => (isStopped = true));
    await settle();
    expect(isStopped).toBe(false);
    for (const answer of reads) answer();
    await stopping;
    expect(heard).toHaveLength(LOOKS);
  });
});
