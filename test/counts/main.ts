import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { runCount } from './count';
import { ROWS } from './rows';

/** `npm run counts -- <row> [--count N] [--seed S] [--resume]`: exit code 0 where all held, 1 where a portion failed, 2 where it could not run. */
const USAGE = `npm run counts -- <row> [--count N] [--seed S] [--resume]\n${ROWS.map(({ name, id, count, unit }) => `  ${name.padEnd(18)} ${id.padEnd(4)} ${count} ${unit} on demand`).join('\n')}`;
const SEED = 1;
const WHOLE = /^[1-9]\d{0,8}$/;

const wholeNumber = (name: string, text: string | undefined, otherwise: number): number => {
  if (text === undefined) return otherwise;
  if (!WHOLE.test(text)) throw new Error(`--${name} is a whole number from 1`);
  return Number(text);
};

const main = async (): Promise<boolean> => {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { count: { type: 'string' }, seed: { type: 'string' }, resume: { type: 'boolean', default: false } },
  });
  const row = ROWS.find(({ name }) => name === positionals[0]);
  if (row === undefined || positionals.length !== 1) throw new Error(USAGE);
  const count = wholeNumber('count', values.count, row.count);
  const seed = wholeNumber('seed', values.seed, SEED);
  if (row.needsBuild && spawnSync('npm', ['run', 'build'], { stdio: 'inherit' }).status !== 0) throw new Error('the build failed');
  const state = await runCount({
    row,
    count,
    seed,
    statePath: join('.counts', `${row.name}.json`),
    resume: values.resume,
    say: (line) => void process.stderr.write(`${line}\n`),
  });
  process.stdout.write(`${JSON.stringify({ ...state, id: row.id, date: new Date().toISOString().slice(0, 10) })}\n`);
  return state.failed.length === 0;
};

main().then(
  (isSound) => void (process.exitCode = isSound ? 0 : 1),
  (error: unknown) => {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    process.exitCode = 2;
  },
);
