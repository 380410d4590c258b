import type { Revision, StreamName } from '@app/event-store';
import type { CopyReport } from '@app/event-store/copy';
import type { Output } from '../terminal/output';
import { paintFor } from '../terminal/paint';
import { showCopy, type CopyOutcome } from './copy-report';

const report = (more: Partial<CopyReport> = {}): CopyReport => ({
  outcome: 'equal',
  phase: 'verify',
  appended: 3,
  inspection: {
    isComplete: true,
    categories: new Map([['payment', { streams: 1, events: 5 }]]),
    streams: 1,
    events: 5,
    held: 5,
    leftOut: { streams: 0, events: 0, examples: [] },
    faults: [],
  },
  faults: [],
  hasSourceGrown: false,
  ...more,
});
const fault = (index: number) => ({
  stream: `payment-${index}` as StreamName,
  revision: 2n as Revision,
  kind: 'target-differs' as const,
  text: 'the target holds another event at revision 2',
});
const linesOf = (outcome: Partial<CopyOutcome>, isJson = false): readonly string[] => {
  const lines: string[] = [];
  const output: Output = { paint: paintFor(false), isJson, line: (text = '') => void lines.push(text), problem: () => undefined };
  showCopy({ report: report(), isCopy: true, isWholeLog: true, knownCategories: new Set(['payment']), seconds: 1.25, ...outcome }, output);
  return lines;
};

it('shows what a copy wrote and verified, and what a log does not hold', () => {
  const lines = linesOf({});
  expect(lines.slice(0, 3)).toStrictEqual([
    '3 events written in 1.3 s',
    'equal: 5 events of 1 stream, the same on both sides, by every stream’s hash chain',
    '  payment  1 stream, 5 events',
  ]);
  expect(lines[3]).toMatch(/^Cards and sealed texts are not in a log: .*vault and the key ring/);
});

it('shows streams that were left out, and categories that were copied without being known', () => {
  const { inspection } = report();
  const categories = new Map([['refund', { streams: 2, events: 4 }]]);
  const leftOut = { streams: 1, events: 7, examples: ['theirs-1\u001b[2J' as StreamName] };
  const lines = linesOf({ report: report({ inspection: { ...inspection, categories, leftOut } }) });
  expect(lines).toContain('  refund  2 streams, 4 events (not known to this release; copied as it is)');
  expect(lines).toContain('  LEFT OUT, as not of this service: 1 stream with 7 events; for example theirs-1\\u{1b}[2J');
});

it('names the streams that differ, twenty of them, and no vault', () => {
  const faults = Array.from({ length: 23 }, (_, index) => fault(index));
  const lines = linesOf({ report: report({ outcome: 'refused', phase: 'survey', appended: 0, faults }) });
  expect(lines[0]).toBe('the target was left as it is: what it holds is not the beginning of what the source holds');
  expect(lines).toContain('  payment-19: the target holds another event at revision 2');
  expect(lines.at(-1)).toBe('  and 3 more; --json names them');
});

it('shows how to continue a stopped copy, and that a part is for reading', () => {
  expect(linesOf({ report: report({ outcome: 'stopped', phase: 'copy' }) })[1]).toContain('the same command again goes on from there');
  expect(linesOf({ report: report({ outcome: 'stopped' }) })[1]).toContain('--verify-only');
  expect(linesOf({ isWholeLog: false })).toContainEqual(expect.stringContaining('no service may write to it'));
});

it('is one object for programs', () => {
  const [line = '', ...more] = linesOf({ report: report({ outcome: 'differs', faults: [fault(1)] }) }, true);
  expect(more).toStrictEqual([]);
  expect(JSON.parse(line)).toStrictEqual({
    outcome: 'differs',
    phase: 'verify',
    appended: 3,
    streams: 1,
    events: 5,
    held: 5,
    seconds: 1.25,
    categories: [{ category: 'payment', isKnown: true, streams: 1, events: 5 }],
    leftOut: { streams: 0, events: 0, examples: [] },
    hasSourceGoneOn: false,
    faults: [{ stream: 'payment-1', revision: '2', kind: 'target-differs', text: 'the target holds another event at revision 2' }],
  });
});
