import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { resolve } from 'node:path';

const ROOT = resolve(__dirname, '..', '..', '..');
const PAGE_TIMEOUT_MS = 90_000;
const OUTPUT_BYTES_MAX = 1_048_576;

export type BlockRun =
  | { readonly kind: 'succeeded'; readonly output: string }
  | { readonly kind: 'failed'; readonly output: string; readonly problems: string }
  | { readonly kind: 'not-run' };

/** Runs blocks in one shell, like a reader who pastes them. The first failed command or unset variable ends the run. */
export const runInOneShell = (blocks: readonly string[], environment: Readonly<Record<string, string>>): Promise<readonly BlockRun[]> => {
  const mark = `--- ${randomUUID()}`;
  const ended = `${mark} end`;
  const script = [...blocks.flatMap((commands) => [`echo '${mark}'`, commands]), `echo '${ended}'`].join('\n');
  return new Promise((settle) => {
    const options = {
      cwd: ROOT,
      env: { PATH: process.env['PATH'], ...environment },
      timeout: PAGE_TIMEOUT_MS,
      maxBuffer: OUTPUT_BYTES_MAX,
    };
    execFile('sh', ['-euc', script], options, (error, out, problems) => {
      const isWhole = error === null && out.endsWith(`${ended}\n`);
      const outputs = out
        .replace(`${ended}\n`, '')
        .split(`${mark}\n`)
        .slice(1)
        .map((output) => output.trimEnd());
      settle(
        blocks.map((_commands, index): BlockRun => {
          const output = outputs[index];
          if (output === undefined) return { kind: 'not-run' };
          const isFailed = !isWhole && index === outputs.length - 1;
          return isFailed
            ? { kind: 'failed', output, problems: problems || (error?.message ?? 'it ended early') }
            : { kind: 'succeeded', output };
        }),
      );
    });
  });
};
