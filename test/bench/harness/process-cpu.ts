import { existsSync, readdirSync, readFileSync } from 'node:fs';

/** /proc counts in ticks of the kernel's clock, 100 a second on every Linux that Node runs on. */
const MS_PER_TICK = 10;
const PROC = '/proc';
// Positions after the name of the program in /proc/<pid>/stat.
const PARENT_FIELD = 1;
const USER_FIELD = 11;
const SYSTEM_FIELD = 12;
const USER_OF_ENDED_FIELD = 13;
const SYSTEM_OF_ENDED_FIELD = 14;

/** Undefined where there is no such process, or no /proc. */
const fieldsOf = (pid: number): readonly number[] | undefined => {
  try {
    // The name in brackets may hold blanks; the fields after it do not.
    return readFileSync(`${PROC}/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ').map(Number);
  } catch {
    return undefined;
  }
};

const ticksOf = (fields: readonly number[], ...places: readonly number[]): number =>
  places.reduce((sum, place) => sum + (fields[place] ?? Number.NaN), 0);

/** CPU that a process with all its threads has used so far, in ms; undefined where the system has no /proc. Other load hardly changes it. */
export const processCpuMs = (pid: number): number | undefined => {
  const fields = fieldsOf(pid);
  return fields && ticksOf(fields, USER_FIELD, SYSTEM_FIELD) * MS_PER_TICK;
};

/** The same for a process with all its descendants, including those that have ended. */
export const processTreeCpuMs = (root: number): number | undefined => {
  if (!existsSync(`${PROC}/${root}/stat`)) return undefined;
  const children = new Map<number, number[]>();
  for (const name of readdirSync(PROC)) {
    const parent = /^\d+$/.test(name) ? fieldsOf(Number(name))?.[PARENT_FIELD] : undefined;
    if (parent !== undefined) children.set(parent, [...(children.get(parent) ?? []), Number(name)]);
  }
  const ticksFrom = (pid: number): number => {
    const own = ticksOf(fieldsOf(pid) ?? [], USER_FIELD, SYSTEM_FIELD, USER_OF_ENDED_FIELD, SYSTEM_OF_ENDED_FIELD);
    // A process that ended this moment counts with its parent the next time.
    return (Number.isNaN(own) ? 0 : own) + (children.get(pid) ?? []).reduce((sum, child) => sum + ticksFrom(child), 0);
  };
  return ticksFrom(root) * MS_PER_TICK;
};

/**
 * CPU that the whole machine has used since its start, in ms, including what a hypervisor gave to others; undefined where the system has no /proc.
 */
export const machineCpuMs = (): number | undefined => {
  if (!existsSync(`${PROC}/stat`)) return undefined;
  const [, user, nice, system, , , interrupts, softInterrupts, stolen] = (readFileSync(`${PROC}/stat`, 'utf8').split('\n')[0] ?? '')
    .split(/ +/)
    .map(Number);
  return [user, nice, system, interrupts, softInterrupts, stolen].reduce<number>((sum, ticks) => sum + (ticks ?? 0), 0) * MS_PER_TICK;
};
