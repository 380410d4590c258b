import { execFile } from 'node:child_process';
import { resolve } from 'node:path';
import { promisify } from 'node:util';
import { until } from '../until';
import { startOrch, type OrchEnded } from './orch';

const ROOT = resolve(__dirname, '../../..');

export interface PrintedLine {
  readonly line: string;
  readonly stdout: string;
}

/**
 * Runs each line that a tour prints for a second shell, except lines that follow logs.
 * @param last a text that only the last line contains
 * @throws Error if a line fails or the tour does not finish in time
 */
export const runPrintedLines = async (
  args: readonly string[],
  environment: NodeJS.ProcessEnv,
  { last, timeoutMs }: { readonly last: string; readonly timeoutMs: number },
): Promise<{ readonly ran: readonly PrintedLine[]; readonly ended: OrchEnded }> => {
  const { child, ended } = startOrch(['--json', ...args], environment);
  let out = '';
  child.stdout?.on('data', (text: string) => (out += text));
  const ran: PrintedLine[] = [];
  try {
    await until(() => out.includes(last), { what: 'the last line', timeoutMs, seen: () => out.slice(-2_000) });
    for (const told of out.trim().split('\n')) {
      const { kind, line = '' } = JSON.parse(told) as { readonly kind: string; readonly line?: string };
      if (kind !== 'command' || line.startsWith('tail -F')) continue;
      const { stdout } = await promisify(execFile)('bash', ['-o', 'pipefail', '-c', line], { cwd: ROOT });
      ran.push({ line, stdout });
    }
  } finally {
    child.kill('SIGINT');
  }
  return { ran, ended: await ended };
};
