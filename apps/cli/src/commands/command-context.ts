import type { Output } from '../terminal/output';

/** The parts of a run that every command shares. */
export interface CommandContext {
  readonly output: () => Output;
  /** Called by verbs that have exit codes of their own. */
  readonly endedWith: (code: number) => void;
}

/** Collects the values of an option that may be given several times. */
export const collect = (value: string, before: readonly string[]): readonly string[] => [...before, value];
