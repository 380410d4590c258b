import { CopyProgressLine } from './copy-log';

const progressOn = (isTerminal: boolean) => {
  const written: string[] = [];
  let nowMs = 0;
  const line = new CopyProgressLine({ write: (text) => void written.push(text), isTerminal, nowMs: () => nowMs });
  const at = (ms: number, phase: 'survey' | 'copy', events: number, eventsTotal?: number): void => {
    nowMs = ms;
    line.update({ phase, events, eventsTotal });
  };
  return { line, written, at };
};

it('changes one line on a terminal, five times a second at most, and removes it', () => {
  const { line, written, at } = progressOn(true);
  at(0, 'copy', 1, 1_000);
  at(199, 'copy', 100, 1_000);
  at(200, 'copy', 250, 1_000);
  at(399, 'copy', 400, 1_000);
  at(400, 'copy', 999, 1_000);
  line.end();
  expect(written).toStrictEqual([
    '\r\u001b[2Kcopying: 250 of 1000 (25 %) events, 1250 events/s',
    '\r\u001b[2Kcopying: 999 of 1000 (99 %) events, 2498 events/s',
    '\r\u001b[2K',
  ]);
});

it('writes a line every ten seconds elsewhere, and counts each phase from its own start', () => {
  const { line, written, at } = progressOn(false);
  at(0, 'survey', 1);
  at(9_999, 'survey', 50);
  at(10_000, 'survey', 100);
  at(15_000, 'copy', 1, 200);
  at(25_000, 'copy', 150, 200);
  line.end();
  expect(written).toStrictEqual(['comparing: 100 events, 10 events/s\n', 'copying: 150 of 200 (75 %) events, 15 events/s\n']);
});
