import { mkdirSync } from 'node:fs';
import { resolve } from 'node:path';
import { environmentLines } from './harness/environment';
import { tableOf, type Findings } from './harness/figure';
import { accept } from './measurements/accept';
import { audit } from './measurements/audit';
import { backlog } from './measurements/backlog';
import { carry } from './measurements/carry';
import { consoleInBrowser } from './measurements/console';
import { device } from './measurements/device';
import { rebuild } from './measurements/rebuild';
import { status } from './measurements/status';
import { workers } from './measurements/workers';

const MEASUREMENTS: Readonly<Record<string, () => Promise<Findings>>> = {
  accept,
  carry,
  status,
  device,
  rebuild,
  backlog,
  workers,
  audit,
  console: consoleInBrowser,
};

/** `npm run bench` runs all; `npm run bench -- accept status` runs these two. */
const main = async (names: readonly string[]): Promise<void> => {
  const all = Object.keys(MEASUREMENTS);
  const unknown = names.filter((name) => !all.includes(name));
  if (unknown.length > 0) throw new Error(`no measurement is called ${unknown.join(', ')}; there are ${all.join(', ')}`);
  // BENCH_DIR names another disk for the stores of all programs, including PostgreSQL.
  const disk = process.env['BENCH_DIR'];
  if (disk !== undefined) {
    mkdirSync(disk, { recursive: true });
    process.env['TMPDIR'] = resolve(disk);
  }
  console.log(environmentLines().join('\n'));
  for (const [name, measure] of Object.entries(MEASUREMENTS)) {
    if (names.length > 0 && !names.includes(name)) continue;
    const { figures, notes = [] } = await measure();
    console.log([`\n## ${name}`, '', tableOf(figures), ...notes.map((note) => `\n${note}`)].join('\n'));
  }
};

main(process.argv.slice(2)).catch((error: unknown) => {
  console.error(error);
  process.exitCode = 1;
});
