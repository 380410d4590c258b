import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { transformSync } from 'esbuild';
import { terminalOutput } from '../terminal/output';
import { trace } from './trace';

let folder: string;
let frame: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'trace-'));
  const { code, map } = transformSync("// Left out by the build.\nthrow new Error('a bug');\n", {
    loader: 'ts',
    minifyWhitespace: true,
    sourcemap: true,
    sourcefile: 'fail.ts',
  });
  writeFileSync(join(folder, 'main.js'), code);
  writeFileSync(join(folder, 'main.js.map'), map);
  frame = `    at work (${join(folder, 'main.js')}:1:1)`;
});
afterAll(() => rmSync(folder, { recursive: true }));

const traced = async (isJson: boolean, ...lines: readonly string[]): Promise<readonly string[]> => {
  let out = '';
  const stdout = { isTTY: false, write: (text: string) => Boolean((out += text)) };
  async function* input(): AsyncGenerator<string> {
    yield* lines;
  }
  await trace(input(), terminalOutput(isJson, { stdout, stderr: stdout }));
  return out.trimEnd().split('\n');
};
const line = (stack: string): string =>
  JSON.stringify({ level: 50, time: 'T', event: 'request.failed', error: { name: 'Error', message: 'a bug', stack } });
const source = (): string => `    at work (${join(folder, 'fail.ts')}:2:1)`;

it('shows a line of the log with the places of the sources in its trace', async () => {
  expect(await traced(false, line(frame))).toStrictEqual(['T request.failed Error: a bug', source()]);
});

it('maps a pasted trace, and leaves every other line unchanged', async () => {
  const started = '{"event":"started"}';
  expect(await traced(false, started, 'Error: a bug', frame)).toStrictEqual([started, 'Error: a bug', source()]);
});

it('shows the same as JSON', async () => {
  const [shown = ''] = await traced(true, line(frame));
  expect(JSON.parse(shown)).toStrictEqual({ version: 1, ...(JSON.parse(line(source())) as object) });
  expect(await traced(true, frame)).toStrictEqual([JSON.stringify({ version: 1, text: source() })]);
});

it('shows control characters of a log as codes, so that they move no cursor', async () => {
  expect(await traced(false, 'a\u001b[2Jb')).toStrictEqual(['a\\u{1b}[2Jb']);
});
