import fc from 'fast-check';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { boundedLines, importLines, partsOf, type ReportAnswer, type TypedReport, REPORT_HEADER } from './disputes';
import { CommandFailed, EXIT, paintFor } from '../terminal';

const textParts = async function* (...parts: readonly string[]): AsyncGenerator<string> {
  for (const part of parts) yield await Promise.resolve(part);
};
const linesOf = async (lengthMax: number, ...parts: readonly string[]): Promise<readonly (string | undefined)[]> => {
  const lines: (string | undefined)[] = [];
  for await (const { number, text } of boundedLines(textParts(...parts), lengthMax)) {
    lines.push(text);
    expect(number).toBe(lines.length);
  }
  return lines;
};

describe('boundedLines', () => {
  it('returns the same lines for any chunking', async () => {
    const line = fc.string({ maxLength: 12 }).map((text) => text.replaceAll(/[\r\n\ufeff]/g, ''));
    await fc.assert(
      fc.asyncProperty(fc.array(line, { minLength: 1 }), fc.array(fc.nat(40)), async (lines, cuts) => {
        const text = `${lines.join('\n')}\n`;
        const ends = [...cuts, text.length].sort((one, other) => one - other);
        const parts = ends.map((end, index) => text.slice(ends[index - 1] ?? 0, end));
        expect(await linesOf(12, ...parts)).toStrictEqual(lines);
      }),
    );
  });

  it('accepts LF and CRLF, a last line without a line break and a byte order mark', async () => {
    expect(await linesOf(9, '\ufeffone\r\n', 'two\nthr', 'ee')).toStrictEqual(['one', 'two', 'three']);
    expect(await linesOf(9)).toStrictEqual([]);
  });

  it('skips a line above the maximum length and reads the next one', async () => {
    expect(await linesOf(3, 'abc\nabcd\n', 'ab', 'cd', 'ef\nabc\nabcd')).toStrictEqual(['abc', undefined, undefined, 'abc', undefined]);
  });
});

let problems: string[];
let sent: (readonly [order: string, report: TypedReport])[];
beforeEach(() => {
  problems = [];
  sent = [];
});
const output = { paint: paintFor(false), isJson: false, line: () => undefined, problem: (text: string) => void problems.push(text) };
const RECORDED = { order: {}, isKnown: false } as unknown as ReportAnswer;

const imported = (lines: readonly string[], answer: (order: string) => ReportAnswer = () => RECORDED) => {
  const parts = async function* (): AsyncGenerator<string> {
    yield await Promise.resolve(lines.join('\n'));
  };
  const send = (order: string, report: TypedReport): Promise<ReportAnswer> => {
    sent.push([order, report]);
    return Promise.resolve().then(() => answer(order));
  };
  return importLines(parts(), 'sim-a', send, output);
};

describe('a file of reports', () => {
  it('is sent line by line with the gate alias and without empty values', async () => {
    const counts = await imported([
      REPORT_HEADER,
      '1234567890,chargeback,CB-1,10.42,USD,10.4,second,,2026-11-24',
      'shop-7 , representment,CB-1,,,,,won,',
      '',
      'shop-8,fraud-warning,FW-1,,,,,,',
    ]);
    expect(counts).toStrictEqual({ recorded: 3, known: 0, setAside: 0, failed: 0 });
    expect(sent).toStrictEqual([
      [
        '1234567890',
        {
          kind: 'chargeback',
          case: 'CB-1',
          amount: '10.42',
          currency: 'USD',
          reasonCode: '10.4',
          stage: 'second',
          date: '2026-11-24',
          gate: 'sim-a',
        },
      ],
      ['shop-7', { kind: 'representment', case: 'CB-1', outcome: 'won', gate: 'sim-a' }],
      ['shop-8', { kind: 'fraud-warning', case: 'FW-1', gate: 'sim-a' }],
    ]);
    expect(problems).toStrictEqual([]);
  });

  it('reports the number of each malformed line and continues', async () => {
    const counts = await imported([
      REPORT_HEADER,
      'a,chargeback,CB-1',
      '"a",chargeback,CB-1,1.00,USD,,,,',
      'a,refund,CB-1,1.00,USD,,,,',
      ',chargeback,CB-1,1.00,USD,,,,',
      'a,chargeback,,1.00,USD,,,,',
      'x'.repeat(1_025),
      'b,reversal,RV-1,1.00,USD,,,,',
    ]);
    expect(counts).toStrictEqual({ recorded: 1, known: 0, setAside: 0, failed: 6 });
    expect(problems).toStrictEqual([
      'line 2: 3 values instead of 9',
      'line 3: quotes are not supported',
      'line 4: kind must be one of reversal, chargeback, representment, fraud-warning',
      'line 5: order is empty',
      'line 6: case is empty',
      'line 7: longer than 1024 characters',
    ]);
    expect(sent.map(([order]) => order)).toStrictEqual(['b']);
  });

  it('continues after a line that the service refuses, already knows or sets aside', async () => {
    const line = (order: string): string => `${order},fraud-warning,FW-1,,,,,,`;
    const counts = await imported([REPORT_HEADER, ...['refused', 'gone', 'known', 'aside', 'fine'].map(line)], (order) => {
      if (order === 'refused') throw new CommandFailed('refused (400): currency must be three upper-case letters', EXIT.usage);
      if (order === 'gone') throw new CommandFailed('no order "gone"', EXIT.notFound);
      if (order === 'aside') return { setAside: 'other-gate' };
      return { order: {}, isKnown: order === 'known' } as unknown as ReportAnswer;
    });
    expect(counts).toStrictEqual({ recorded: 1, known: 1, setAside: 1, failed: 2 });
    expect(problems).toStrictEqual([
      'line 2: refused (400): currency must be three upper-case letters',
      'line 3: no order "gone"',
      'line 5: does not fit the order and is set aside for review: other-gate',
    ]);
  });

  it('stops at the first line for which the service is unreachable', async () => {
    const lines = [REPORT_HEADER, 'a,fraud-warning,FW-1,,,,,,', 'b,fraud-warning,FW-1,,,,,,'];
    const away = imported(lines, () => {
      throw new CommandFailed('no service answers');
    });
    await expect(away).rejects.toMatchObject({
      message: 'line 2: no service answers; the lines before it are done',
      exitCode: EXIT.failed,
    });
    expect(sent).toHaveLength(1);
  });

  it.each([
    ['another header', ['order,case']],
    ['none', []],
    ['nothing after the header', [REPORT_HEADER, '', ',,,,,,,,']],
  ])('is rejected with %s, and nothing is sent', async (_, lines) => {
    await expect(imported(lines)).rejects.toMatchObject({ name: 'CommandFailed', exitCode: EXIT.usage });
    expect(sent).toStrictEqual([]);
  });

  describe('on disk', () => {
    const folder = mkdtempSync(join(tmpdir(), 'import-'));
    afterAll(() => rmSync(folder, { recursive: true, force: true }));
    const partsIn = async (bytes: Buffer): Promise<string> => {
      const file = join(folder, 'reports.csv');
      writeFileSync(file, bytes);
      let text = '';
      for await (const part of partsOf(file)) text += part;
      return text;
    };

    it('is read with CR line breaks', async () => {
      expect(await partsIn(Buffer.from('a\rb\r'))).toBe('a\nb\n');
    });

    it.each([
      ['UTF-16', Buffer.from('\ufeffa', 'utf16le'), 'is UTF-16'],
      ['an older encoding', Buffer.from([0xe7, 0x61]), 'is not UTF-8'],
    ])('is rejected in %s', async (_, bytes, message) => {
      await expect(partsIn(bytes)).rejects.toMatchObject({ exitCode: EXIT.usage, message: expect.stringContaining(message) as string });
    });
  });
});
