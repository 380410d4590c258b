import fc from 'fast-check';
import { boundedLines } from './import-reports';

const partsOf = async function* (...parts: readonly string[]): AsyncGenerator<string> {
  for (const part of parts) yield await Promise.resolve(part);
};
const linesOf = async (lengthMax: number, ...parts: readonly string[]): Promise<readonly (string | undefined)[]> => {
  const lines: (string | undefined)[] = [];
  for await (const { number, text } of boundedLines(partsOf(...parts), lengthMax)) {
    lines.push(text);
    expect(number).toBe(lines.length);
  }
  return lines;
};

describe('lines of a text in parts', () => {
  it('are the same wherever the parts are cut', async () => {
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

  it('end by either line break, the last by none, and begin after a byte order mark', async () => {
    expect(await linesOf(9, '\ufeffone\r\n', 'two\nthr', 'ee')).toStrictEqual(['one', 'two', 'three']);
    expect(await linesOf(9)).toStrictEqual([]);
  });

  it('that are too long are passed over, in memory for one line, and the next is read', async () => {
    expect(await linesOf(3, 'abc\nabcd\n', 'ab', 'cd', 'ef\nabc\nabcd')).toStrictEqual(['abc', undefined, undefined, 'abc', undefined]);
  });
});
