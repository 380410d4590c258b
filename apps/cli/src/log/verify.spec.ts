import type { LogFinding, VerifyLogReport } from '@app/investigation';
import { type Output, paintFor } from '../terminal';
import { NO_KEY_LINE, showVerification, type VerifyOutcome } from './verify';

const fitting = (size: number) => ({ size, root: 'r', madeAt: '2026-11-25T20:49:48.833Z', place: '/proofs' });
const place = (name: string, checkpoints: number, ofOtherLogs = 0) => ({ place: name, checkpoints, ofOtherLogs, passedOver: 0 });
const report = ({
  checkpoints,
  ...more
}: Partial<Omit<VerifyLogReport, 'checkpoints'>> & { checkpoints?: object } = {}): VerifyLogReport => ({
  isComplete: true,
  events: 94,
  read: 94,
  leftOut: 0,
  treeSize: 94,
  root: 'r',
  findings: [],
  unreachable: [],
  ...more,
  checkpoints: {
    verified: 4,
    ignored: 0,
    newest: fitting(94),
    largest: 94,
    places: [place('/proofs', 2), place('/witness', 2)],
    ...checkpoints,
  },
});
/** Lines after the summary of the read. */
const linesOf = (outcome: Partial<VerifyOutcome> = {}): readonly string[] => {
  const lines: string[] = [];
  const output: Output = { paint: paintFor(false), isJson: false, line: (text = '') => void lines.push(text), problem: () => undefined };
  showVerification({ report: report(), isKeyGiven: true, seconds: 1, ...outcome }, output);
  return lines.slice(1);
};
const changed: LogFinding = { kind: 'changed-between', good: 0, bad: 36, place: '/proofs', from: undefined, to: undefined };
const notSigned: LogFinding = { kind: 'not-signed', place: '/witness', notes: 17 };

it('reports the verification result, the newest matching checkpoint and the number of checkpoints per location', () => {
  expect(linesOf()).toStrictEqual([
    'sound: the log fits its tree and 4 checkpoints',
    'Newest checkpoint that fits: 94 events, made 2026-11-25T20:49:48.833Z (signed); none is newer.',
    '2 checkpoints at /proofs',
    '2 checkpoints at /witness',
  ]);
  const places = [place('/proofs', 1), place('/witness', 0), place('/away', 0)];
  const unreachable = [{ place: '/away', problem: 'no such folder' }];
  expect(linesOf({ report: report({ events: 96, checkpoints: { verified: 1, places }, unreachable }) }).slice(1)).toStrictEqual([
    'Newest checkpoint that fits: 94 events, made 2026-11-25T20:49:48.833Z (signed); the newest 2 events are under none yet.',
    '1 checkpoint at /proofs',
    'No checkpoint at /witness',
    'not read: /away: no such folder',
  ]);
});

it('warns that no signature was checked if no key is given', () => {
  const lines = linesOf({ isKeyGiven: false });
  expect(lines.slice(0, 2)).toStrictEqual([
    'sound: the log fits its tree and 4 checkpoints, whose signatures were not checked',
    'Newest checkpoint that fits: 94 events, made 2026-11-25T20:49:48.833Z (its signature was not checked); none is newer.',
  ]);
  expect(lines.at(-1)).toBe(NO_KEY_LINE);
});

it.each<[string, Parameters<typeof report>[0], string, string]>([
  [
    'any of the checkpoints found',
    { findings: [changed], checkpoints: { newest: undefined } },
    'NOT as it was written: 1 finding',
    'The log fits none of the 4 checkpoints that were found; the largest is of 94 events.',
  ],
  [
    'the checkpoints after a matching one',
    { findings: [changed], events: 100, checkpoints: { newest: fitting(36) } },
    'NOT as it was written: 1 finding',
    'Newest checkpoint that fits: 36 events, made 2026-11-25T20:49:48.833Z (signed); there are larger ones, up to 94 events, that the log does not fit; the newest 6 events are under none yet.',
  ],
  [
    'the signature at a witness',
    { findings: [notSigned] },
    'NOT shown to be as it was written: 1 finding',
    'Newest checkpoint that fits: 94 events, made 2026-11-25T20:49:48.833Z (signed); none is newer.',
  ],
  [
    'its damaged tree',
    { findings: [{ kind: 'tree-damaged', what: 'it has 0 events' }] },
    'its tree is NOT as it was written: 1 finding',
    'Newest checkpoint that fits: 94 events, made 2026-11-25T20:49:48.833Z (signed); none is newer.',
  ],
  [
    'anything, because it has neither tree nor checkpoint',
    { treeSize: 0, checkpoints: { verified: 0, newest: undefined, largest: 0, places: [] } },
    'nothing to compare with: there is no tree and no checkpoint',
    'No checkpoint of this log was found: nothing is shown.',
  ],
  [
    'a checkpoint, because only its tree exists',
    { checkpoints: { verified: 0, newest: undefined, largest: 0, places: [] } },
    'sound: the log fits its tree and 0 checkpoints',
    'No checkpoint of this log was found: what is shown is that the log fits its tree, which whoever changes the log can change too.',
  ],
])('reports the result for a log that cannot be compared with or does not match %s', (_, more, head, cover) => {
  const lines = linesOf({ report: report(more) });
  expect([lines[0], lines.find((line) => /^(The log fits|Newest|No checkpoint of this)/.test(line))]).toStrictEqual([head, cover]);
});

it('reports checkpoints of other logs at a location without any of this log', () => {
  const places = [place('/proofs', 0), place('/witness', 0, 17)];
  const findings: readonly LogFinding[] = [{ kind: 'other-log', origin: 'log/a', size: 20, place: '/witness' }];
  const lines = linesOf({ report: report({ findings, treeSize: 0, checkpoints: { verified: 0, newest: undefined, largest: 0, places } }) });
  expect(lines.slice(2)).toStrictEqual([
    'No checkpoint of this log was found: nothing is shown.',
    'No checkpoint at /proofs',
    'No checkpoint at /witness, and 17 checkpoints of other names',
  ]);
});
