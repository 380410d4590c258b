import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { closingOnFailure } from './program-life';

interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly lines: readonly string[];
}

/** The program can use `log`, `stopOnSignal` and `signal`, which sends a signal to itself. */
const run = (program: string): Promise<Ended> =>
  new Promise((resolve, reject) => {
    const beginning = `
      const { stopOnSignal } = require(${JSON.stringify(join(__dirname, 'program-life.ts'))});
      const say = (event, facts) => console.log([event, ...Object.values(facts ?? {})].join(' '));
      const log = { info: say, failure: (event, error) => say(event, [error.message]) };
      const signal = (name) => process.kill(process.pid, name);
      setTimeout(() => process.exit(9), 20_000);`;
    const child = spawn(process.execPath, ['--require', require.resolve('tsx/cjs'), '--eval', `${beginning}\n${program}`], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let text = '';
    child.stdout.setEncoding('utf8').on('data', (part: string) => (text += part));
    child.once('error', reject);
    child.once('close', (code, signal) => resolve({ code, signal, lines: text.split('\n').slice(0, -1) }));
  });

describe('a signal (safety, F39)', () => {
  it.each([
    ['SIGTERM', 143],
    ['SIGINT', 130],
  ])("%s before the start completes exits at once with the signal's exit code and logs it", async (name, code) => {
    // An exit code, because PID 1 of a container cannot die by a signal.
    expect(await run(`stopOnSignal(log); signal('${name}');`)).toStrictEqual({ code, signal: null, lines: [`stopping ${name}`] });
  });

  it('stops a started program once, in order', async () => {
    const close = `async () => { signal('SIGINT'); await new Promise((resolve) => setTimeout(resolve, 50)); say('closed'); }`;
    expect(await run(`stopOnSignal(log)(${close}); signal('SIGTERM');`)).toStrictEqual({
      code: 0,
      signal: null,
      lines: ['stopping SIGTERM', 'closed', 'stopped'],
    });
  });

  it('exits with code 1 and logs the reason if the stop fails', async () => {
    expect(await run(`stopOnSignal(log)(() => Promise.reject(new Error('away'))); signal('SIGTERM');`)).toStrictEqual({
      code: 1,
      signal: null,
      lines: ['stopping SIGTERM', 'stop.failed away'],
    });
  });
});

describe('a start that fails after its first part', () => {
  const taken = new Error('PORT is taken');
  const steps: string[] = [];
  beforeEach(() => (steps.length = 0));
  const opened = (end: () => Promise<void>) => ({ close: () => end().finally(() => steps.push('closed')) });
  const failing = (end: () => Promise<void>): Promise<void> =>
    closingOnFailure(opened(end), () => Promise.reject(taken)).finally(() => steps.push('ended'));

  it('closes the program, then ends what started earlier, and rethrows the error', async () => {
    await expect(failing(() => new Promise((resolve) => setImmediate(resolve)))).rejects.toBe(taken);
    expect(steps).toStrictEqual(['closed', 'ended']);
  });

  it('rethrows the original error if ending the first part fails too', async () => {
    await expect(failing(() => Promise.reject(new Error('away')))).rejects.toBe(taken);
    expect(steps).toStrictEqual(['closed', 'ended']);
  });

  it('closes nothing if the start succeeds', async () => {
    await expect(
      closingOnFailure(
        opened(() => Promise.resolve()),
        () => Promise.resolve('started'),
      ),
    ).resolves.toBe('started');
    expect(steps).toStrictEqual([]);
  });
});
