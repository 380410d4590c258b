import type { ChildProcess } from 'node:child_process';

export const spokenLines = ({ stdout }: ChildProcess): readonly string[] => {
  const lines: string[] = [];
  let rest = '';
  stdout?.setEncoding('utf8').on('data', (text: string) => {
    const parts = (rest + text).split('\n');
    rest = parts.pop() ?? '';
    lines.push(...parts);
  });
  return lines;
};

export const ended = (child: ChildProcess): Promise<void> =>
  child.exitCode !== null || child.signalCode !== null ? Promise.resolve() : new Promise((resolve) => child.once('close', () => resolve()));
