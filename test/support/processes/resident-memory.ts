import { execFileSync } from 'node:child_process';

const KIB_PER_MIB = 1_024;

/** The memory that a process holds at this moment, in MiB. */
export const residentMib = (pid: number): number =>
  Number(execFileSync('ps', ['-o', 'rss=', '-p', String(pid)], { encoding: 'utf8' })) / KIB_PER_MIB;
