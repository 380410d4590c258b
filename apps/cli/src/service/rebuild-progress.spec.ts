import type { RebuildProgress } from '@app/read-models';
import { RebuildProgressLine } from './rebuild';

const at = (events: number, position: string, head: string): RebuildProgress => ({ events, position, head }) as unknown as RebuildProgress;

const progressOn = (isTerminal: boolean) => {
  const written: string[] = [];
  const clock = { nowMs: 0 };
  const line = new RebuildProgressLine({ write: (text) => written.push(text), isTerminal, nowMs: () => clock.nowMs });
  return { written, clock, line };
};

it('shows the share, the rate and the remaining time, now and then', () => {
  const { written, clock, line } = progressOn(false);
  line.update(at(500, '600', '100000'));
  expect(written).toStrictEqual([]);
  clock.nowMs = 10_000;
  line.update(at(200_000, '25000', '100000'));
  clock.nowMs = 10_500;
  line.update(at(200_500, '25100', '100000'));
  clock.nowMs = 20_000;
  line.update(at(400_000, '50000/50000', '100000/100000'));
  expect(written).toStrictEqual([
    'folding: 200000 events, 20000 events/s, 25 %, about 30 s left\n',
    'folding: 400000 events, 20000 events/s, 50 %, about 20 s left\n',
  ]);
});

it.each([
  [1_000, '100', '10000', 'about 17 min left'],
  [1_000, '1', '10000', 'about 27 h 47 min left'],
  [1_000, '10000', '10000', '100 %, about 0 s left'],
  [1_000, '0', '10000', '100 events/s\n'],
])('shows %i events at %s of %s as: %s', (events, position, head, words) => {
  const { written, clock, line } = progressOn(false);
  clock.nowMs = 10_000;
  line.update(at(events, position, head));
  expect(written[0]).toContain(words);
});

it('is one line that is overwritten on a terminal, and removed', () => {
  const { written, clock, line } = progressOn(true);
  clock.nowMs = 200;
  line.update(at(1_000, '1', '2'));
  line.update(at(1_500, '1', '2'));
  line.end();
  expect(written).toStrictEqual(['\r\u001b[2Kfolding: 1000 events, 5000 events/s, 50 %, about 1 s left', '\r\u001b[2K']);
});
