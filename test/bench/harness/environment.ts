import { existsSync, fsyncSync, openSync, closeSync, writeSync, rmSync, readFileSync } from 'node:fs';
import { availableParallelism, cpus, loadavg, platform, release, tmpdir, totalmem } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { DatabaseSync } from '@photostructure/sqlite';
import { median } from './figure';
import { ROOT } from './built';

const SYNCS = 50;
const BYTES_PER_GIB = 2 ** 30;
const PAGE_BYTES = 4_096;

const syncMs = (): number => {
  const path = join(tmpdir(), `orchestrator-bench-sync-${process.pid}`);
  const file = openSync(path, 'w');
  const page = Buffer.alloc(PAGE_BYTES, 1);
  const times = Array.from({ length: SYNCS }, () => {
    const startedAt = performance.now();
    writeSync(file, page);
    fsyncSync(file);
    return performance.now() - startedAt;
  });
  closeSync(file);
  rmSync(path);
  return median(times);
};

export const environmentLines = (): readonly string[] => {
  const { dependencies } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { dependencies: Record<string, string> };
  const isVirtual = existsSync('/proc/cpuinfo') && /^flags.*\bhypervisor\b/m.test(readFileSync('/proc/cpuinfo', 'utf8'));
  const db = new DatabaseSync(':memory:');
  const { sqlite } = db.prepare('SELECT sqlite_version() AS sqlite').get() as { sqlite: string };
  db.close();
  const model = cpus()[0]?.model.trim() ?? 'unknown';
  return [
    `node ${process.versions.node}, SQLite ${sqlite}, @nestjs/core ${dependencies['@nestjs/core']}, class-validator ${dependencies['class-validator']}`,
    `${platform()} ${release().split('-')[0]}, ${availableParallelism()} cores (${model}${isVirtual ? ', virtual' : ''}), ${Math.round(totalmem() / BYTES_PER_GIB)} GiB of memory`,
    `a page written and synced to the disk of the stores: ${syncMs().toFixed(2)} ms (median of ${SYNCS})`,
    `processes that wanted a core in the minute before, on average: ${(loadavg()[0] ?? 0).toFixed(1)}; where that is not near 0, others shared the machine, and absolute figures are low`,
  ];
};
