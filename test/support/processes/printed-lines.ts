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
 * Plays a tour that stays up, and runs each line that it prints for a second shell, but one that follows the logs without end.
 * @param last what the last of them holds, and nothing before it
 * @throws Error where a line fails, or the tour does not come so far in time
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
