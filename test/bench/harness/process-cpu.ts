import { existsSync, readFileSync } from 'node:fs';

/** Of the kernel's clock that /proc counts by; 100 a second on every Linux that Node runs on. */
const MS_PER_TICK = 10;
const USER_FIELD = 11;
const SYSTEM_FIELD = 12;

/** CPU that a process with all its threads has used so far, in ms; undefined where the system has no /proc. What else runs hardly moves it. */
export const processCpuMs = (pid: number): number | undefined => {
  const path = `/proc/${pid}/stat`;
  if (!existsSync(path)) return undefined;
  // The name in brackets may hold blanks; what follows it does not.
  const fields = readFileSync(path, 'utf8').split(') ').at(-1)?.split(' ') ?? [];
  return (Number(fields[USER_FIELD]) + Number(fields[SYSTEM_FIELD])) * MS_PER_TICK;
};
