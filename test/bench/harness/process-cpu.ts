import { readdirSync, readFileSync } from 'node:fs';

/** /proc counts in ticks of the kernel's clock, 100 a second on every Linux that Node runs on. */
const MS_PER_TICK = 10;
const PROC = '/proc';
const PARENT_FIELD = 1;
const USER_FIELD = 11;
const SYSTEM_FIELD = 12;
const USER_OF_ENDED_FIELD = 13;
const SYSTEM_OF_ENDED_FIELD = 14;

const fieldsOf = (pid: number): readonly number[] => {
  try {
    // The name in brackets may contain blanks; later fields do not.
    return (readFileSync(`${PROC}/${pid}/stat`, 'utf8').split(') ').at(-1) ?? '').split(' ').map(Number);
  } catch {
    return [];
  }
};

const ticksOf = (fields: readonly number[], ...places: readonly number[]): number =>
  places.reduce((sum, place) => sum + (fields[place] ?? Number.NaN), 0);

/** CPU time of a process with all threads, in ms; NaN without /proc. Other load hardly changes it. */
export const processCpuMs = (pid: number): number => ticksOf(fieldsOf(pid), USER_FIELD, SYSTEM_FIELD) * MS_PER_TICK;

const childrenOf = (): ReadonlyMap<number, readonly number[]> => {
  const children = new Map<number, number[]>();
  for (const name of readdirSync(PROC)) {
    const parent = /^\d+$/.test(name) ? fieldsOf(Number(name))[PARENT_FIELD] : undefined;
    if (parent !== undefined) children.set(parent, [...(children.get(parent) ?? []), Number(name)]);
  }
  return children;
};

/** A process, its children, and theirs. */
export const processTree = (root: number): readonly number[] => {
  const children = childrenOf();
  const treeOf = (pid: number): readonly number[] => [pid, ...(children.get(pid) ?? []).flatMap(treeOf)];
  return treeOf(root);
};

export const processTreeCpuMs = (root: number): number => {
  const children = childrenOf();
  const ticksFrom = (pid: number): number => {
    const own = ticksOf(fieldsOf(pid), USER_FIELD, SYSTEM_FIELD, USER_OF_ENDED_FIELD, SYSTEM_OF_ENDED_FIELD);
    // A process that has just ended is counted with its parent at the next reading.
    return (Number.isNaN(own) ? 0 : own) + (children.get(pid) ?? []).reduce((sum, child) => sum + ticksFrom(child), 0);
  };
  return ticksFrom(root) * MS_PER_TICK;
};

const NANOSECONDS_PER_MS = 1_000_000;

const nanosecondsOf = (thread: string): number => {
  try {
    return Number(readFileSync(`${thread}/schedstat`, 'utf8').split(' ')[0]);
  } catch {
    return 0;
  }
};

/** CPU time of processes, in ms, in the kernel's finest measure. Processes and threads that end in between are missing. */
export const fineCpuMs = (pids: readonly number[]): number => {
  let nanoseconds = 0;
  for (const pid of pids) {
    const threads = `${PROC}/${pid}/task`;
    try {
      for (const thread of readdirSync(threads)) nanoseconds += nanosecondsOf(`${threads}/${thread}`);
    } catch {
      // It has just ended.
    }
  }
  return nanoseconds / NANOSECONDS_PER_MS;
};
